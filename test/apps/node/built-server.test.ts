import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { buildServer } from "../../../src/apps/node/build-server.ts";
import { hashSources } from "../../../src/apps/node/builds.js";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { until } from "../../support/dashboard-site.ts";

/** The server and the command line as `npm run build` made them. What they do is shown by the other tests, which run the TypeScript. */
const ROOT = path.join(import.meta.dirname, "../../..");
const PASSWORD = "correct horse 1";

let built = "";
before(async () => {
  built = await buildServer(ROOT);
});

/** Runs a bundle in place of the entry that the tests start otherwise. */
const inPlace = (name: string) => ["sh", "-c", `exec "$1" "$2" "$0"`, path.join(built, name)];

const cookiesOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");

test("the built server answers calls, large calls, MCP, pages and Stripe, and lets people sign up and sign in", async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const prices = path.join(DATA_DIR, "prices.json");
  const pack = { id: "small", name: "Small", credits: 100, price: "5.00" };
  writeFileSync(prices, JSON.stringify({ currency: "usd", packs: [pack] }));
  const env = {
    DATA_DIR,
    TOOLBOOTH_LOG_LEVEL: "info",
    TOOLBOOTH_PRICES: prices,
    STRIPE_SECRET_KEY: "sk_test_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
  };
  const server = await startServer(t, env, inPlace("main.cjs"));
  const key = await server.demoKey();
  const send = (to: string, body: object, headers: Record<string, string> = {}) =>
    fetch(server.base + to, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: server.base, ...headers },
      body: JSON.stringify(body),
    });
  const authorization = { Authorization: `Bearer ${key}` };
  for (const text of ["hello", "x".repeat(500_000)]) {
    const called = await send("/api/v1/markdown-render", { markdown: text }, authorization);
    assert.equal(called.status, 200, await called.text());
  }
  const toolCall = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "hash", arguments: { text: "hello" } },
  };
  const accept = { Accept: "application/json, text/event-stream", ...authorization };
  const mcp = await send("/mcp", toolCall, accept);
  assert.match(await mcp.text(), /2cf24dba5fb0a30e/);
  for (const page of ["/", "/docs", "/openapi.json", "/metrics"]) {
    assert.equal((await fetch(server.base + page)).status, 200, page);
  }

  const order = { name: "", email: "ann@example.com", password: PASSWORD };
  const signedUp = await send("/dashboard/auth/sign-up/email", order);
  assert.equal(signedUp.status, 200, await signedUp.text());
  const token = await until("the email", () => /\?token=([\w.-]+)/.exec(server.written())?.[1]);
  const browser = { Cookie: cookiesOf(signedUp) };
  const verified = await send("/dashboard/auth/verify-email", { token }, browser);
  assert.equal(verified.status, 200, await verified.text());
  const signedIn = await send("/dashboard/auth/sign-in/email", order);
  assert.equal(signedIn.status, 200, await signedIn.text());
  const Cookie = cookiesOf(signedIn);
  const home = await fetch(`${server.base}/dashboard/home`, { headers: { Cookie } });
  assert.equal(home.status, 200, await home.text());

  assert.doesNotMatch(server.written(), /"level":"error"/);
  // The first message of Stripe loads its package.
  const signed = { "Stripe-Signature": "t=1,v1=00" };
  const message = await send(STRIPE_MESSAGE_PATH, {}, signed);
  assert.equal(message.status, 400, await message.text());

  const line = [path.join(built, "cli.cjs"), "account", "list", "--json"];
  const listed = execFileSync(process.execPath, line, {
    env: { PATH: process.env["PATH"], DATA_DIR },
    encoding: "utf8",
  });
  assert.match(listed, /ann@example\.com/);
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
});

/** A checkout whose server prints where its code is from. */
function makeCheckout(t: Parameters<typeof temporaryFolder>[0]) {
  const checkout = temporaryFolder(t);
  const node = path.join(checkout, "src/apps/node");
  mkdirSync(node, { recursive: true });
  writeFileSync(path.join(checkout, "package.json"), '{ "type": "module" }');
  writeFileSync(path.join(checkout, "package-lock.json"), "{}");
  for (const name of ["builds.js", "right-node.cjs", "start.js"]) {
    cpSync(path.join(ROOT, "src/apps/node", name), path.join(node, name));
  }
  const source = path.join(node, "main.ts");
  writeFileSync(source, 'console.log("source 1");');
  const publish = () => {
    const build = path.join(checkout, "dist/server", hashSources(checkout, "server"));
    mkdirSync(build, { recursive: true });
    writeFileSync(path.join(build, "main.cjs"), 'console.log("built");');
  };
  const start = () =>
    execFileSync(process.execPath, [path.join(node, "start.js")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  return { source, publish, start };
}

test("a build runs while its sources are the same, whatever their times", (t) => {
  const { source, publish, start } = makeCheckout(t);
  assert.equal(start(), "source 1");
  publish();
  assert.equal(start(), "built");
  utimesSync(source, 1, 1);
  assert.equal(start(), "built", "another time, the same content");
});

test("a build of other sources never runs, even if their sizes and times are the same", (t) => {
  const { source, publish, start } = makeCheckout(t);
  utimesSync(source, 1, 1);
  publish();
  writeFileSync(source, 'console.log("source 2");');
  utimesSync(source, 1, 1);
  assert.equal(start(), "source 2");
  renameSync(source, `${source}.old`);
  writeFileSync(source, 'console.log("source 1");');
  assert.equal(start(), "source 1", "one more file");
});
