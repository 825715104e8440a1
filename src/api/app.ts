import { Hono } from "hono";
import { ApiError } from "#errors.ts";
import { createIdSequence } from "#ids.ts";
import type { AppContext } from "./app-context.ts";
import { createOperations } from "./health.ts";
import { dropBody } from "./pipeline/body.ts";
import { createCallTool } from "./pipeline/call-tool.ts";
import { createReplier, milliseconds, type RequestContext } from "./pipeline/reply.ts";
import { type CreateSite, createRoutes, type Handler, type Route } from "./routes.ts";

/**
 * The service as a function from a request to a response. A door of any runtime calls `fetch`; `connection` is what the
 * door knows of the peer and is handed on to the handlers untouched.
 *
 * Here, and only here, faults become refusals, and anything else that was thrown becomes a 500 of which nothing leaks.
 */
export type App = {
  fetch(request: Request, connection?: unknown): Response | Promise<Response>;
  /** The refusal of what never became a request: the door found it out. `headers`: as far as they are known. */
  refuse(fault: ApiError, headers: Headers): Promise<Response>;
};

/** A request id of the caller's is kept when it is harmless in a header and a log. */
const REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/** `createSite`: what there is besides the calls; null where that is elsewhere. */
export function createApp(app: AppContext, createSite: CreateSite | null): App {
  const replier = createReplier(app);
  const callTool = createCallTool(app, replier);
  const operations = createOperations(app, replier);
  const site = createSite?.(replier);
  const routes = [
    ...createRoutes(app.tools, replier, callTool, operations),
    ...(site?.routes ?? []),
  ];
  const newId = createIdSequence(app.random);

  function createRequestContext(
    headers: Headers,
    method: string,
    route: string,
    tool: string | null,
  ): RequestContext {
    const given = headers.get("x-request-id");
    return {
      requestId: given !== null && REQUEST_ID.test(given) ? given : newId("req"),
      method,
      route,
      tool,
      startedAt: app.elapsed(),
      receivedAt: app.now(),
      account: null,
      charged: null,
      balance: null,
      rate: null,
      replayed: false,
      timing: "",
      code: null,
    };
  }

  function note(context: RequestContext, status: number): void {
    app.record({
      requestId: context.requestId,
      method: context.method,
      route: context.route,
      tool: context.tool,
      status,
      code: context.code,
      account: context.account,
      charged: context.charged,
      replayed: context.replayed,
      durationMs: milliseconds(app.elapsed() - context.startedAt),
    });
  }

  async function respond(
    handler: Handler,
    request: Request,
    context: RequestContext,
    bodyBytesMax: number,
    connection: unknown,
  ): Promise<Response> {
    let response: Response;
    try {
      response = await handler(request, context, connection);
    } catch (thrown) {
      response = await refuse(thrown, request, context, bodyBytesMax);
    }
    note(context, response.status);
    return response;
  }

  async function refuse(
    thrown: unknown,
    request: Request,
    context: RequestContext,
    bodyBytesMax: number,
  ): Promise<Response> {
    const fault = thrown instanceof ApiError ? thrown : internal(thrown);
    if (fault.code === "internal" || fault.code === "unavailable") {
      app.logError(fault.message, { requestId: context.requestId, cause: fault.cause });
    }
    const dropped = await dropBody(request, bodyBytesMax);
    return replier.problem(fault, request.headers, context, dropped);
  }

  const hono = new Hono();
  for (const route of routes) {
    hono.all(route.path, (c) => {
      const request = c.req.raw;
      const context = createRequestContext(request.headers, request.method, route.path, route.tool);
      return respond(chooseHandler(route, request), request, context, route.bodyBytesMax, c.env);
    });
  }
  hono.notFound((c) => {
    const request = c.req.raw;
    const context = createRequestContext(request.headers, request.method, "none", null);
    const handler: Handler = (_, own) => {
      const asksForPage = request.method === "GET" || request.method === "HEAD";
      if (c.req.path.startsWith("/api/") || !asksForPage || site === undefined) {
        throw new ApiError("not_found", `There is nothing at ${c.req.path.slice(0, 200)}.`);
      }
      return site.notFound(request, own, c.env);
    };
    return respond(handler, request, context, 0, c.env);
  });

  return {
    fetch(request, connection) {
      const result = hono.fetch(request, connection as object);
      // A runtime that drops the work of a client who went away would never let go of what the call holds.
      app.waitUntil?.(Promise.resolve(result));
      return result;
    },
    async refuse(fault, headers) {
      const context = createRequestContext(headers, "none", "none", null);
      const response = await replier.problem(fault, headers, context, false);
      note(context, response.status);
      return response;
    },
  };
}

function chooseHandler(route: Route, request: Request): Handler {
  const method = request.method === "HEAD" ? "GET" : request.method;
  const handler = route.methods[method];
  if (handler !== undefined) return handler;
  return () => {
    const allow = Object.keys(route.methods).flatMap((name) =>
      name === "GET" ? ["GET", "HEAD"] : [name],
    );
    throw new ApiError(
      "method_not_allowed",
      `${request.method} is not allowed on ${route.path}; use ${allow[0]}.`,
      { headers: { Allow: allow.join(", ") } },
    );
  };
}

const internal = (cause: unknown) =>
  new ApiError("internal", "Something went wrong on our side. The call was not charged.", {
    cause,
  });
