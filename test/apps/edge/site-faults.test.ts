import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "#config/read-settings.ts";
import { readDashboardConfig, type SiteEnv } from "../../../src/apps/edge/site-settings.ts";
import { CONFIRM, newCredentials, until } from "../../support/dashboard-site.ts";
import { type EdgeSite, openEdgeSite } from "../../support/edge-site.ts";

/** The dashboard Worker with missing settings, and on a local machine. */

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
    readDashboardConfig({ ...GOOD, ...changes } as unknown as SiteEnv);
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
    [
      { TOOLBOOTH_SIGNUP: "open" },
      /^Unknown setting TOOLBOOTH_SIGNUP. Did you mean TOOLBOOTH_SIGN_UP\?$/,
    ],
    [{ TOOLBOOTH_OPERATOR_TOKEN: "guess me" }, /^TOOLBOOTH_OPERATOR_TOKEN must have at least 32/],
    [
      { TOOLBOOTH_SIGNUP: "open", PUBLIC_URL: "" },
      /^Unknown setting TOOLBOOTH_SIGNUP. Did you mean TOOLBOOTH_SIGN_UP\?$/,
      /^PUBLIC_URL must be set/,
    ],
    [{ TOOLBOOTH_PRICES: "./prices.json" }, /^On Cloudflare, TOOLBOOTH_PRICES must hold the JSON/],
    [
      { TOOLBOOTH_PRICES: '{"packs":[],"tax":1}', PUBLIC_URL: "" },
      /^PUBLIC_URL must be set/,
      /^TOOLBOOTH_PRICES: tax is not a known setting/,
      /^TOOLBOOTH_PRICES: The price list is empty/,
    ],
    [
      { STRIPE_SECRET_KEY: "sk_test_1" },
      /^Set both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or neither/,
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

test("a Worker with invalid settings responds with 503 on every page, and its log names them", async (t) => {
  const texts = { SECRET: "short", TOOLBOOTH_X: "1" };
  const site = await openEdgeSite(t, { texts });
  for (const path of ["/", "/sign-up", "/dashboard/visitor", "/operator/v1/perform"]) {
    const response = await fetch(site.base + path);
    assert.equal(response.status, 503, path);
    assert.match(await response.text(), /not set up yet.*wrangler tail/);
  }
  await site.cron();
  const reported = site.logs.filter((line) => line.includes("Invalid settings"));
  assert.equal(reported.length, 1, site.logs.join("\n"));
  const { problems } = JSON.parse(reported[0] as string) as { problems: string[] };
  assert.match(problems.join(" "), /SECRET must have.*Unknown setting TOOLBOOTH_X/);
});

const signUp = (site: EdgeSite, email: string) =>
  fetch(`${site.base}/dashboard/auth/sign-up/email`, {
    method: "POST",
    headers: { Origin: site.base, "Content-Type": "application/json" },
    body: JSON.stringify({ ...newCredentials(), email }),
  });

test("without assets, serves the pages that need none and reports the others as unavailable", async (t) => {
  const site = await openEdgeSite(t, { without: ["ASSETS"] });
  assert.equal((await fetch(`${site.base}/`)).status, 200);
  const docs = await fetch(`${site.base}/docs`);
  assert.deepEqual([docs.status, docs.headers.get("retry-after")], [503, "10"]);
  const response = await fetch(`${site.base}/sign-up`);
  assert.equal(response.status, 503);
  assert.match(await response.text(), /This page is not available yet/);
  assert.equal((await fetch(`${site.base}/assets/main.js`)).status, 404);
  // The common passwords are missing too.
  const signedUp = await signUp(site, "ada@example.com");
  assert.deepEqual([signedUp.status, signedUp.headers.get("retry-after")], [503, "2"]);
  assert.deepEqual(await site.sql("SELECT id FROM users"), []);
  const reason = /common passwords could not be read: The binding ASSETS is missing/;
  await until("the reason", () => site.logs.some((line) => reason.test(line)));
  // This Worker has no operator token either, so it has no operator API.
  const operator = await fetch(`${site.base}/operator/v1/perform`, { method: "POST", body: "{}" });
  assert.equal(operator.status, 404);
  assert.ok(site.logs.some((line) => /The pages are missing\. Run/.test(line)));
});

test("without tables in D1, sign-ups fail and the log says how to create the tables", async (t) => {
  const site = await openEdgeSite(t, { isBare: true });
  assert.equal((await fetch(`${site.base}/docs`)).status, 200);
  const response = await signUp(site, "ada@example.com");
  assert.equal(response.status, 500, await response.clone().text());
  const { detail } = (await response.json()) as { detail: string };
  assert.equal(detail, "Something went wrong on our side. Try again in a moment.");
  await site.cron();
  const hint = /D1 lacks tables.*d1 migrations list DB -c wrangler\.site\.jsonc/;
  await until("the hint", () => site.logs.some((line) => hint.test(line)));
});

test("on a local machine, emails appear in the console", async (t) => {
  const site = await openEdgeSite(t, {
    texts: { MAIL_API_TOKEN: undefined, MAIL_API_URL: undefined, MAIL_FROM: undefined },
  });
  const { email } = newCredentials();
  assert.equal((await signUp(site, email)).status, 200);
  const message = await until("the letter", () => site.logs.find((line) => line.includes(email)));
  assert.match(message, /MAIL_API_TOKEN is not set/);
  assert.match(message, new RegExp(`Subject: ${CONFIRM.source.slice(1)}`));
  assert.ok(message.includes(`${site.base}/verify-email?token=`));
});
