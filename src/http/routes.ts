import { PEOPLE_BODY_BYTES_MAX } from "#limits.ts";
import { TOOLS } from "#tools/index.ts";
import type { CallTool } from "./call-tool.ts";
import type { House } from "./house.ts";
import { describeApi } from "./openapi.ts";
import type { createOperations } from "./operations.ts";
import { createPageRoutes } from "./pages/page-routes.ts";
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
): Route[] {
  const preflight = createPreflight(replier);
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
    ...createPageRoutes(house, replier).map(({ path, handler }) => get(path, handler)),
    ...peopleRoutes(house),
  ];
}

/** All methods go through: the people's side refuses in its own words, and drains nothing: its bodies are small. */
function peopleRoutes({ people }: House): Route[] {
  if (people === null) return [];
  const pass: Handler = (request, _, connection) => people.fetch(request, connection);
  const methods = Object.fromEntries(
    ["GET", "POST", "PATCH", "DELETE"].map((method) => [method, pass]),
  );
  return [{ path: "/people/*", methods, tool: null, bodyBytesMax: PEOPLE_BODY_BYTES_MAX }];
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
