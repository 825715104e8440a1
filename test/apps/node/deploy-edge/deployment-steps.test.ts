import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  type Deployment,
  listSteps,
} from "../../../../src/apps/node/deploy-edge/deployment-steps.ts";
import { temporaryFolder } from "../../../http/server-process.ts";

/** What a step sends that the runtime of the other tests cannot show. */
const CHECKOUT = path.join(import.meta.dirname, "../../../..");

test("the database is created in the jurisdiction of the settings, which cannot be changed later", async (t) => {
  const checkout = temporaryFolder(t);
  for (const file of ["wrangler.jsonc", "wrangler.site.jsonc"])
    copyFileSync(path.join(CHECKOUT, file), path.join(checkout, file));
  const createdWith = async (settings: Record<string, string>) => {
    const sent: unknown[] = [];
    const steps = listSteps({
      args: { location: null },
      checkout,
      names: { api: "toolbooth", site: "toolbooth-site", database: "toolbooth" },
      deployed: { accountId: "a", databaseId: null, api: null, site: null, domains: [] },
      plan: { settings, domains: [], publicUrl: "https://a.example", keepsSecret: false },
      api: {
        send: async (url: string, body: unknown) => {
          sent.push([url, body]);
          return { uuid: "id" };
        },
      },
    } as unknown as Deployment);
    const step = steps.find(({ title }) => title.startsWith("Create the D1 database"));
    assert.equal(await step?.run(), "created with id id");
    return sent;
  };
  const url = "/accounts/a/d1/database";
  assert.deepEqual(await createdWith({ TOOLBOOTH_JURISDICTION: "eu" }), [
    [url, { name: "toolbooth", jurisdiction: "eu" }],
  ]);
  assert.deepEqual(await createdWith({}), [[url, { name: "toolbooth" }]]);
});
