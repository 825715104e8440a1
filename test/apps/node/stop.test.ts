import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openDataFolder } from "../../../src/apps/node/data-folder.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { drawSample } from "../../support/sample.ts";

/** SIGTERM: the process completes accepted requests, records them in the ledger, and exits by itself. */
const LARGE = JSON.stringify({ markdown: "# a *b* [c](https://example.com)\n\n".repeat(20_000) });

const TAKES_ALL = process.env["TEST_STARTS"] === "all";
const PAUSES_MS = [0, 1, 5, 20];

for (const pauseMs of drawSample("pauses before SIGTERM", PAUSES_MS, 2, TAKES_ALL)) {
  test(`completes every request sent ${pauseMs} ms before SIGTERM and exits with 0`, {
    timeout: 300_000,
  }, async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const server = await startServer(t, { DATA_DIR, RATE_LIMIT: "0" });
    const key = { Authorization: `Bearer ${await server.demoKey()}` };
    const connections = Array.from({ length: 40 }, () => openRaw(server.port));
    // The server knows each connection and keeps it open.
    for (const raw of connections) raw.write(rawPost("/api/v1/uuid", ""));
    for (const raw of connections) assert.equal((await raw.response()).status, 401);

    const [idle, ...busy] = connections;
    const sent = busy.map((raw, at) => {
      const request =
        at % 8 === 0
          ? rawPost("/api/v1/markdown-render", LARGE, key)
          : rawPost("/api/v1/uuid", "{}", key);
      return new Promise<void>((resolve) => raw.socket.write(request, () => resolve()));
    });
    await Promise.all(sent);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const ended = server.end("SIGTERM");
    let charged = 0;
    for (const raw of busy) {
      const response = await raw.response();
      assert.equal(response.status, 200, response.text);
      charged += Number(response.headers.get("credits-charged"));
      assert.deepEqual(await raw.closed(), { rest: "", error: null });
    }
    assert.equal(charged, busy.length - 1);
    assert.deepEqual(await idle?.closed(), { rest: "", error: null });
    assert.deepEqual(await ended, { code: 0, signal: null });
    assert.equal(await spent(DATA_DIR), charged);
    const late = openRaw(server.port);
    assert.equal((await late.closed()).error, "ECONNREFUSED");
  });
}

test("stops under continuous load, and the ledger has every call that got a response", {
  timeout: 300_000,
}, async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const server = await startServer(t, {
    DATA_DIR,
    RATE_LIMIT: "0",
    TOOLBOOTH_STARTER_CREDITS: "1000000",
  });
  const headers = { Authorization: `Bearer ${await server.demoKey()}` };
  let charged = 0;
  let isOver = false;
  const statuses = new Set<number>();
  const loops = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      try {
        const response = await fetch(`${server.base}/api/v1/uuid`, { method: "POST", headers });
        await response.arrayBuffer();
        statuses.add(response.status);
        charged += Number(response.headers.get("credits-charged"));
      } catch {
        // Rejected, because the server no longer listens.
        return;
      }
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const started = Date.now();
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
  assert.ok(Date.now() - started < 15_000);
  isOver = true;
  await Promise.all(loops);
  assert.deepEqual([...statuses], [200]);
  assert.equal(await spent(DATA_DIR), charged);
});

test("ignores a second SIGTERM, and stops on SIGINT as well", {
  timeout: 300_000,
}, async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t) });
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
  const other = await startServer(t, { DATA_DIR: temporaryFolder(t) });
  assert.deepEqual(await other.end("SIGINT"), { code: 0, signal: null });
});

/** Returns the total of debited credits. */
async function spent(folder: string): Promise<number> {
  const driver = openDataFolder(folder);
  try {
    const { totals, faults } = await openSqliteDirect(driver).ledger.audit({ now: Date.now() });
    assert.deepEqual(faults, []);
    return totals.debited - totals.reversed;
  } finally {
    driver.close();
  }
}
