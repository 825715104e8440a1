import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { DASHBOARD_ROUTES } from "#api/dashboard/dashboard-app.ts";
import { createRoutes } from "#api/routes.ts";
import { pathOf } from "#api/tool-calls.ts";
import { TOOLBOOTH } from "#brand.ts";
import type { AppContext } from "#calls/app-context.ts";
import type { CallDeps } from "#calls/call.ts";
import { listAppPages } from "#site/app-pages.ts";
import { createSite } from "#site/site.ts";
import { TOOLS } from "#tools/registry.ts";
import { FULL } from "../site/pages-server.ts";

/** Every route is declared once: of two with one path, only the first would ever be reached. */
function assertUnique(paths: readonly string[]): void {
  assert.deepEqual(
    paths.filter((each, at) => paths.indexOf(each) !== at),
    [],
  );
  assert.ok(paths.length > 5);
}

test("the server declares each of its routes once", () => {
  const unused = undefined as never;
  const { dashboard, settings: table, assets: _, docs, ...settings } = FULL;
  const site = createSite({
    settings: { ...settings, ...(table ? { table } : {}) },
    docs: () => docs ?? null,
    dashboard: { offer: dashboard, fetch: () => assert.fail("no request is sent") },
    pages: {
      serveAsset: () => assert.fail("no request is sent"),
      assetsFor: async () => null,
      frontAssets: () => null,
    },
  });
  const monitoring = { healthz: unused, readyz: unused, metrics: unused };
  const handlers = { readAccount: unused, monitoring };
  const app = { tools: TOOLS, settings: { ...TOOLBOOTH, publicUrl: FULL.publicUrl } } as AppContext;
  const deps = { replier: { plain() {} } } as unknown as CallDeps;
  const { routes: ofSite } = site({ app, deps, calls: unused });
  const calls = {
    deps,
    tools: TOOLS.map((tool) => ({ ...tool, path: pathOf(tool), call: unused, quote: unused })),
  };
  const routes = [...createRoutes(calls, handlers), ...ofSite];
  assertUnique(routes.map((route) => route.path));
});

test("the pages that React draws are declared once on the server, and once in the browser", () => {
  const drawn = listAppPages(TOOLS).map((page) => page.path);
  assertUnique(drawn);
  const router = readFileSync(path.join(import.meta.dirname, "../../web/router.tsx"), "utf8");
  const declared = [...router.matchAll(/[sS]creen\(\s*"([^"]+)"/g)].map(
    ([, found]) => found as string,
  );
  assertUnique(declared);
  const isTool = (name: string) => TOOLS.some((tool) => name === `/tools/${tool.name}`);
  for (const page of drawn.filter((name) => !isTool(name))) {
    assert.ok(declared.includes(page), `web/router.tsx does not have ${page}`);
  }
});

test("the dashboard API declares each of its routes once", () => {
  // An object has each key once; two patterns must not differ in the names of their parameters alone.
  const paths = Object.keys(DASHBOARD_ROUTES);
  assertUnique(paths.map((each) => each.replaceAll(/:\w+/g, ":")));
});
