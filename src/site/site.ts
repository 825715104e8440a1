import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { createMcpRoute } from "#api/mcp/mcp-route.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { type CreateSite, get, type Handler, type Route } from "#api/routes.ts";
import { DASHBOARD_BODY_BYTES_MAX, STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import { createNotFoundPage, createPageRoutes } from "./page-routes.ts";
import type { SiteContext } from "./site-context.ts";

/** Everything that the service serves besides calls over HTTP. */
export const createSite =
  (site: SiteContext): CreateSite =>
  (parts) => {
    const { replier } = parts;
    const description = JSON.stringify(describeApi(site.settings), null, 2);
    return {
      routes: [
        get("/openapi.json", ({ headers }, context) =>
          replier.plain("application/json", description, headers, context),
        ),
        ...createPageRoutes(site, replier).map(({ path, handler }) => get(path, handler)),
        ...dashboardRoutes(site),
        createMcpRoute({ ...parts, version: site.settings.version }),
      ],
      notFound: createNotFoundPage(site, replier),
    };
  };

/** All methods pass: the dashboard app has its own errors, and its bodies are small enough not to need draining. */
function dashboardRoutes({ people }: SiteContext): Route[] {
  if (people === null) return [];
  const pass: Handler = (request, _, connection) => people.fetch(request, connection);
  const methods = Object.fromEntries(
    ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, pass]),
  );
  const pages = {
    path: "/dashboard/*",
    methods,
    tool: null,
    bodyBytesMax: DASHBOARD_BODY_BYTES_MAX,
  };
  if (!people.offer.prices?.payable) return [pages];
  const messages = {
    path: STRIPE_MESSAGE_PATH,
    methods: { POST: pass },
    tool: null,
    bodyBytesMax: STRIPE_MESSAGE_BYTES_MAX,
  };
  return [pages, messages];
}
