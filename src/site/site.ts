import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { createMcpRoute } from "#api/mcp/mcp-route.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { type CreateSite, get, type Handler, type Route } from "#api/routes.ts";
import { DASHBOARD_BODY_BYTES_MAX, STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import { createPageReplier } from "./page-replies.ts";
import { createNotFoundPage, createPageRoutes, keepPages } from "./page-routes.ts";
import type { SiteContext } from "./site-context.ts";

/** Everything that the service serves besides calls over HTTP. */
export const createSite =
  (site: SiteContext): CreateSite =>
  (parts) => {
    const replier = createPageReplier(parts.deps.replier, parts.app);
    const sales = site.dashboard.offer.prices;
    const settings = { ...site.settings, sales };
    const made = keepPages({ ...site, settings });
    // Made by the first request for it: describing the API takes as long as everything else that a start does here.
    let description: string | undefined;
    const pages = [
      get("/openapi.json", (request, context) => {
        description ??= JSON.stringify(describeApi(settings), null, 2);
        return replier.page("application/json", description, request, context);
      }),
      ...createPageRoutes({ ...site, settings }, made, replier).map(({ path, handler }) =>
        get(path, handler),
      ),
    ];
    const mcp = createMcpRoute({ ...parts, version: site.settings.version });
    return {
      routes: [...pages, ...dashboardRoutes(site), mcp],
      notFound: createNotFoundPage(made, replier, pages),
    };
  };

/** All methods pass: the dashboard app has its own errors, and its bodies are small enough not to need draining. */
function dashboardRoutes({ dashboard }: SiteContext): Route[] {
  const pass: Handler = (request, _, connection) => dashboard.fetch(request, connection);
  const methods = Object.fromEntries(
    ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, pass]),
  );
  const pages = {
    path: "/dashboard/*",
    methods,
    tool: null,
    bodyBytesMax: DASHBOARD_BODY_BYTES_MAX,
  };
  if (!dashboard.offer.prices.payable) return [pages];
  const messages = {
    path: STRIPE_MESSAGE_PATH,
    methods: { POST: pass },
    tool: null,
    bodyBytesMax: STRIPE_MESSAGE_BYTES_MAX,
  };
  return [pages, messages];
}
