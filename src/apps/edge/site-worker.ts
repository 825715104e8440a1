import { openOnce } from "./open-once.ts";
import { openSite } from "./site.ts";
import { readSiteConfig, type SiteEnv } from "./site-settings.ts";

/**
 * The site Worker: pages, dashboard, emails and operator API. It has no route of its own; only the API Worker can reach it, and
 * calls never pay for its size.
 */
export { SignInThrottleObject } from "#stores/durable-object/sign-in.ts";

const open = openOnce((env: SiteEnv) => openSite(env, readSiteConfig(env)));

export default {
  async fetch(request: Request, env: SiteEnv): Promise<Response> {
    const opened = open(env);
    if (opened === null) return notSetUp();
    await opened.pages.load();
    // The request tells the handlers the client's address.
    return opened.service.fetch(request, request);
  },

  async scheduled({ scheduledTime }: { scheduledTime: number }, env: SiteEnv): Promise<void> {
    await open(env)?.service.scheduled(scheduledTime);
  },
};

function notSetUp(): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  const text =
    "This service is not set up yet: a setting is missing or invalid. Operators find the details in the log of this Worker (npx wrangler tail -c wrangler.site.jsonc).\n";
  return new Response(text, { status: 503, headers: { ...headers, "Retry-After": "60" } });
}
