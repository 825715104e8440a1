import { Hono } from "hono";
import { ApiError } from "#errors.ts";
import { createIdSequence } from "#ids.ts";
import type { AppContext } from "./app-context.ts";
import { createOperations } from "./health.ts";
import { dropBody } from "./pipeline/body.ts";
import { internalError } from "./pipeline/call-errors.ts";
import { createCallTool } from "./pipeline/call-tool.ts";
import { createReplier, milliseconds, type RequestContext } from "./pipeline/reply.ts";
import { type CreateSite, createRoutes, type Handler, type Route } from "./routes.ts";

/**
 * The service as a function from a request to a response. Each runtime's server calls `fetch` and passes what it knows
 * of the client as `connection`, which the handlers get unchanged.
 *
 * This is the only place where an ApiError becomes a response. Anything else that is thrown becomes a 500 without details.
 */
export type App = {
  fetch(request: Request, connection?: unknown): Response | Promise<Response>;
  /** The response to bytes that the server could not parse as a request. `headers` are those it has read. */
  reject(error: ApiError, headers: Headers): Promise<Response>;
};

/** A client's request id is used where it is safe in a header and a log. */
const REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/** `createSite` adds the pages and the dashboard; null where another process serves them. */
export function createApp(app: AppContext, createSite: CreateSite | null): App {
  const replier = createReplier(app);
  const callTool = createCallTool(app, replier);
  const operations = createOperations(app, replier);
  const hono = new Hono();
  const site = createSite?.({
    app,
    replier,
    fetch: (request, connection) => hono.fetch(request, connection as object),
  });
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
    const sentId = headers.get("x-request-id");
    return {
      requestId: sentId !== null && REQUEST_ID.test(sentId) ? sentId : newId("req"),
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

  function recordAccess(context: RequestContext, status: number): void {
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
      response = await respondWithError(thrown, request, context, bodyBytesMax);
    }
    recordAccess(context, response.status);
    return response;
  }

  async function respondWithError(
    thrown: unknown,
    request: Request,
    context: RequestContext,
    bodyBytesMax: number,
  ): Promise<Response> {
    const error = thrown instanceof ApiError ? thrown : internalError(thrown);
    if (error.code === "internal" || error.code === "unavailable") {
      app.logError(error.message, { requestId: context.requestId, cause: error.cause });
    }
    const dropped = await dropBody(request, bodyBytesMax);
    return replier.problem(error, request.headers, context, dropped);
  }

  for (const route of routes) {
    hono.all(route.path, (c) => {
      const request = c.req.raw;
      const context = createRequestContext(request.headers, request.method, route.path, route.tool);
      const handler = chooseHandler(route, request);
      const response = respond(handler, request, context, route.bodyBytesMax, c.env);
      return route.isSameOriginOnly ? response.then(withoutCors) : response;
    });
  }
  hono.notFound((c) => {
    const request = c.req.raw;
    const context = createRequestContext(request.headers, request.method, "none", null);
    const handler: Handler = (_, requestContext) => {
      const isPageRequest = request.method === "GET" || request.method === "HEAD";
      if (c.req.path.startsWith("/api/") || !isPageRequest || site === undefined) {
        throw new ApiError("not_found", `There is nothing at ${c.req.path.slice(0, 200)}.`);
      }
      return site.notFound(request, requestContext, c.env);
    };
    return respond(handler, request, context, 0, c.env);
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
      recordAccess(context, response.status);
      return response;
    },
  };
}

function withoutCors(response: Response): Response {
  for (const name of ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"]) {
    response.headers.delete(name);
  }
  return response;
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
