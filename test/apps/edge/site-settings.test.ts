import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ConfigError } from "#config/read-settings.ts";
import { readSiteConfig, type SiteEnv } from "../../../src/apps/edge/site-settings.ts";
import { delayRoundTrips } from "./round-trips.ts";
import { BASE, openSiteInProcess } from "./site-in-process.ts";

/** The site Worker with missing or invalid settings, in this process. */

const GOOD = {
  LEDGER: {},
  DB: {},
  SIGN_IN: {},
  ASSETS: {},
  SECRET: "the secret of a service in a test",
  PUBLIC_URL: "https://tools.example",
  MAIL_API_TOKEN: "re_token",
  MAIL_FROM: "post@tools.example",
};

function faultsOf(changes: object): string[] {
  try {
    readSiteConfig({ ...GOOD, ...changes } as unknown as SiteEnv);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split("\n");
  }
}

test("reports everything that is missing or wrong at once, with what to do", () => {
  assert.deepEqual(faultsOf({}), []);
  for (const [changes, ...faults] of [
    [{ SECRET: undefined }, /^SECRET must be set. Run `npx wrangler secret put SECRET/],
    [{ SECRET: "short" }, /^SECRET must have at least 16/],
    [{ PUBLIC_URL: undefined }, /^PUBLIC_URL must be set/],
    [
      { PUBLIC_URL: "https://tools.example/path" },
      /^On Cloudflare, PUBLIC_URL must not have a path/,
    ],
    [{ MAIL_API_TOKEN: undefined }, /^MAIL_API_TOKEN and MAIL_FROM must be set/],
    [{ MAIL_FROM: undefined }, /^MAIL_FROM is required with MAIL_API_TOKEN/],
    [
      { MAIL_API_TOKEN: "", SMTP_URL: "smtp://mx.example" },
      /^SMTP_URL does not work on Cloudflare Workers/,
    ],
    [{ TOOLBOOTH_LOGO: "./logo.svg" }, /^On Cloudflare, TOOLBOOTH_LOGO must hold the SVG/],
    [
      { TOOLBOOTH_SIGNUP: "open", PUBLIC_URL: "" },
      /^Unknown setting TOOLBOOTH_SIGNUP. Did you mean TOOLBOOTH_SIGN_UP\?$/,
      /^PUBLIC_URL must be set/,
    ],
    [{ TOOLBOOTH_PRICES: "./prices.json" }, /^On Cloudflare, TOOLBOOTH_PRICES must hold the JSON/],
    [
      { TOOLBOOTH_PRICES: '{"packs":[],"tax":1}', PUBLIC_URL: "" },
      /^PUBLIC_URL must be set/,
      /^TOOLBOOTH_PRICES: tax is not a known member/,
      /^TOOLBOOTH_PRICES: The price list is empty/,
    ],
    [
      { TOOLBOOTH_WEBHOOK_NETWORKS: "any" },
      /^On Cloudflare, TOOLBOOTH_WEBHOOK_NETWORKS must be public/,
    ],
    [{ DB: undefined }, /^The binding DB is missing/],
    [
      { LEDGER: undefined, SIGN_IN: undefined, SECRET: undefined },
      /^The binding LEDGER/,
      /^The binding SIGN_IN/,
      /^SECRET must be set/,
    ],
  ] as [object, ...RegExp[]][]) {
    const reported = faultsOf(changes);
    assert.equal(reported.length, faults.length, reported.join("\n"));
    for (const [index, fault] of reported.entries()) assert.match(fault, faults[index] as RegExp);
  }
});

test("allows emails in the log only on a local machine", () => {
  const without = { MAIL_API_TOKEN: undefined };
  for (const PUBLIC_URL of ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:1"]) {
    assert.deepEqual(faultsOf({ ...without, PUBLIC_URL }), [], PUBLIC_URL);
  }
  for (const PUBLIC_URL of ["https://localhost.example", "https://127.example"]) {
    assert.equal(faultsOf({ ...without, PUBLIC_URL }).length, 1, PUBLIC_URL);
  }
});

/** The lines that the Worker logs from now on. */
function watchLog(t: TestContext): string[] {
  const lines: string[] = [];
  t.mock.method(console, "error", (line: string) => void lines.push(line));
  return lines;
}

test("a Worker with invalid settings responds with 503 on every page, and its log names them once", async (t) => {
  const log = watchLog(t);
  const site = await openSiteInProcess(delayRoundTrips(0), { SECRET: "short", TOOLBOOTH_X: "1" });
  for (const path of ["/", "/sign-in", "/dashboard/visitor", "/operator/account/list"]) {
    const response = await site.fetch(new Request(BASE + path));
    assert.equal(response.status, 503, path);
    assert.match(await response.text(), /not set up yet.*wrangler tail/);
  }
  await site.cron();
  assert.equal(log.length, 1, log.join("\n"));
  const { message, problems } = JSON.parse(log[0] ?? "") as { message: string; problems: string[] };
  assert.equal(message, "Invalid settings");
  assert.match(problems.join(" "), /SECRET must have.*Unknown setting TOOLBOOTH_X/);
});

test("without assets, serves the pages that need none and reports the others as unavailable", async (t) => {
  const log = watchLog(t);
  const site = await openSiteInProcess(delayRoundTrips(0), { ASSETS: undefined });
  const ask = async (path: string, body?: object) => {
    const headers = { origin: BASE, "cf-connecting-ip": "192.0.2.1" };
    const sent = body && { method: "POST", headers, body: JSON.stringify(body) };
    const response = await site.fetch(new Request(BASE + path, sent));
    return [response.status, response.headers.get("retry-after"), await response.text()] as const;
  };
  assert.equal((await ask("/"))[0], 200);
  assert.deepEqual((await ask("/docs")).slice(0, 2), [503, "10"]);
  const [status, , page] = await ask("/sign-in");
  assert.equal(status, 503);
  assert.match(page, /This page is not available yet/);
  assert.equal((await ask("/assets/main.js"))[0], 404);
  await site.settled();
  // This Worker has no operator token either, so it has no operator API.
  assert.equal((await ask("/operator/account/list", {}))[0], 404);
  assert.ok(
    log.some((each) => /The pages are missing\. Run/.test(each)),
    log.join("\n"),
  );
});
