import type { RequestContext } from "./request-context.ts";

export type DashboardHandler = (context: RequestContext) => Promise<Response>;

export type DashboardMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Handlers by path (as Hono writes it) and method. Any other method on one of these paths is 405. */
export type DashboardRoutes = Readonly<
  Record<string, Partial<Record<DashboardMethod, DashboardHandler>>>
>;
