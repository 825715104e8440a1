import { createApp } from "#api/app.ts";
import { createSite } from "#site/site.ts";
import { clientAddressOf } from "./app-context.ts";
import { openDashboardSide } from "./dashboard-deps.ts";
import { openOnce } from "./open-once.ts";
import { openOperator } from "./site-operator.ts";
import { readDashboardConfig, type SiteEnv } from "./site-settings.ts";
import { keepUp } from "./site-upkeep.ts";

/**
 * The site Worker: pages, dashboard, emails and operator API. It has no route of its own; only the API Worker can reach it, and
 * calls never pay for its size.
 */
export { SignInThrottleObject } from "#stores/durable-object/sign-in.ts";

const OF_OPERATORS = /^\/operator(?:\/|$)/;

const open = openOnce((env: SiteEnv) => {
  const config = readDashboardConfig(env);
  const side = openDashboardSide(env, config);
  const app = createApp(side.deps, createSite(side.site));
  return { side, app, operator: openOperator(side, env, config) };
});

export default {
  async fetch(request: Request, env: SiteEnv): Promise<Response> {
    const opened = open(env);
    if (opened === null) return notSetUp();
    if (OF_OPERATORS.test(new URL(request.url).pathname)) {
      return opened.operator.fetch(request, clientAddressOf(request));
    }
    await opened.side.pages.load();
    return opened.app.fetch(request, request);
  },

  async scheduled({ scheduledTime }: { scheduledTime: number }, env: SiteEnv): Promise<void> {
    const opened = open(env);
    if (opened !== null) await keepUp(opened.side, scheduledTime);
  },
};

function notSetUp(): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  const text =
    "This service is not set up yet: a setting is missing or invalid. Operators find the details in the log of this Worker (npx wrangler tail -c wrangler.site.jsonc).\n";
  return new Response(text, { status: 503, headers: { ...headers, "Retry-After": "60" } });
}
