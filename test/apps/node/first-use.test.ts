import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { buildServer } from "#apps/node/build-server.ts";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What calls do not need is loaded or started by the first request for it (docs/decisions/0065). */
const ROOT = path.join(import.meta.dirname, "../../..");

/** Runs before the server. On SIGUSR2 it writes the files of the threads that were started, and whether the classes of `fetch` are loaded. */
const WATCH = `
  const threads = require("node:worker_threads");
  const { basename } = require("node:path");
  const { writeSync } = require("node:fs");
  const files = [];
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, options);
      files.push(basename(String(file)));
    }
  };
  const parts = { fetch: "NativeModule internal/deps/undici/undici" };
  if (threads.isMainThread) process.on("SIGUSR2", () => {
    const loaded = process.moduleLoadList.includes(parts.fetch);
    writeSync(2, "SEEN " + JSON.stringify({ threads: files, fetch: loaded }) + "\\n");
  });
`;

const LEDGER = "thread-worker.cjs";
const DASHBOARD = "dashboard-thread.cjs";
const TOOLS = "tool-thread.cjs";

async function openBuilt(t: TestContext) {
  const watch = path.join(temporaryFolder(t), "watch.cjs");
  writeFileSync(watch, WATCH);
  const main = path.join(await buildServer(ROOT), "main.cjs");
  // A shell drops the entry that the tests start otherwise.
  const wrap = ["sh", "-c", `exec "$2" -r "$1" "$3" "$0"`, main, watch];
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t) }, wrap);
  const key = await server.demoKey();
  let seen = 0;
  return {
    server,
    async call(tool: string, body: object) {
      const response = await fetch(`${server.base}/api/v1/${tool}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      return [response.status, Number(response.headers.get("credits-remaining"))];
    },
    async look(): Promise<{ threads: string[]; fetch: boolean }> {
      server.child.kill("SIGUSR2");
      const lines = () => server.written().match(/^SEEN .*$/gm) ?? [];
      await eventually("it looked", async () => lines().length > seen);
      seen = lines().length;
      return JSON.parse((lines().at(-1) as string).slice("SEEN ".length));
    },
  };
}

test("a small call has the ledger's thread alone and no classes of fetch; the first requests for other parts start these once, and a stop ends them", async (t) => {
  const { call, look, server } = await openBuilt(t);
  assert.deepEqual(await call("hash", { text: "a" }), [200, 100]);
  const small = await look();
  assert.deepEqual(
    small.threads.filter((file) => file !== DASHBOARD),
    [LEDGER],
    "the other one starts two seconds later",
  );
  assert.equal(small.fetch, false);

  const large = { text: "a".repeat(1_000_000) };
  const get = async (at: string) => (await fetch(server.base + at)).status;
  const [first, second, page, visitor, other, missing] = await Promise.all([
    call("hash", large),
    call("hash", large),
    get("/docs"),
    get("/dashboard/visitor"),
    get("/dashboard/visitor"),
    get("/operator/openapi.json"),
  ]);
  assert.deepEqual([first[0], second[0], page, visitor, other], [200, 200, 200, 200, 200]);
  // There is no token, so there is no operator API.
  assert.equal(missing, 404);
  assert.deepEqual(new Set([first[1], second[1]]), new Set([98, 99]));
  const { threads, fetch: isLoaded } = await look();
  assert.equal(isLoaded, true);
  assert.deepEqual(new Set(threads), new Set([LEDGER, DASHBOARD, TOOLS]));
  assert.equal(threads.filter((file) => file === DASHBOARD).length, 1);
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null }, server.written());
  assert.doesNotMatch(server.written(), /"level":"(?:error|warn)"/);
});
