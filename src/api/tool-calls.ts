import type { AppContext } from "#calls/app-context.ts";
import { dropBody } from "#calls/body.ts";
import { Call, CallDeps } from "#calls/call.ts";
import { internalError } from "#calls/call-errors.ts";
import { callTool, quoteCall } from "#calls/call-tool.ts";
import type { ApiRequest, ApiResponse, HandleCall, HeaderLookup } from "#calls/exchange.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { ApiError } from "#errors.ts";
import { OWN_BODY_BYTES_LIMIT } from "#limits.ts";
import type { LazyTool, Tool } from "#tools/define-tool.ts";

/**
 * The calls of the tools, and what they have in common with the app's other responses. At the edge a call loads this and no router.
 *
 * An ApiError of a call becomes a response here. Anything else that is thrown becomes a 500 without details.
 */
export type ToolCalls = ReturnType<typeof createToolCalls>;

export type ServedTool = Pick<Tool, "name" | "bodyBytesMax"> & {
  path: string;
  /** The six steps of a call. Throws what becomes its error. */
  call: Handle;
  /** Responds with the price of a call. */
  quote: Handle;
};

type Handle = (
  request: ApiRequest,
  context: RequestContext,
  connection: unknown,
) => Promise<ApiResponse>;

/** The service uses a client's request id only if it is safe in a header and a log. */
const REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/**
 * The trace id of a `traceparent` header (W3C Trace Context, section 3.2.2.3): two, 32, 16 and two lowercase hexadecimal
 * digits. Version ff and ids of zeros are invalid. Later versions may append members after another hyphen.
 */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** An invalid header is ignored, as the standard requires. Responses carry no trace headers: it defines none for them. */
function traceIdOf(traceparent: string | null): string | null {
  if (traceparent === null) return null;
  const [, version, traceId = null, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === "00" && more !== undefined ? null : traceId;
}

/** The path at which the tool is called. */
export const pathOf = (tool: Pick<Tool, "name">): string => `/api/v1/${tool.name}`;
export const quotePathOf = (tool: Pick<Tool, "name">): string => `${pathOf(tool)}/quote`;

/** `tools`: those that are served, where they are not loaded with the app. */
export function createToolCalls(app: AppContext, tools: readonly (Tool | LazyTool)[] = app.tools) {
  const deps = new CallDeps(app);
  const { replier, newId } = deps;

  function createContext(
    headers: HeaderLookup,
    method: string,
    route: string,
    tool: string | null,
  ): RequestContext {
    const sentId = headers.get("x-request-id");
    return {
      requestId: sentId !== null && REQUEST_ID.test(sentId) ? sentId : newId("req"),
      method,
      route,
      tool,
      traceId: traceIdOf(headers.get("traceparent")),
      startedAt: app.elapsed(),
      receivedAt: app.now(),
      account: null,
      key: null,
      address: null,
      isMcp: false,
      charged: null,
      balance: null,
      callId: null,
      isChargeInDoubt: false,
      rate: null,
      replayed: false,
      timing: "",
      times: { key: null, body: null, queue: null, tool: null, ledger: null },
      receivedBytes: null,
      sent: 0,
      code: null,
      problem: null,
    };
  }

  const record = (context: RequestContext, status: number, connection?: unknown): void =>
    app.record?.(context, status, app.elapsed() - context.startedAt, connection);

  /** Responds and records the response. `asMade` turns an error into what the handler returns. */
  async function respond<Sent extends ApiRequest, Made extends { status: number }>(
    handler: (request: Sent, context: RequestContext, connection: unknown) => Made | Promise<Made>,
    asMade: (problem: ApiResponse) => Made,
    request: Sent,
    context: RequestContext,
    bodyBytesMax: number,
    connection: unknown,
  ): Promise<Made> {
    let response: Made;
    try {
      response = await handler(request, context, connection);
    } catch (thrown) {
      response = asMade(await respondWithError(thrown, request, context, bodyBytesMax));
    }
    record(context, response.status, connection);
    return response;
  }

  async function respondWithError(
    thrown: unknown,
    request: ApiRequest,
    context: RequestContext,
    bodyBytesMax: number,
  ): Promise<ApiResponse> {
    const error = thrown instanceof ApiError ? thrown : internalError(thrown);
    if (error.status >= 500) logError(app, error, context);
    const dropped = await dropBody(request, bodyBytesMax);
    return replier.problem(error, request.headers, context, dropped);
  }

  const served = tools.map(
    (tool): ServedTool => ({
      name: tool.name,
      // A tool that is not loaded does not say how large its bodies may be.
      bodyBytesMax: "load" in tool ? OWN_BODY_BYTES_LIMIT : tool.bodyBytesMax,
      path: pathOf(tool),
      call: (request, context, connection) =>
        "load" in tool
          ? tool.load().then((it) => callTool(new Call(deps, it, request, context, connection)))
          : callTool(new Call(deps, tool, request, context, connection)),
      async quote(request, context, connection) {
        const it = "load" in tool ? await tool.load() : tool;
        return quoteCall(new Call(deps, it, request, context, connection));
      },
    }),
  );

  /** `tool`: of a call. A quote is none. */
  function handlerOf(
    path: string,
    tool: string | null,
    bodyBytesMax: number,
    handle: Handle,
  ): HandleCall {
    return (request, connection) => {
      const context = createContext(request.headers, request.method, path, tool);
      return respond(handle, (made) => made, request, context, bodyBytesMax, connection);
    };
  }

  return {
    ...{ app, deps, tools: served, createContext, respond },
    /** The calls and quotes by path: what the app does with a POST, for a server that needs no router or web objects for it. */
    byPath: new Map(
      served.flatMap((tool) => {
        const { name, path, bodyBytesMax, call, quote } = tool;
        const quotePath = quotePathOf(tool);
        return [
          [path, handlerOf(path, name, bodyBytesMax, call)],
          [quotePath, handlerOf(quotePath, null, bodyBytesMax, quote)],
        ] as const;
      }),
    ),
    /** Returns the response to bytes that the server could not parse as a request. `headers`: those that it has read. */
    async reject(error: ApiError, headers: HeaderLookup): Promise<ApiResponse> {
      const context = createContext(headers, "none", "none", null);
      const response = await replier.problem(error, headers, context, false);
      record(context, response.status);
      return response;
    },
  };
}

/** The id of a call is a member of the line and not in its message, so that errors of different calls are counted together. */
function logError(app: AppContext, error: ApiError, { requestId, traceId }: RequestContext): void {
  const { cause, details } = error;
  // The advice is for clients.
  const { happened: message = error.message } = details;
  const callId = details.members?.callId;
  app.logError(callId === undefined ? message : message.replace(` ${callId}`, ""), {
    requestId,
    ...(traceId !== null && { traceId }),
    ...(callId !== undefined && { callId }),
    cause,
  });
}
