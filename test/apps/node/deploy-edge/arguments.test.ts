import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { readAccess, readArguments } from "#apps/node/deploy-edge/arguments.ts";
import { DeployUsageError } from "#apps/node/deploy-edge/deploy-error.ts";

const read = (...typed: string[]) => readArguments(typed, {}, "/checkout");

test("options have defaults, and the settings are in DATA_DIR", () => {
  assert.deepEqual(read(), {
    domain: null,
    account: null,
    settingsFile: "/checkout/data/edge.json",
    location: null,
    replaceSecret: false,
    waitMs: 300_000,
    connectTo: null,
    dryRun: false,
    verbose: false,
  });
  assert.equal(readArguments([], { DATA_DIR: "/d" }, "/c")?.settingsFile, "/d/edge.json");
  assert.equal(read("--settings", "a.json")?.settingsFile, path.resolve("a.json"));
  assert.equal(read("--help"), null);
});

test("domains, accounts, times and addresses are read", () => {
  const given = read(
    ...["--domain", "Tools.Example.COM.", "--account", " Ada@Example.com", "--wait", "5"],
    ...["--connect-to", "[::1]:8443", "--location", "weur"],
  );
  assert.equal(given?.domain, "tools.example.com");
  assert.equal(given?.account, "ada@example.com");
  assert.equal(given?.waitMs, 5_000);
  assert.deepEqual(given?.connectTo, { host: "::1", port: 8443 });
  assert.equal(given?.location, "weur");
});

test("wrong options are usage errors", () => {
  for (const typed of [
    ["--domain", "https://tools.example.com"],
    ["--domain", "tools.example.com/path"],
    ["--domain", "localhost"],
    ["--domain", "127.0.0.1"],
    ["--domain", "-a.example.com"],
    ["--domain", `${"a".repeat(64)}.example.com`],
    ["--domain", ""],
    ["--domain", "toolbooth.acme.workers.dev"],
    ["--account", "ada"],
    ["--wait", "0"],
    ["--wait", ""],
    ["--wait", "1.5"],
    ["--connect-to", "127.0.0.1"],
    ["--connect-to", "127.0.0.1:0"],
    ["--connect-to", "127.0.0.1:65536"],
    ["--location", "mars"],
    ["--unknown"],
    ["tools.example.com"],
  ]) {
    assert.throws(() => read(...typed), DeployUsageError, typed.join(" "));
  }
});

test("the token is required; the account and the API's address are optional", () => {
  assert.throws(() => readAccess({}), /CLOUDFLARE_API_TOKEN is not set/);
  assert.throws(() => readAccess({ CLOUDFLARE_API_TOKEN: " " }), DeployUsageError);
  assert.deepEqual(readAccess({ CLOUDFLARE_API_TOKEN: " t\n", CLOUDFLARE_ACCOUNT_ID: "" }), {
    token: "t",
    accountId: null,
    apiUrl: "https://api.cloudflare.com/client/v4",
  });
});
