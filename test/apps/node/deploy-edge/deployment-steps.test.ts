import assert from "node:assert/strict";
import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Arguments } from "../../../../src/apps/node/deploy-edge/arguments.ts";
import { planDeployment } from "../../../../src/apps/node/deploy-edge/deployment-plan.ts";
import {
  type Deployment,
  listSteps,
} from "../../../../src/apps/node/deploy-edge/deployment-steps.ts";
import {
  beginReplacement,
  resumeReplacement,
} from "../../../../src/apps/node/deploy-edge/secret-replacement.ts";
import { configFilesOf } from "../../../../src/apps/node/deploy-edge/worker-configs.ts";
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
      configFiles: configFilesOf("edge.json"),
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

test("a replacement of SECRET that fails between the Workers continues without the option", async (t) => {
  const settingsFile = path.join(temporaryFolder(t), "data", "edge.json");
  const given = { settingsFile, replaceSecret: false } as Arguments;
  assert.deepEqual(resumeReplacement(given), { args: given, isResumed: false });
  beginReplacement(settingsFile);

  const uploads: string[] = [];
  const stepsUntil = async (failing: string | null) => {
    const { args, isResumed } = resumeReplacement(given);
    assert.ok(isResumed);
    const worker = { settings: new Set(["SECRET"]), variables: [], isAlone: false };
    const { keepsSecret, replacesSecret } = planDeployment(
      args,
      {
        ...{ accountId: "a", subdomain: "acme", databaseId: "id", domains: [] },
        ...{ api: worker, site: worker },
      },
      { api: "toolbooth", site: "toolbooth-site" },
      { SECRET: "new,old" },
    );
    const steps = listSteps({
      args,
      configFiles: configFilesOf(settingsFile),
      names: { api: "toolbooth", site: "toolbooth-site", database: "toolbooth" },
      deployed: { accountId: "a", databaseId: "id", api: worker, site: worker, domains: [] },
      plan: {
        ...{ settings: { SECRET: "new,old" }, domains: [], publicUrl: "https://a.example" },
        ...{ keepsSecret, replacesSecret },
      },
      wrangler: async (_: unknown, secrets: { SECRET?: string }) => {
        uploads.push(String(secrets.SECRET));
      },
    } as unknown as Deployment);
    for (const { title, run } of steps.filter((each) => /^Deploy the/.test(each.title))) {
      if (failing !== null && title.startsWith(failing)) return;
      await run();
    }
  };
  await stepsUntil("Deploy the API Worker");
  assert.deepEqual(uploads, ["new,old"]);
  await stepsUntil(null);
  assert.deepEqual(uploads, ["new,old", "new,old", "new,old"]);
  assert.deepEqual(resumeReplacement(given), { args: given, isResumed: false });
  assert.ok(!existsSync(`${settingsFile}.replacing-secret`));
});
