import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { createMcpRoute } from "#api/mcp/mcp-route.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { describeOperations, OPERATIONS_PATH } from "#api/openapi/operations.ts";
import { type CreateSite, get, type Handler, type Route } from "#api/routes.ts";
import { DASHBOARD_BODY_BYTES_MAX, STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import { createPageReplier } from "./page-replies.ts";
import { createNotFoundPage, createPageRoutes } from "./page-routes.ts";
import type { SiteContext } from "./site-context.ts";
import { toYaml } from "./yaml.ts";

/** Everything that the service serves besides calls over HTTP. */
export const createSite =
  (site: SiteContext): CreateSite =>
  (parts) => {
    const replier = createPageReplier(parts.replier, parts.app);
    const sales = site.dashboard?.offer.prices ?? NOT_SOLD;
    const settings = { ...site.settings, sales };
    // By the first request for each: describing the API takes as long as all else that a start does here.
    const description = once(() => describeApi(settings));
    const json = once(() => JSON.stringify(description(), null, 2));
    const yaml = once(() => toYaml(description()));
    const operations = once(() => JSON.stringify(describeOperations(settings), null, 2));
    const pages = [
      get("/openapi.json", (request, context) =>
        replier.page("application/json", json(), request, context),
      ),
      get("/openapi.yaml", (request, context) =>
        replier.page("application/yaml", yaml(), request, context),
      ),
      get(OPERATIONS_PATH, (request, context) =>
        replier.page("application/json", operations(), request, context),
      ),
      ...createPageRoutes({ ...site, settings }, replier).map(({ path, handler }) =>
        get(path, handler),
      ),
    ];
    const mcp = createMcpRoute({ ...parts, version: site.settings.version });
    return {
      routes: [...pages, ...dashboardRoutes(site), mcp],
      notFound: createNotFoundPage({ ...site, settings }, replier, pages),
    };
  };

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const NOT_SOLD = { payable: false, contact: null };

/** All methods pass: the dashboard app has its own errors, and its bodies are small enough not to need draining. */
function dashboardRoutes({ dashboard }: SiteContext): Route[] {
  if (dashboard === null) return [];
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
  if (!dashboard.offer.prices?.payable) return [pages];
  const messages = {
    path: STRIPE_MESSAGE_PATH,
    methods: { POST: pass },
    tool: null,
    bodyBytesMax: STRIPE_MESSAGE_BYTES_MAX,
  };
  return [pages, messages];
}
