/** MCP as the site Worker serves it, without pages and dashboard, and a route that gives tests access to an account's object. */
import { createApp } from "#api/app.ts";
import { createToolCalls } from "#api/tool-calls.ts";
import { createSite } from "#site/site.ts";
import { apiOptionsOf } from "#site/site-context.ts";
import { TOOLS } from "#tools/registry.ts";
import { openOnce } from "../../../src/apps/edge/open-once.ts";
import { createEdgeAppContext, type WorkerEnv } from "../../../src/apps/edge/platform.ts";
import { BARE_SITE } from "../../http/bare-site.ts";
import access from "./worker-with-test-access.ts";

export { AccountLedger } from "../../../src/apps/edge/api-worker.ts";

type Env = WorkerEnv & Parameters<typeof access.fetch>[1];

const open = openOnce((env: WorkerEnv) => {
  const context = createEdgeAppContext(env, TOOLS);
  const settings = apiOptionsOf(context, "");
  return createApp(createToolCalls(context), createSite({ settings, ...BARE_SITE }));
});

export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    const app = open(env);
    if (app === null || new URL(request.url).pathname !== "/mcp") return access.fetch(request, env);
    return app.fetch(request, request);
  },
};
