import { TOOLS } from "#tools/index.ts";
import type { CallTool } from "./call-tool.ts";
import type { House } from "./house.ts";
import { describeApi } from "./openapi.ts";
import type { createOperations } from "./operations.ts";
import type { Pages } from "./pages/pages.ts";
import { EXPOSED_HEADERS, type Replier, type Trace } from "./reply.ts";

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
  trace: Trace,
  connection: unknown,
) => Response | Promise<Response>;

export function createRoutes(
  house: House,
  replier: Replier,
  callTool: CallTool,
  operations: ReturnType<typeof createOperations>,
  pages: Pages,
): Route[] {
  const preflight = createPreflight(replier);
  const page =
    (html: string): Handler =>
    ({ headers }, trace) =>
      replier.plain("text/html; charset=utf-8", html, headers, trace, { headers: pages.headers });
  const description = JSON.stringify(describeApi(house.settings), null, 2);

  const get = (path: string, handler: Handler): Route => ({
    path,
    methods: { GET: handler },
    tool: null,
    bodyBytesMax: 0,
  });

  return [
    ...TOOLS.map((tool) => ({
      path: `/api/v1/${tool.name}`,
      methods: {
        POST: (request: Request, trace: Trace) => callTool(tool, request, trace),
        OPTIONS: preflight,
      },
      tool: tool.name,
      bodyBytesMax: tool.bodyBytesMax,
    })),
    get("/healthz", operations.healthz),
    get("/readyz", operations.readyz),
    get("/metrics", operations.metrics),
    get("/openapi.json", ({ headers }, trace) =>
      replier.plain("application/json", description, headers, trace),
    ),
    get("/docs", page(pages.docs)),
    get("/docs/errors", page(pages.errors)),
    get("/", page(pages.front)),
  ];
}

/** CORS: any origin, no credentials; a browser may keep the answer for a day. */
function createPreflight(replier: Replier): Handler {
  return (_, trace) =>
    replier.empty(trace, {
      Allow: "POST, OPTIONS",
      "Access-Control-Allow-Methods": "POST, OPTIONS",
      "Access-Control-Allow-Headers":
        "Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key, X-Request-Id",
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      "Access-Control-Max-Age": "86400",
    });
}
