import type { Tool } from "#tools/define-tool.ts";
import type { createOperations } from "./health.ts";
import type { CallTool } from "./pipeline/call-tool.ts";
import { EXPOSED_HEADERS, type Replier, type RequestContext } from "./pipeline/reply.ts";

/** The whole API on one screen. Every route answers its methods; any other method is 405. */
export type Route = {
  path: string;
  methods: Record<string, Handler>;
  tool: string | null;
  /** How much of a refused body is read and dropped. */
  bodyBytesMax: number;
};

export type Handler = (
  request: Request,
  context: RequestContext,
  connection: unknown,
) => Response | Promise<Response>;

/**
 * What a service has besides the calls: description, pages, the people's side. A door whose calls must not pay for
 * them (at the edge) has it elsewhere.
 */
export type Site = { routes: Route[]; notFound: Handler };
export type CreateSite = (replier: Replier) => Site;

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

/** CORS: any origin, no credentials; a browser may keep the answer for a day. */
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
