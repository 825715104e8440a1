import type { AppContext } from "#calls/app-context.ts";
import type { CallDeps } from "#calls/call.ts";
import { asWebResponse, type HandleCall } from "#calls/exchange.ts";
import { EXPOSED_HEADERS, type Replier } from "#calls/reply.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { ApiError } from "#errors.ts";
import { nearestName } from "#tools/nearest-name.ts";
import type { createMonitoringEndpoints } from "./health.ts";
import { quotePathOf, type ServedTool, type ToolCalls } from "./tool-calls.ts";

/** A path with its handlers by method. Any other method on the path is 405. */
export type Route = {
  path: string;
  methods: Record<string, Handler>;
  /** Handles the other methods, in place of the 405. */
  otherMethods?: Handler;
  tool: string | null;
  /** How many bytes of a rejected body are read and dropped. */
  bodyBytesMax: number;
  /** Responses have no CORS headers. */
  isSameOriginOnly?: true;
};

export type Handler = (
  request: Request,
  context: RequestContext,
  connection: unknown,
) => Response | Promise<Response>;

/**
 * The rest of the service: the API description, the pages and the dashboard. At the edge another Worker serves them, so
 * that calls do not have to load them.
 */
export type Site = { routes: Route[]; notFound: Handler };
export type CreateSite = (parts: SiteParts) => Site;
export type SiteParts = {
  app: AppContext;
  /** For a route whose requests have a key, or whose bodies become calls. */
  deps: CallDeps;
  /** The calls of the tools, by path, for a route that makes calls. */
  calls: ReadonlyMap<string, HandleCall>;
};

export type ApiHandlers = {
  readAccount: Handler;
  monitoring: ReturnType<typeof createMonitoringEndpoints>;
};

/** The routes of the API and of the operator's monitoring. */
export function createRoutes(
  { deps, tools }: Pick<ToolCalls, "deps" | "tools">,
  { readAccount, monitoring }: ApiHandlers,
): Route[] {
  const { replier } = deps;
  const preflight = createPreflight(replier, "POST, OPTIONS");
  const methodsOf = (handle: ServedTool["call"]) => ({
    POST: async (request: Request, context: RequestContext, connection: unknown) =>
      asWebResponse(await handle(request, context, connection)),
    OPTIONS: preflight,
  });
  return [
    ...tools.map(({ name, path, bodyBytesMax, call }) => ({
      ...{ path, methods: methodsOf(call), tool: name, bodyBytesMax },
    })),
    ...tools.map((tool) => ({
      ...{ path: quotePathOf(tool), methods: methodsOf(tool.quote), tool: null },
      bodyBytesMax: tool.bodyBytesMax,
    })),
    {
      path: "/api/v1/account",
      methods: { GET: readAccount, OPTIONS: createPreflight(replier, "GET, HEAD, OPTIONS") },
      tool: null,
      bodyBytesMax: 0,
    },
    get("/healthz", monitoring.healthz),
    get("/health", monitoring.healthz),
    get("/readyz", monitoring.readyz),
    // The pages of other sites must not read it, even where others may.
    { ...get("/metrics", monitoring.metrics), isSameOriginOnly: true },
  ];
}

export const get = (path: string, handler: Handler): Route => ({
  path,
  methods: { GET: handler },
  tool: null,
  bodyBytesMax: 0,
});

/** Where other servers have MCP, and where clients of its earlier transport look for it. */
export const isMcpPath = (path: string): boolean => MCP_PATH.test(path);

const MCP_PATH = /^\/(?:api\/)?(?:v\d+\/)?(?:mcp|sse|messages?)(?:\/|$)/i;
const MCP_HINT =
  " Did you mean /mcp? MCP clients send each message there with POST (streamable HTTP).";

/** Where MCP clients look for a way to sign in when a server rejects their key; the last error is what their users see. */
const OAUTH_PATH =
  /^\/(?:\.well-known\/(?:oauth-|openid-)|(?:oauth2?\/)?(?:register|authorize|token)$)/;
const OAUTH_HINT =
  " There is no OAuth here. Send an API key that is valid in the header `Authorization: Bearer <API key>`.";

export const methodNotAllowed = (
  method: string,
  path: string,
  allow: readonly string[],
  hint: string,
): ApiError =>
  new ApiError(
    "method_not_allowed",
    `${method} is not allowed on ${path}; use ${allow[0]}.${hint}`,
    {
      headers: { Allow: allow.join(", ") },
    },
  );

/**
 * Suggests the route that a path without one most likely means: by its last segment that resembles the name of a route,
 * or is one word of it, as in `/api/v1/qr`. Returns a sentence after a space, or nothing. Quotes are found by their tool.
 */
export function createPathSuggestion(routes: readonly Route[]): (path: string) => string {
  const paths = new Map(
    routes
      .filter(({ path }) => !path.endsWith("/quote"))
      .map(({ path }) => [path.slice(path.lastIndexOf("/") + 1), path]),
  );
  const names = [...paths.keys()];
  return (path) => {
    if (isMcpPath(path)) return MCP_HINT;
    if (OAUTH_PATH.test(path)) return OAUTH_HINT;
    for (const segment of path.split("/").reverse()) {
      const word = segment.toLowerCase();
      const name = nearestName(word, names) ?? names.find((each) => each.split("-").includes(word));
      if (name !== undefined) return ` Did you mean ${paths.get(name)}?`;
    }
    return "";
  };
}

/** CORS: any origin, no credentials. A browser may cache the response for a day. */
export function createPreflight(replier: Replier, methods: string): Handler {
  return (request, context) => {
    const headers = replier.headers(request.headers, context, {
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers":
        "Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key, X-Request-Id, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, Traceparent, Tracestate",
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      "Access-Control-Max-Age": "86400",
    });
    return new Response(null, { status: 204, headers });
  };
}
