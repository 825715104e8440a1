import { Hono } from "hono";
import { asWebResponse, type HandleCall } from "#calls/exchange.ts";
import { allowedMethods } from "#calls/problem.ts";
import { ApiError } from "#errors.ts";
import { createReadAccount } from "./account.ts";
import { createMonitoringEndpoints } from "./health.ts";
import {
  type CreateSite,
  createPathSuggestion,
  createRoutes,
  type Handler,
  isMcpPath,
  methodNotAllowed,
  type Route,
} from "./routes.ts";
import type { ToolCalls } from "./tool-calls.ts";

/**
 * The service as a function from a request to a response. Each runtime's server calls `fetch` and passes what it knows
 * about the client as `connection`, which reaches the handlers unchanged.
 */
export type App = {
  fetch(request: Request, connection?: unknown): Response | Promise<Response>;
  /** Returns the response to bytes that the server could not parse as a request. `headers`: those that it has read. */
  reject(error: ApiError, headers: Headers): Promise<Response>;
  /** The calls of the tools, by path: what `fetch` does with a POST, for a server that needs no web objects for it. */
  calls: ReadonlyMap<string, HandleCall>;
};

/** `createSite` adds the pages and the dashboard; null if another process serves them. */
export function createApp(calls: ToolCalls, createSite: CreateSite | null): App {
  const { app, deps } = calls;
  const readAccount = createReadAccount(app, deps);
  const monitoring = createMonitoringEndpoints(app, deps.replier);
  const hono = new Hono();
  const site = createSite?.({ app, deps, calls: calls.byPath });
  const apiRoutes = createRoutes(calls, { readAccount, monitoring });
  const routes = [...apiRoutes, ...(site?.routes ?? [])];
  const suggestPath = createPathSuggestion(apiRoutes);

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
      const context = calls.createContext(request.headers, request.method, route.path, route.tool);
      const handler = route.methods[request.method === "HEAD" ? "GET" : request.method];
      const chosen =
        handler ?? route.otherMethods ?? (() => rejectMethod(route, request.method, c.req.path));
      const response = calls.respond(
        chosen,
        asWebResponse,
        request,
        context,
        route.bodyBytesMax,
        c.env,
      );
      return route.isSameOriginOnly ? response.then(withoutCors) : response;
    });
  }
  hono.notFound((c) => {
    const request = c.req.raw;
    const context = calls.createContext(request.headers, request.method, "none", null);
    const handler: Handler = (_, requestContext) => {
      const isPageRequest = request.method === "GET" || request.method === "HEAD";
      const { path } = c.req;
      const isForPrograms = /^\/api(?:\/|$)/.test(path) || isMcpPath(path) || asksForJson(request);
      if (isForPrograms || !isPageRequest || !site) {
        throw nothingAt(path.slice(0, PATH_CHARS_SHOWN));
      }
      return site.notFound(request, requestContext, c.env);
    };
    return calls.respond(handler, asWebResponse, request, context, 0, c.env);
  });

  return {
    fetch(request, connection) {
      const result = hono.fetch(request, connection as object);
      // Without this, a runtime that drops the work of a disconnected client would never release the call's memory.
      app.waitUntil?.(Promise.resolve(result));
      return result;
    },
    reject: (error, headers) => calls.reject(error, headers).then(asWebResponse),
    calls: calls.byPath,
  };
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
