import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { until } from "../../support/dashboard-site.ts";
import { sampleTests } from "../../support/sample.ts";

/**
 * `npm start` in a checkout without built pages. The pages of these checkouts are one line each, so that a build takes about a
 * second. Everything else is real.
 */
const ROOT = path.join(import.meta.dirname, "../../..");

function makeCheckout(t: TestContext): string {
  const checkout = temporaryFolder(t);
  const styles = ["web/mantine-variables.css", "web/styles.css", "web/images"];
  const code = ["src", "web/vite.config.ts", "web/theme.ts"];
  const rest = [...code, "docs", "package.json", "package-lock.json"];
  for (const name of [...rest, ...styles]) {
    cpSync(path.join(ROOT, name), path.join(checkout, name), { recursive: true });
  }
  symlinkSync(path.join(ROOT, "node_modules"), path.join(checkout, "node_modules"));
  mkdirSync(path.join(checkout, "web/front"));
  writePage(checkout, "the first words");
  writeFileSync(path.join(checkout, "web/front/main.ts"), "document.title += '';\n");
  return checkout;
}

const writePage = (checkout: string, words: string) =>
  writeFileSync(path.join(checkout, "web/main.tsx"), `document.title = "${words}";\n`);

/** Starts the service of the checkout through a shell. */
function startIn(t: TestContext, checkout: string, DATA_DIR = temporaryFolder(t)) {
  const wrap = ["sh", "-c", 'exec "$1" "$2" "$0/src/apps/node/main.ts"', checkout];
  return startServer(t, { DATA_DIR }, wrap);
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

const builds = (folder: string) => readdirSync(folder).sort();

const { test, draw } = sampleTests("builds at a start", 2, process.env["TEST_STARTS"] === "all");

test("two concurrent starts serve the pages of one build and leave nothing incomplete", async (t) => {
  const checkout = makeCheckout(t);
  const servers = await Promise.all([startIn(t, checkout), startIn(t, checkout)]);
  for (const { base } of servers) assert.match(await scriptOf(base), /the first words/);
  const [only = "", ...others] = await until("the end of both builds", () => {
    const found = builds(path.join(checkout, "dist"));
    return found.length === 1 && found;
  });
  assert.match(only, /^[0-9a-f]{16}$/);
  assert.deepEqual(others, []);
});

test("reuses a build while its sources are unchanged, and builds again when one changes", async (t) => {
  const checkout = makeCheckout(t);
  const first = await startIn(t, checkout);
  assert.match(await scriptOf(first.base), /the first words/);
  await first.end("SIGTERM");
  const second = await startIn(t, checkout);
  assert.match(await scriptOf(second.base), /the first words/);
  assert.doesNotMatch(second.written(), /being built/);
  await second.end("SIGTERM");
  writePage(checkout, "the second words");
  const third = await startIn(t, checkout);
  assert.match(await scriptOf(third.base), /the second words/);
  assert.equal(builds(path.join(checkout, "dist")).length, 2);
});

test("puts the build into the data folder if the checkout is read-only, and finds it there", async (t) => {
  const checkout = makeCheckout(t);
  // Root can write to read-only folders, so a file takes the place of the folder.
  writeFileSync(path.join(checkout, "dist"), "");
  const data = temporaryFolder(t);
  const first = await startIn(t, checkout, data);
  assert.match(await scriptOf(first.base), /the first words/);
  assert.equal(builds(path.join(data, "pages")).length, 1);
  await first.end("SIGTERM");
  const second = await startIn(t, checkout, data);
  assert.match(await scriptOf(second.base), /the first words/);
  assert.doesNotMatch(second.written(), /being built/);
});

test("calls work during a build and if a build fails", async (t) => {
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

draw();
