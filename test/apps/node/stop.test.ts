import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDataFolder } from "#apps/node/data-folder.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { spawnServer, startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { freePort } from "../../support/ports.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** SIGTERM: the process completes accepted requests, records them in the ledger, and exits by itself. */
const ROUNDS = Number(process.env["TEST_STOP_ROUNDS"] ?? 1);
const LARGE = JSON.stringify({ markdown: "# a *b* [c](https://example.com)\n\n".repeat(20_000) });
/** How long before SIGTERM requests are sent, in turns of some connections each. */
const PAUSES_MS = [20, 5, 1, 0];

for (let round = 1; round <= ROUNDS; round += 1)
  test(`SIGTERM under load completes every accepted request, and the ledger has each of them (stop ${round})`, async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const settings = { RATE_LIMIT: "0", TOOLBOOTH_STARTER_CREDITS: "1000000" };
    const server = await startServer(t, { DATA_DIR, ...settings });
    const headers = { Authorization: `Bearer ${await server.demoKey()}` };
    const connections = Array.from({ length: 40 }, () => openRaw(server.port));
    // The server knows each connection and keeps it open.
    for (const raw of connections) raw.write(rawPost("/api/v1/uuid", ""));
    for (const raw of connections) assert.equal((await raw.response()).status, 401);
    let charged = 0;
    const loops = Array.from({ length: 8 }, async () => {
      for (;;) {
        const response = await fetch(`${server.base}/api/v1/uuid`, { method: "POST", headers })
          // The server no longer listens.
          .catch(() => null);
        if (response === null) return;
        assert.equal(response.status, 200, await response.text());
        charged += Number(response.headers.get("credits-charged"));
      }
    });

    const [idle, ...busy] = connections;
    for (const [turn, pauseMs] of PAUSES_MS.entries()) {
      const requests = busy
        .filter((_, at) => at % PAUSES_MS.length === turn)
        .map(({ socket }, at) => {
          const request =
            at === 0
              ? rawPost("/api/v1/markdown-render", LARGE, headers)
              : rawPost("/api/v1/uuid", "{}", headers);
          return new Promise<void>((resolve) => socket.write(request, () => resolve()));
        });
      await Promise.all(requests);
      await sleep(pauseMs - (PAUSES_MS[turn + 1] ?? 0));
    }
    const ended = server.end("SIGTERM");
    for (const raw of busy) {
      const response = await raw.response();
      // On a busy machine a large call may wait for memory for too long.
      if (response.status !== 200)
        assert.match(response.text, /"The service is busy with large calls/);
      charged += Number(response.headers.get("credits-charged"));
      assert.deepEqual(await raw.closed(), { rest: "", error: null });
    }
    assert.deepEqual(await idle?.closed(), { rest: "", error: null });
    assert.deepEqual(await ended, { code: 0, signal: null });
    await Promise.all(loops);
    assert.equal(await spent(DATA_DIR), charged);
    const late = openRaw(server.port);
    assert.equal((await late.closed()).error, "ECONNREFUSED");
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

/** A server that crashes at SIGUSR2. */
const CRASHES = {
  NODE_OPTIONS: "--import data:text/javascript,process.on('SIGUSR2',()=>{throw(Error('oh'))})",
};

for (const [signal, what, code] of [
  ["SIGTERM", "SIGTERM", 0],
  ["SIGUSR2", "a crash", 1],
] as const)
  test(`${what} ends a process whose standard output is closed and whose log nobody reads`, async (t) => {
    const [output, log] = [makeFifo(t), makeFifo(t)];
    const port = await freePort();
    const env = { ...CRASHES, DATA_DIR: temporaryFolder(t), PORT: String(port), RATE_LIMIT: "0" };
    const child = spawnServer(
      t,
      { ...env, TOOLBOOTH_LOG_LEVEL: "info" },
      { stdio: ["ignore", output.writing, log.writing] },
    );
    for (const end of [output.reading, output.writing, log.writing]) closeSync(end);
    t.after(() => closeSync(log.reading));
    const ended = once(child, "exit");
    await eventually("it has started", async () => log.read().includes('"msg":"started"'));
    // From here on nothing reads. Each request logs about 200 bytes into a pipe of 64 KB.
    const loops = Array.from({ length: 20 }, async () => {
      for (let call = 0; call < 25; call += 1) {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/none`, { method: "POST" });
        assert.equal(response.status, 404);
        await response.arrayBuffer();
      }
    });
    await Promise.all(loops);
    child.kill(signal);
    assert.deepEqual(await ended, [code, null]);
    assert.doesNotMatch(log.read(), /tb_|EPIPE/);
  });

test("the log of a server that crashes ends with the error", async (t) => {
  const server = await startServer(t, { ...CRASHES, DATA_DIR: temporaryFolder(t) });
  assert.deepEqual(await server.end("SIGUSR2"), { code: 1, signal: null });
  await eventually("the log has ended", async () =>
    /"err":\{[^\n]*"message":"oh"[^\n]*"msg":"The server crashed"\}\n$/.test(server.log()),
  );
});

/** A pipe with a name, so that a process writes to it as to a terminal or a pipe of a shell. `read` returns all that was read so far. */
function makeFifo(t: TestContext) {
  const file = path.join(temporaryFolder(t), "fifo");
  assert.equal(spawnSync("mkfifo", [file]).status, 0);
  const reading = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(file, constants.O_WRONLY);
  const chunk = Buffer.alloc(128 * 1024);
  let text = "";
  function read(): string {
    try {
      text += chunk.toString("utf8", 0, readSync(reading, chunk));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "EAGAIN");
    }
    return text;
  }
  return { reading, writing, read };
}
