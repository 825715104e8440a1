import { createApp } from "#http/app.ts";
import { createSite } from "#http/pages/site.ts";
import { openOnce } from "./worker-open-once.ts";
import { openPeopleSide, peerOf } from "./worker-people-house.ts";
import { openOperator } from "./worker-people-operator.ts";
import { type PeopleEnv, readPeopleConfig } from "./worker-people-settings.ts";
import { keepUp } from "./worker-people-upkeep.ts";

/**
 * The second Worker: pages, people, letters, the operator's way in. It is reached through the Worker of the calls alone, so
 * that nobody comes around it; a call never pays for any of this.
 */
export { SignInThrottleObject } from "#stores/durable-object/sign-in.ts";

const OF_OPERATORS = /^\/operator(?:\/|$)/;

const open = openOnce((env: PeopleEnv) => {
  const config = readPeopleConfig(env);
  const side = openPeopleSide(env, config);
  const app = createApp(side.house, createSite(side.site));
  return { side, app, operator: openOperator(side, env, config) };
});

export default {
  async fetch(request: Request, env: PeopleEnv): Promise<Response> {
    const opened = open(env);
    if (opened === null) return notSetUp();
    if (OF_OPERATORS.test(new URL(request.url).pathname)) {
      return opened.operator.fetch(request, peerOf(request));
    }
    await opened.side.pages.load();
    return opened.app.fetch(request);
  },

  async scheduled({ scheduledTime }: { scheduledTime: number }, env: PeopleEnv): Promise<void> {
    const opened = open(env);
    if (opened !== null) await keepUp(opened.side, scheduledTime);
  },
};

function notSetUp(): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  const text =
    "This service is not set up yet: a setting is missing or wrong. Its operator finds which in the log of this Worker (npx wrangler tail -c wrangler.people.jsonc).\n";
  return new Response(text, { status: 503, headers: { ...headers, "Retry-After": "60" } });
}
