import type { Tool } from "#tools/define-tool.ts";
import { nearestName } from "#tools/nearest-name.ts";
import type { AppContext } from "./app-context.ts";
import type { createMonitoringEndpoints } from "./health.ts";
import type { Authenticator } from "./pipeline/authenticate.ts";
import type { CallTool } from "./pipeline/call-tool.ts";
import { asWebResponse } from "./pipeline/exchange.ts";
import type { OpenGate } from "./pipeline/gate.ts";
import type { MemoryBudget } from "./pipeline/memory-budget.ts";
import { EXPOSED_HEADERS, type Replier } from "./pipeline/reply.ts";
import type { RequestContext } from "./pipeline/request-context.ts";

/** A path with its handlers by method. Any other method on the path is 405. */
export type Route = {
  path: string;
  methods: Record<string, Handler>;
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
  replier: Replier;
  /** The keys that this node knows, and what it asks the ledger about them, for a route whose requests have a key. */
  keys: Authenticator;
  openGate: OpenGate;
  /** The memory of large calls, for a route whose bodies become calls. */
  budget: MemoryBudget;
  /** The whole app, for a route that makes calls. */
  fetch(request: Request, connection: unknown): Response | Promise<Response>;
};

export type ApiHandlers = {
  callTool: CallTool;
  readAccount: Handler;
  monitoring: ReturnType<typeof createMonitoringEndpoints>;
};

/** The routes of the API and of the operator's monitoring. */
export function createRoutes(
  tools: readonly Tool[],
  replier: Replier,
  { callTool, readAccount, monitoring }: ApiHandlers,
): Route[] {
  const preflight = createPreflight(replier, "POST, OPTIONS");
  return [
    ...tools.map((tool) => ({
      path: pathOf(tool),
      methods: {
        POST: async (request: Request, context: RequestContext, connection: unknown) =>
          asWebResponse(await callTool(tool, request, context, connection)),
        OPTIONS: preflight,
      },
      tool: tool.name,
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

export const pathOf = (tool: Pick<Tool, "name">): string => `/api/v1/${tool.name}`;

export const get = (path: string, handler: Handler): Route => ({
  path,
  methods: { GET: handler },
  tool: null,
  bodyBytesMax: 0,
});

/**
 * Suggests the route that a path without one most likely means: by its last segment that resembles the name of a route,
 * or is one word of it, as in `/api/v1/qr`. Returns a sentence after a space, or nothing.
 */
export function createPathSuggestion(routes: readonly Route[]): (path: string) => string {
  const paths = new Map(routes.map(({ path }) => [path.slice(path.lastIndexOf("/") + 1), path]));
  const names = [...paths.keys()];
  return (path) => {
    for (const segment of path.split("/").reverse()) {
      const word = segment.toLowerCase();
      const name = nearestName(word, names) ?? names.find((each) => each.split("-").includes(word));
      if (name !== undefined) return ` Did you mean ${paths.get(name)}?`;
    }
    return "";
  };
}

/** CORS: any origin, no credentials. A browser may cache the response for a day. */
function createPreflight(replier: Replier, methods: string): Handler {
  return (request, context) => {
    const headers = replier.headers(request.headers, context, {
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers":
        "Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key, X-Request-Id, Traceparent, Tracestate",
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      "Access-Control-Max-Age": "86400",
    });
    return new Response(null, { status: 204, headers });
  };
}
