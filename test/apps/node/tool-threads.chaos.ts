import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The threads of large calls where the system gives the process no more files. */

test("a thread that cannot start fails its call, the process continues, and the pool recovers", async (t) => {
  if (spawnSync("prlimit", ["--version"]).error !== undefined) {
    t.skip("this system has no prlimit, which lowers the limit of a server that has started");
    return;
  }
  const server = await startServer(t, {
    DATA_DIR: temporaryFolder(t),
    TOOLBOOTH_TOOL_THREADS: "64",
  });
  const headers = { Authorization: `Bearer ${await server.demoKey()}` };
  // Enough for the connections below, and not for all threads as well. The server would not start under such a limit.
  const { pid } = server.child;
  const limit = readdirSync(`/proc/${pid}/fd`).length + 20;
  const allow = (files: number) =>
    spawnSync("prlimit", ["--pid", String(pid), `--nofile=${files}:`]);
  allow(limit);
  const call = async (tool: string, body: object) => {
    const response = await fetch(`${server.base}/api/v1/${tool}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const large = { markdown: "a ".repeat(100_000) };
  const settled = await Promise.allSettled(
    Array.from({ length: 16 }, () => call("markdown-render", large)),
  );
  // A connection needs a file descriptor too. Without one, the system closes it before there is a request.
  const responses = settled.filter((each) => each.status === "fulfilled").map(({ value }) => value);
  const refused = responses.filter(({ status }) => status !== 200);
  for (const { status, text } of refused) {
    assert.ok(status === 500 || status === 503, text);
    assert.doesNotMatch(text, /EMFILE|Worker/);
  }
  // Not all threads could start.
  await eventually("the error in the log", async () =>
    /A tool thread failed/.test(server.written()),
  );
  assert.equal((await call("hash", { text: "a" })).status, 200);
  // If none could start, the pool tries again after some seconds.
  allow(limit + 500);
  await eventually(
    "a thread is running",
    async () => (await call("markdown-render", large)).status === 200,
    120_000,
  );
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
});
