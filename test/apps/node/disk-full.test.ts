import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { tool, toolProject } from "./tool-project.ts";

/** How often the disk fills up under one server. */
const ROUNDS = Number(process.env["TEST_DISK_ROUNDS"] ?? 1);

/** A full disk: calls get 503, nothing is lost, and calls work again without a restart once there is space. */

test("a full disk causes 503 with Retry-After, then 200 again once there is space, and nothing is lost", async (t) => {
  const project = toolProject(t, {
    "tools/size.ts": tool(
      'file: { types: ["image/png"] }, run: (_, { file }) => ({ size: file.size })',
    ),
  });
  const folder = path.join(project, "data");
  mkdirSync(folder);
  const mount = `mount -t tmpfs -o size=16m tmpfs ${folder} && cd ${project} && exec "$@"`;
  const wrap = ["unshare", "--mount", "--", "sh", "-c", mount, "sh"];
  const [command, ...args] = [...wrap, "true"];
  if (spawnSync(command as string, args).status !== 0) return t.skip("this user may not mount");
  const server = await startServer(
    t,
    { DATA_DIR: folder, RATE_LIMIT: "0", TOOLBOOTH_STARTER_CREDITS: "100000" },
    wrap,
  );
  const headers = { Authorization: `Bearer ${await server.demoKey()}` };
  const call = async () => {
    const response = await fetch(`${server.base}/api/v1/uuid`, { method: "POST", headers });
    const text = await response.text();
    if (response.status === 503) {
      assert.equal(JSON.parse(text).code, "unavailable");
      assert.match(response.headers.get("retry-after") ?? "", /^[1-9]/);
      assert.doesNotMatch(text, /disk|full|SQLITE/i);
    } else assert.equal(response.status, 200, text);
    return response;
  };
  const inside = (name: string) => path.join(`/proc/${server.child.pid}/root`, folder, name);
  await call();
  await t.test("a file that the disk has no space for is 503, uncharged", async () => {
    const send = (bytes: number) =>
      fetch(`${server.base}/api/v1/size`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "image/png" },
        body: Buffer.alloc(bytes),
      });
    assert.equal((await send(1_000)).status, 200);
    const full = await send(20_000_000);
    const text = await full.text();
    assert.equal(full.status, 503, text);
    assert.match(text, /cannot store the file now\. The call was not charged\./);
    assert.equal(full.headers.get("credits-charged"), "0");
    await eventually("it is deleted", async () => readdirSync(inside("uploads")).length === 0);
    assert.equal(statSync(inside("uploads")).mode & 0o777, 0o700);
    await eventually("ready", async () => (await fetch(`${server.base}/readyz`)).status === 200);
  });
  let last = (await call()).headers.get("credits-remaining");
  for (let round = 0; round < ROUNDS; round += 1) {
    fill(inside("filler"));
    let refused = false;
    for (let calls = 0; calls < 5_000 && !refused; calls += 1) {
      const response = await call();
      if (response.status === 503) refused = true;
      else {
        assert.equal(response.headers.get("credits-remaining"), String(Number(last) - 1));
        last = response.headers.get("credits-remaining");
      }
    }
    assert.ok(refused, "the disk never became full");
    assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
    await eventually(
      "not ready",
      async () => (await fetch(`${server.base}/readyz`)).status === 503,
    );
    const { detail } = (await (await fetch(`${server.base}/readyz`)).json()) as { detail: string };
    assert.equal(detail, "Calls fail: the disk of the database is full.");
    rmSync(inside("filler"));
    const next = await call();
    assert.equal(next.status, 200, "room was made");
    assert.equal(
      next.headers.get("credits-remaining"),
      String(Number(last) - 1),
      "rejected calls are not charged",
    );
    last = next.headers.get("credits-remaining");
    await eventually("ready", async () => (await fetch(`${server.base}/readyz`)).status === 200);
  }
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
});

/** Fills the rest of the disk. */
function fill(file: string) {
  const fd = openSync(file, "w");
  for (let piece = 65_536; piece >= 512; ) {
    try {
      writeSync(fd, Buffer.alloc(piece, 1));
    } catch {
      piece /= 2;
    }
  }
  closeSync(fd);
}
