import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bodyBytesFor, MARKDOWN_BYTES_MAX } from "#limits.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { peakMemoryMb, startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The memory of the whole process under hundreds of megabytes from clients without keys. */
const LARGE_BODY_BYTES = bodyBytesFor(MARKDOWN_BYTES_MAX);

test("100 keyless connections that send all but one byte of a large body are not held in memory", async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t) });
  const before = residentMb(server.child.pid);
  if (before === null) return t.skip("this system does not report the memory of a process");
  // A few small calls load what is loaded lazily.
  for (let call = 0; call < 20; call += 1)
    await fetch(`${server.base}/api/v1/none`, { method: "POST" });
  const headers = { "Content-Length": String(LARGE_BODY_BYTES) };
  const body = Buffer.alloc(LARGE_BODY_BYTES - 1, "a");
  const connections = Array.from({ length: 100 }, () => openRaw(server.port));
  t.after(() => connections.forEach(({ socket }) => void socket.destroy()));
  await Promise.all(
    connections.map(async ({ socket }) => {
      socket.write(rawPost("/api/v1/markdown-render", "", headers));
      await new Promise((resolve) => socket.write(body, resolve));
    }),
  );
  await eventually("all was taken", async () =>
    connections.every(({ socket }) => socket.writableLength === 0),
  );
  assert.equal((await fetch(`${server.base}/healthz`)).status, 200, "others are served");
  const grown = (peakMemoryMb(server.child.pid) as number) - before;
  t.diagnostic(`${grown.toFixed(0)} MB more than ${before.toFixed(0)} at most`);
  // 630 MB were sent. Dropped data waits for garbage collection: up to 190 MB, for 50 as for 400 connections.
  assert.ok(grown < 300, `${grown} MB`);
  for (const raw of connections) raw.write("a");
  for (const raw of connections) assert.equal((await raw.response()).status, 401);
});

/** Returns the memory of the process in MB, or null if the system does not report it. */
function residentMb(pid: number): number | null {
  try {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return line === null ? null : Number(line[1]) / 1024;
  } catch {
    return null;
  }
}
