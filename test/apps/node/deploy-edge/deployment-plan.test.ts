import assert from "node:assert/strict";
import { test } from "node:test";
import { type Arguments, readArguments } from "#apps/node/deploy-edge/arguments.ts";
import type { DeployedState } from "#apps/node/deploy-edge/deployed-state.ts";
import { planDeployment } from "#apps/node/deploy-edge/deployment-plan.ts";
import type { Settings } from "#apps/node/deploy-edge/settings-file.ts";

const names = { api: "toolbooth", site: "toolbooth-site" };
const NOTHING: DeployedState = {
  accountId: "a",
  subdomain: "acme",
  databaseId: null,
  api: null,
  site: null,
  domains: [],
};
const worker = (...settings: string[]) => ({
  settings: new Set(settings),
  variables: [],
  isAlone: false,
});
const plan = (
  typed: string[],
  deployed: Partial<DeployedState> = {},
  file: Settings | null = null,
) =>
  planDeployment(
    readArguments(typed, {}, "/c") as Arguments,
    { ...NOTHING, ...deployed },
    names,
    file,
  );

test("without a domain the service is at workers.dev", () => {
  const { publicUrl, domains, additions } = plan([]);
  assert.equal(publicUrl, "https://toolbooth.acme.workers.dev");
  assert.deepEqual(domains, []);
  assert.deepEqual(Object.keys(additions), [
    "PUBLIC_URL",
    "SECRET",
    "TOOLBOOTH_OPERATOR_TOKEN",
    "MAIL_API_TOKEN",
    "MAIL_FROM",
  ]);
  assert.throws(() => plan([], { subdomain: null }), /no subdomain of workers\.dev yet/);
});

test("an update keeps the domain of the file, and other domains of the Worker", () => {
  const file = { PUBLIC_URL: "https://a.example" };
  assert.deepEqual(plan([], { domains: ["b.example", "a.example"] }, file).domains, [
    "a.example",
    "b.example",
  ]);
  const moved = plan(["--domain", "c.example"], { domains: ["a.example"] }, file);
  assert.equal(moved.additions["PUBLIC_URL"], "https://c.example");
  assert.match(moved.messages.join(), /keeps its other domains: a\.example/);
  assert.throws(() => plan([], {}, { PUBLIC_URL: "http://a.example" }), /not an https address/);
});

test("a deployment with a domain is not moved to workers.dev because the file is missing", () => {
  assert.throws(
    () => plan([], { domains: ["a.example"] }),
    /has the domain a\.example, and no domain was given/,
  );
});

test("a deployed SECRET and token are neither replaced nor made again", () => {
  const deployed = {
    api: worker("SECRET"),
    site: worker("SECRET", "TOOLBOOTH_OPERATOR_TOKEN", "MAIL_API_TOKEN", "MAIL_FROM"),
  };
  const without = plan([], deployed);
  assert.deepEqual(Object.keys(without.additions), ["PUBLIC_URL"]);
  assert.ok(without.keepsSecret);
  assert.match(without.messages.join(), /deployed but not in the file/);
  assert.ok(plan([], deployed, { SECRET: "x" }).keepsSecret);
  const replaced = plan(["--replace-secret"], deployed, { SECRET: "x" });
  assert.ok(!replaced.keepsSecret && replaced.replacesSecret);
  assert.match(replaced.messages.join(), /another SECRET than the one in the file stop working/);
  const list = plan(["--replace-secret"], deployed, { SECRET: "x,y" });
  assert.match(list.messages.join(), /deploy the list with the old secret first/);
  assert.throws(() => plan(["--replace-secret"], deployed), /has no SECRET to replace/);
  assert.ok(!plan(["--replace-secret"], {}, { SECRET: "x" }).replacesSecret);
});

test("a jurisdiction that comes or goes after the database was created is noted", () => {
  const note = /The database exists already; its jurisdiction cannot be changed\./;
  const messages = (settings: string[], wanted: string | null, databaseId: string | null) => {
    const deployed = { databaseId, api: worker("SECRET", ...settings), site: worker("SECRET") };
    return plan([], deployed, { TOOLBOOTH_JURISDICTION: wanted }).messages.join();
  };
  assert.match(messages([], "eu", "id"), note);
  assert.match(messages(["TOOLBOOTH_JURISDICTION"], null, "id"), note);
  assert.doesNotMatch(messages(["TOOLBOOTH_JURISDICTION"], "eu", "id"), note);
  assert.doesNotMatch(messages([], "eu", null), note);
  assert.doesNotMatch(messages([], null, "id"), note);
});

test("a location of the database and a jurisdiction exclude each other", () => {
  assert.throws(
    () => plan(["--location", "weur"], {}, { TOOLBOOTH_JURISDICTION: "eu" }),
    /--location cannot be used with TOOLBOOTH_JURISDICTION/,
  );
});

test("Workers that would get different secrets are refused", () => {
  assert.throws(
    () => plan([], { api: worker("SECRET"), site: worker() }),
    /toolbooth has a SECRET, the other one has none, and .*edge\.json has none/,
  );
});
