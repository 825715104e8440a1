import assert from "node:assert/strict";
import { test } from "node:test";
import type { Replier } from "#api/pipeline/reply.ts";
import { createRoutes, type Route } from "#api/routes.ts";
import { createSite } from "#site/site.ts";
import { TOOLS } from "#tools/registry.ts";
import { FULL } from "./pages-server.ts";

/** A second route of one path would never be reached, and nothing would say so. */
const { table: _, people, ...options } = { table: null, ...FULL };
assert.ok(people, "the pages of this test have accounts");

/** Routes are only listed here; nothing is called. */
const replier = {} as Replier;
const unused = () => assert.fail("no request is made");

const routes: Route[] = [
  ...createRoutes(TOOLS, replier, unused, { healthz: unused, readyz: unused, metrics: unused }),
  ...createSite({
    settings: { ...options, table: FULL.settings ?? [] },
    people: { offer: people, fetch: unused },
    pages: {
      serveAsset: unused,
      assetsFor: async () => null,
      frontScript: () => null,
    },
  })(replier).routes,
];

test("each path and method of the server has one route", () => {
  const keys = routes.flatMap(({ path, methods }) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  assert.ok(keys.includes("POST /api/v1/hash") && keys.includes("GET /sign-in"), keys.join("\n"));
  assert.deepEqual(duplicates(keys), []);
});

const duplicates = (keys: readonly string[]): string[] =>
  keys.filter((key, index) => keys.indexOf(key) !== index);
