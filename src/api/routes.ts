import type { Tool } from "#tools/define-tool.ts";
import type { AppContext } from "./app-context.ts";
import type { createOperations } from "./health.ts";
import type { CallTool } from "./pipeline/call-tool.ts";
import { EXPOSED_HEADERS, type Replier, type RequestContext } from "./pipeline/reply.ts";

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
 * that calls do not pay for loading them.
 */
export type Site = { routes: Route[]; notFound: Handler };
export type CreateSite = (parts: SiteParts) => Site;
export type SiteParts = {
  app: AppContext;
  replier: Replier;
  /** The whole app, for a route that makes calls. */
  fetch(request: Request, connection: unknown): Response | Promise<Response>;
};

/** The routes of the API and of the operator's monitoring. */
export function createRoutes(
  tools: readonly Tool[],
  replier: Replier,
  callTool: CallTool,
  operations: ReturnType<typeof createOperations>,
): Route[] {
  const preflight = createPreflight(replier);
  return [
    ...tools.map((tool) => ({
      path: `/api/v1/${tool.name}`,
      methods: {
        POST: (request: Request, context: RequestContext) => callTool(tool, request, context),
        OPTIONS: preflight,
      },
      tool: tool.name,
      bodyBytesMax: tool.bodyBytesMax,
    })),
    get("/healthz", operations.healthz),
    get("/readyz", operations.readyz),
    get("/metrics", operations.metrics),
  ];
}

export const get = (path: string, handler: Handler): Route => ({
  path,
  methods: { GET: handler },
  tool: null,
  bodyBytesMax: 0,
});

/** CORS: any origin, no credentials. A browser may cache the response for a day. */
function createPreflight(replier: Replier): Handler {
  return (_, context) =>
    replier.empty(context, {
      Allow: "POST, OPTIONS",
      "Access-Control-Allow-Methods": "POST, OPTIONS",
      "Access-Control-Allow-Headers":
        "Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key, X-Request-Id",
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      "Access-Control-Max-Age": "86400",
    });
}
