import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { SETTINGS } from "#config/settings.ts";
import { readWorkerSettings } from "../../../src/apps/edge/settings.ts";
import { providePlatform } from "./site-in-process.ts";

const GOOD = {
  PUBLIC_URL: "https://edge.test/",
  SECRET: "a secret of good length, an older one too",
};

test("reads the settings of the API Worker among its other bindings", () => {
  const { settings, warnings } = readWorkerSettings({
    ...GOOD,
    LEDGER: {},
    DB: {},
    TOOLBOOTH_KEY: "tb_secret",
    TOOLBOOTH_URL: "https://tools.test",
    RATE_LIMIT: "7",
    TOOLBOOTH_FREE_CALL_CREDITS: "1000000",
  });
  const { publicUrl, rateLimit, secrets } = readConfig({ ...GOOD, RATE_LIMIT: "7" });
  assert.deepEqual(
    [settings.publicUrl, settings.rateLimit, settings.secrets, warnings],
    [publicUrl, rateLimit, secrets, []],
  );
  assert.equal(settings.freeCallCredits, 1_000_000);
  assert.equal(readWorkerSettings(GOOD).settings.rateLimit, 100);
  assert.equal(readWorkerSettings(GOOD).settings.freeCallCredits, 1);
  const { requestLog } = readWorkerSettings({ ...GOOD, TOOLBOOTH_REQUEST_LOG_DAYS: "0" });
  assert.equal(requestLog.keptDays, 0);
  assert.deepEqual(readWorkerSettings(GOOD).requestLog, { keptDays: 7, keptMax: 100_000 });
});

test("reads the name of the service and the prefix of its keys, which errors of calls name", () => {
  const { settings } = readWorkerSettings(GOOD);
  assert.deepEqual([settings.name, settings.keyPrefix], ["Toolbooth", "tb_"]);
  const named = { ...GOOD, TOOLBOOTH_NAME: "Acme Tools", TOOLBOOTH_KEY_PREFIX: "acme_" };
  const own = readWorkerSettings({ ...named, TOOLBOOTH_ACCENT: "#0a5f58" });
  assert.deepEqual([own.settings.name, own.settings.keyPrefix], ["Acme Tools", "acme_"]);
  assert.deepEqual(own.warnings, []);
  assert.throws(
    () => readWorkerSettings({ ...named, TOOLBOOTH_KEY_PREFIX: "Acme" }),
    /TOOLBOOTH_KEY_PREFIX must be 2 to 8 lowercase letters/,
  );
});

test("warns about misspelled settings, and about those that only a server has", () => {
  const { warnings } = readWorkerSettings({
    ...GOOD,
    TOOLBOOTH_RATE_LIMIT: "7",
    DATABASE_URL: "postgres://db/x",
    METRICS_TOKEN: "a token",
    PORT: "",
  });
  assert.deepEqual(warnings, [
    "Unknown setting TOOLBOOTH_RATE_LIMIT",
    "DATABASE_URL has no effect on Cloudflare Workers.",
    "METRICS_TOKEN has no effect on Cloudflare Workers.",
  ]);
});

test("reports all faults at once, with the same messages as on Node and without secret values", () => {
  const env = {
    PUBLIC_URL: "https://me:hunter2@edge.test",
    SECRET: "short",
    RATE_LIMIT: "many",
    TOOLBOOTH_FREE_CALL_CREDITS: "1000001",
    TOOLBOOTH_JURISDICTION: "europe",
    TOOLBOOTH_REQUEST_LOG_DAYS: "-1",
  };
  const faultOf = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.message.split("\n").sort();
    }
    return assert.fail("it was read");
  };
  const faults = faultOf(() => readWorkerSettings(env));
  assert.deepEqual(
    faults,
    faultOf(() => readConfig(env)),
  );
  assert.equal(faults.length, 6);
  assert.doesNotMatch(faults.join("\n"), /hunter2|short/);
});

test("requires https at the edge, except on a local machine", () => {
  const read = (PUBLIC_URL: string) => () => readWorkerSettings({ ...GOOD, PUBLIC_URL });
  assert.throws(read("http://tools.example.com"), /must begin with https/);
  for (const own of ["http://127.0.0.1:8787", "http://localhost:1", "http://[::1]:1"]) {
    assert.doesNotThrow(read(own), own);
  }
});

test("names the required settings that are missing", () => {
  for (const env of [{}, { PUBLIC_URL: "", SECRET: "" }, { SECRET: 5, PUBLIC_URL: null }]) {
    assert.throws(
      () => readWorkerSettings(env),
      (error: Error) => {
        assert.match(error.message, /^PUBLIC_URL must be set/m);
        assert.match(error.message, /^SECRET must be set/m);
        return error instanceof ConfigError;
      },
    );
  }
});

test("both Workers reject a PUBLIC_URL with a path", () => {
  assert.throws(
    () => readWorkerSettings({ ...GOOD, PUBLIC_URL: "https://edge.test/below" }),
    /^Error: On Cloudflare, PUBLIC_URL must not have a path/,
  );
});

test("reports misspelled settings and keeps serving; settings of the other Worker are not reported", () => {
  const shared = SETTINGS.filter(({ isOfServer }) => !isOfServer);
  const all = Object.fromEntries(shared.map(({ name }) => [name, "40"]));
  Object.assign(all, { TOOLBOOTH_JURISDICTION: "eu", TOOLBOOTH_KEY_PREFIX: "acme_" });
  const env = { ...all, ...GOOD, RATE_LIMIT: "7", TOOLBOOTH_REQUEST_LOG_DAY: "40" };
  assert.deepEqual(readWorkerSettings(env).warnings, ["Unknown setting TOOLBOOTH_REQUEST_LOG_DAY"]);
});

test("an API Worker with invalid settings rejects every call with 503, logs them once, and passes pages on", async (t) => {
  providePlatform();
  const { default: worker } = await import("../../../src/apps/edge/api-worker.ts");
  const log: string[] = [];
  t.mock.method(console, "error", (line: string) => void log.push(line));
  const SITE = { fetch: async () => new Response("a page") };
  const env = { PUBLIC_URL: "https://me:hunter2@edge.test", SECRET: "tooshort", SITE, LEDGER: {} };
  const ask = (method: string, path: string, body?: string) =>
    worker.fetch(
      new Request(`https://edge.test${path}`, { method, body: body ?? null }),
      env as never,
    );
  const body = JSON.stringify({ text: "a".repeat(100_000) });
  for (const [method, path] of [
    ["POST", "/api/v1/hash"],
    ["POST", "/api/v1/uuid"],
    // The path is a call in any spelling, and not a page.
    ["POST", "/%61pi/v1/hash?x=%FF"],
    ["GET", "/healthz"],
    ["GET", "/readyz"],
  ] as const) {
    const response = await ask(method, path, method === "POST" ? body : undefined);
    assert.equal(response.status, 503, path);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.ok(Number(response.headers.get("retry-after")) > 0);
    const text = await response.text();
    assert.doesNotMatch(text, /hunter2|tooshort|SECRET|PUBLIC_URL/);
    const { ok, status, code, requestId } = JSON.parse(text);
    assert.deepEqual([ok, status, code], [false, 503, "unavailable"]);
    assert.match(requestId, /^req_\w+$/);
    assert.equal(requestId, response.headers.get("x-request-id"));
  }
  assert.equal(log.length, 1, log.join("\n"));
  assert.match(log[0] ?? "", /Invalid settings.*PUBLIC_URL must be an http or https URL/);
  assert.match(log[0] ?? "", /SECRET must have at least 16 characters/);
  assert.doesNotMatch(log[0] ?? "", /hunter2|tooshort/);
  assert.equal(await (await ask("GET", "/docs")).text(), "a page");
});
