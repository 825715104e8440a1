import { Hono } from "hono";
import { dropBody } from "#calls/body.ts";
import { Call, CallDeps } from "#calls/call.ts";
import { internalError } from "#calls/call-errors.ts";
import { callTool } from "#calls/call-tool.ts";
import {
  type ApiRequest,
  type ApiResponse,
  asWebResponse,
  type HandleCall,
  type HeaderLookup,
} from "#calls/exchange.ts";
import { allowedMethods } from "#calls/problem.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { ApiError } from "#errors.ts";
import type { Tool } from "#tools/define-tool.ts";
import { createReadAccount } from "./account.ts";
import type { AppContext } from "./app-context.ts";
import { createMonitoringEndpoints } from "./health.ts";
import {
  type CreateSite,
  createPathSuggestion,
  createRoutes,
  type Handler,
  isMcpPath,
  methodNotAllowed,
  pathOf,
  type Route,
} from "./routes.ts";

/**
 * The service as a function from a request to a response. Each runtime's server calls `fetch` and passes what it knows
 * about the client as `connection`, which reaches the handlers unchanged.
 *
 * This is the only place where an ApiError becomes a response. Anything else that is thrown becomes a 500 without details.
 */
export type App = {
  fetch(request: Request, connection?: unknown): Response | Promise<Response>;
  /** Returns the response to bytes that the server could not parse as a request. `headers`: those that it has read. */
  reject(error: ApiError, headers: Headers): Promise<Response>;
  /** The calls of the tools, by path: what `fetch` does with a POST, for a server that needs no web objects for it. */
  calls: ReadonlyMap<string, HandleCall>;
};

/** The service uses a client's request id only if it is safe in a header and a log. */
const REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/**
 * The trace id of a `traceparent` header (W3C Trace Context, section 3.2.2.3): two, 32, 16 and two lowercase hexadecimal
 * digits. Version ff and ids of zeros are invalid. Later versions may append members after another hyphen.
 */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** An invalid header is ignored, as the standard demands. Responses carry no trace headers: it defines none for them. */
function traceIdOf(traceparent: string | null): string | null {
  if (traceparent === null) return null;
  const [, version, traceId = null, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === "00" && more !== undefined ? null : traceId;
}

/** `createSite` adds the pages and the dashboard; null if another process serves them. */
export function createApp(app: AppContext, createSite: CreateSite | null): App {
  const deps = new CallDeps(app, () => app.metrics?.countThrottledKey());
  const { replier, newId } = deps;
  const readAccount = createReadAccount(app, deps);
  const monitoring = createMonitoringEndpoints(app, replier);
  const calls = new Map(app.tools.map((tool) => [pathOf(tool), callOf(tool)]));
  const hono = new Hono();
  const site = createSite?.({ app, deps, calls });
  const apiRoutes = createRoutes(app.tools, deps, { readAccount, monitoring });
  const routes = [...apiRoutes, ...(site?.routes ?? [])];
  const suggestPath = createPathSuggestion(apiRoutes);

  function createRequestContext(
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
      times: { key: null, body: null, tool: null, ledger: null },
      receivedBytes: null,
      sent: 0,
      code: null,
      problem: null,
    };
  }

  const record = (context: RequestContext, status: number, connection?: unknown): void =>
    app.record?.(context, status, app.elapsed() - context.startedAt, connection);

  /** `asMade` turns an error into what the handler returns. */
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

  function callOf(tool: Tool): HandleCall {
    const path = pathOf(tool);
    const handler = (request: ApiRequest, context: RequestContext, connection: unknown) =>
      callTool(new Call(deps, tool, request, context, connection));
    return (request, connection) => {
      const context = createRequestContext(request.headers, request.method, path, tool.name);
      return respond(handler, (made) => made, request, context, tool.bodyBytesMax, connection);
    };
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

  function nothingAt(path: string): ApiError {
    const list = ` ${app.settings.publicUrl}/openapi.json lists the paths.`;
    return new ApiError(
      "not_found",
      `No endpoint has the path ${path}.${suggestPath(path) || list}`,
    );
  }

  function rejectMethod(route: Route, method: string, path: string): never {
    const allow = allowedMethods(Object.keys(route.methods));
    const shown = path.slice(0, PATH_CHARS_SHOWN);
    // A call that was sent to the page of a tool.
    const hint = apiRoutes.includes(route) ? "" : suggestPath(shown);
    throw methodNotAllowed(method, shown, allow, hint);
  }

  for (const route of routes) {
    hono.all(route.path, (c) => {
      const request = c.req.raw;
      const context = createRequestContext(request.headers, request.method, route.path, route.tool);
      const handler = route.methods[request.method === "HEAD" ? "GET" : request.method];
      const chosen =
        handler ?? route.otherMethods ?? (() => rejectMethod(route, request.method, c.req.path));
      const response = respond(chosen, asWebResponse, request, context, route.bodyBytesMax, c.env);
      return route.isSameOriginOnly ? response.then(withoutCors) : response;
    });
  }
  hono.notFound((c) => {
    const request = c.req.raw;
    const context = createRequestContext(request.headers, request.method, "none", null);
    const handler: Handler = (_, requestContext) => {
      const isPageRequest = request.method === "GET" || request.method === "HEAD";
      const { path } = c.req;
      const isForPrograms = /^\/api(?:\/|$)/.test(path) || isMcpPath(path) || asksForJson(request);
      if (isForPrograms || !isPageRequest || !site) {
        throw nothingAt(path.slice(0, PATH_CHARS_SHOWN));
      }
      return site.notFound(request, requestContext, c.env);
    };
    return respond(handler, asWebResponse, request, context, 0, c.env);
  });

  return {
    fetch(request, connection) {
      const result = hono.fetch(request, connection as object);
      // Without this, a runtime that drops the work of a disconnected client would never release the call's memory.
      app.waitUntil?.(Promise.resolve(result));
      return result;
    },
    async reject(error, headers) {
      const context = createRequestContext(headers, "none", "none", null);
      const response = await replier.problem(error, headers, context, false);
      record(context, response.status);
      return asWebResponse(response);
    },
    calls,
  };
}

/** The id of a call is a member of the line and not in its message, so that errors of different calls are counted together. */
function logError(app: AppContext, error: ApiError, { requestId, traceId }: RequestContext): void {
  const { cause, message, details } = error;
  const callId = details.members?.callId;
  app.logError(callId === undefined ? message : message.replace(` ${callId}`, ""), {
    requestId,
    ...(traceId !== null && { traceId }),
    ...(callId !== undefined && { callId }),
    cause,
  });
}

function withoutCors(response: Response): Response {
  for (const name of ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"]) {
    response.headers.delete(name);
  }
  return response;
}

/** The part of a path that an error repeats. */
const PATH_CHARS_SHOWN = 200;

/** A program, which a page would not help. A browser names HTML, curl no type. */
function asksForJson({ headers }: Request): boolean {
  const accept = headers.get("accept") ?? "";
  return /\bjson\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}
