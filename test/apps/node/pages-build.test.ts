import assert from "node:assert/strict";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { until } from "../../support/dashboard-site.ts";

/**
 * `npm start` in a checkout without built pages. The pages of these checkouts are one line each, so that a build takes about a
 * second. Everything else is real.
 */
const ROOT = path.join(import.meta.dirname, "../../..");

function makeCheckout(t: TestContext): string {
  const checkout = temporaryFolder(t);
  const styles = ["web/mantine-variables.css", "web/styles.css", "web/images"];
  const code = ["src", "web/vite.config.ts", "web/site-file-source.ts", "web/theme.ts"];
  const rest = [...code, "docs", "package.json", "package-lock.json"];
  for (const name of [...rest, ...styles]) {
    cpSync(path.join(ROOT, name), path.join(checkout, name), { recursive: true });
  }
  symlinkSync(path.join(ROOT, "node_modules"), path.join(checkout, "node_modules"));
  mkdirSync(path.join(checkout, "web/front"));
  writeFileSync(path.join(checkout, "web/main.tsx"), 'document.title = "the only words";\n');
  writeFileSync(path.join(checkout, "web/front/main.ts"), "document.title += '';\n");
  return checkout;
}

/** Runs `npm start` of the checkout through a shell. */
function startIn(t: TestContext, checkout: string) {
  const wrap = ["sh", "-c", 'exec "$1" "$2" "$0/src/apps/node/start.js"', checkout];
  return startServer(t, { DATA_DIR: temporaryFolder(t) }, wrap);
}

/** Loads a page and returns its script, as a browser finds it. */
async function scriptOf(base: string): Promise<string> {
  const page = await until("the page", async () => {
    const response = await fetch(`${base}/sign-in`);
    return response.ok && (await response.text());
  });
  const scripts = [...page.matchAll(/<script [^>]*src="([^"]+)"/g)].map(([, src = ""]) => src);
  const texts = scripts.map(async (src) => {
    const response = await fetch(new URL(src, `${base}/sign-in`));
    assert.equal(response.status, 200, src);
    assert.match(response.headers.get("cache-control") ?? "", /immutable/);
    return response.text();
  });
  return (await Promise.all(texts)).join("\n");
}

test("a first start answers calls while it builds the pages, and a second start builds nothing", async (t) => {
  const checkout = makeCheckout(t);
  const first = await startIn(t, checkout);
  const headers = { Authorization: `Bearer ${await first.demoKey()}` };
  const response = await fetch(`${first.base}/api/v1/uuid`, { method: "POST", headers });
  assert.equal(response.status, 200);
  assert.match(await scriptOf(first.base), /the only words/);
  assert.match(first.written(), /Building the pages/);
  await first.end("SIGTERM");
  const second = await startIn(t, checkout);
  assert.match(await scriptOf(second.base), /the only words/);
  assert.doesNotMatch(second.written(), /Building the pages/);
});

test("calls work if the build of the pages fails", async (t) => {
  const checkout = makeCheckout(t);
  writeFileSync(path.join(checkout, "web/main.tsx"), "this is not TypeScript\n");
  const server = await startIn(t, checkout);
  const call = async () => {
    const headers = { Authorization: `Bearer ${await server.demoKey()}` };
    const response = await fetch(`${server.base}/api/v1/uuid`, { method: "POST", headers });
    return response.status;
  };
  assert.equal(await call(), 200);
  await until("the error in the log", () => server.written().includes("Building the pages failed"));
  assert.equal(await call(), 200);
  const page = await fetch(`${server.base}/sign-in`);
  assert.equal(page.status, 503);
  assert.match(page.headers.get("content-type") ?? "", /text\/html/);
  assert.equal((await fetch(`${server.base}/docs`)).status, 200);
});
