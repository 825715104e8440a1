import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import type { TestContext } from "node:test";
import { type AccountDeps, closeAccount, findAccount, openAccount } from "#accounts/accounts.ts";
import { newAccountId } from "#ids.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openDataFolder } from "../../../src/apps/node/data-folder.ts";
import { DEMO_EMAIL } from "../../../src/apps/node/demo-account.ts";
import { hashKey, random } from "../../../src/apps/node/runtime.ts";
import { openSecrets } from "../../../src/apps/node/secret-file.ts";
import { runServer, startServer, temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";
import { drawSample, sampleTests } from "../../support/sample.ts";

/** The demo key is shown exactly once, at the first successful start, and nowhere else. */

/** Opens the service's data as the command line does. */
async function withAccounts<Result>(
  folder: string,
  act: (accountDeps: AccountDeps) => Promise<Result>,
): Promise<Result> {
  const driver = openDataFolder(folder);
  try {
    const secrets = openSecrets(driver, { dataDir: folder, secrets: null }, () => {});
    return await act({ ...openSqliteDirect(driver), secrets, random, hashKey });
  } finally {
    driver.close();
  }
}

/** Calls with the key and returns the status and the balance after. */
async function call(base: string, key: string) {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${base}/api/v1/uuid`, { method: "POST", headers });
  await response.arrayBuffer();
  return [response.status, response.headers.get("credits-remaining")];
}

const { test, draw } = sampleTests("first starts", 4, process.env["TEST_STARTS"] === "all");

test("a first start on a used port does not consume the key: the next start shows it, a third one does not", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const PORT = String((other.address() as { port: number }).port);
  const DATA_DIR = temporaryFolder(t);
  const { code, written } = await runServer(t, { DATA_DIR, PORT });
  assert.equal(code, 1);
  assert.match(written, /Another process already listens on this address/);
  assert.doesNotMatch(written, /tb_/);

  const second = await startServer(t, { DATA_DIR });
  assert.deepEqual(await call(second.base, await second.demoKey()), [200, "100"]);
  await second.end("SIGTERM");
  const third = await startServer(t, { DATA_DIR });
  await third.end("SIGTERM");
  assert.doesNotMatch(third.written(), /tb_|demo account/);
});

const BROKEN_OFF: Record<string, (accountDeps: AccountDeps) => Promise<unknown>> = {
  "the address was registered, but not the account": (accountDeps) =>
    accountDeps.directory.register({
      email: DEMO_EMAIL,
      account: newAccountId(random),
      createdAt: Date.now(),
    }),
  "the account was opened, but no key created": (accountDeps) =>
    openAccount(accountDeps, DEMO_EMAIL, Date.now()),
  "the credits were granted, but no key created": async (accountDeps) => {
    const now = Date.now();
    const { account } = await openAccount(accountDeps, DEMO_EMAIL, now);
    const id = `starter:${account}`;
    await accountDeps.ledger.grant({
      account,
      id,
      kind: "starter",
      amount: 100,
      expiresAt: now + 1e9,
      now,
    });
  },
};

const TAKES_ALL = process.env["TEST_STARTS"] === "all";
const interruptions = Object.entries(BROKEN_OFF);
for (const [where, act] of drawSample(
  "interruptions",
  interruptions,
  1,
  process.env["TEST_STARTS"] === "all",
)) {
  test(`the next start completes an interrupted first start: ${where}`, async (t) => {
    const DATA_DIR = temporaryFolder(t);
    await withAccounts(DATA_DIR, act);
    const server = await startServer(t, { DATA_DIR });
    const key = await server.demoKey();
    assert.deepEqual(await call(server.base, key), [200, "100"], "credits once, and the free call");
    await server.end("SIGTERM");
    await withAccounts(DATA_DIR, async ({ ledger }) => {
      const { accounts, totals, faults } = await ledger.audit({ now: Date.now() });
      assert.deepEqual([accounts, totals.granted, faults], [1, 100, []]);
    });
  });
}

test("creates no demo account if the operator has created an account or closed all accounts", async (t) => {
  const closed = temporaryFolder(t);
  const first = await startServer(t, { DATA_DIR: closed });
  const key = await first.demoKey();
  await first.end("SIGTERM");
  await withAccounts(closed, (accountDeps) => closeAccount(accountDeps, DEMO_EMAIL, Date.now()));
  const unfinished = temporaryFolder(t);
  await withAccounts(unfinished, async (accountDeps) => {
    await openAccount(accountDeps, DEMO_EMAIL, Date.now());
    await closeAccount(accountDeps, DEMO_EMAIL, Date.now());
  });
  const own = temporaryFolder(t);
  await withAccounts(own, (accountDeps) => openAccount(accountDeps, "you@example.com", Date.now()));

  for (const DATA_DIR of drawSample(
    "data folders",
    [closed, unfinished, own],
    1,
    process.env["TEST_STARTS"] === "all",
  )) {
    const server = await startServer(t, { DATA_DIR });
    assert.deepEqual(await call(server.base, key), [401, null]);
    await server.end("SIGTERM");
    assert.doesNotMatch(server.written(), /tb_|demo account/);
    await assert.rejects(
      withAccounts(DATA_DIR, (accountDeps) => findAccount(accountDeps, DEMO_EMAIL)),
    );
  }
});

test("neither stderr nor the log at level trace contains a key", async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const log = path.join(DATA_DIR, "log");
  const wrap = ["sh", "-c", `exec "$@" 2>"${log}"`, "sh"];
  const server = await startServer(t, { DATA_DIR, TOOLBOOTH_LOG_LEVEL: "debug" }, wrap);
  const key = await server.demoKey();
  const post = async (tool: string, headers: Record<string, string>, body = "{}") => {
    const response = await fetch(`${server.base}/api/v1/${tool}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
    });
    return response.status;
  };
  const bearer = `Bearer ${key}`;
  assert.equal(await post("uuid", { Authorization: bearer }), 200);
  assert.equal(await post("uuid", { Authorization: bearer, "Idempotency-Key": key }), 200);
  assert.equal(await post("echo", { Authorization: bearer }, JSON.stringify({ key })), 200);
  assert.equal(await post("echo", { Authorization: bearer }, `{"${key}`), 400);
  assert.equal(await post("hash", { Authorization: bearer }, JSON.stringify({ [key]: key })), 400);
  assert.equal(await post("uuid", { Authorization: `Basic ${key}` }), 401);
  assert.equal(await post("uuid", { Authorization: `${bearer}x` }), 401);
  assert.equal(await post(key, { Authorization: bearer }), 404);
  await server.end("SIGTERM");
  const written = readFileSync(log, "utf8");
  assert.equal(written.match(/"msg":"request"/g)?.length, 8);
  assert.match(written, /"msg":"stopped"/);
  assert.ok(!written.includes(key.slice(0, 12)), "not even the start of the key");
  assert.ok(!written.includes(key.slice(-20)));
});

function makeFifo(t: TestContext): string {
  const file = path.join(temporaryFolder(t), "fifo");
  assert.equal(spawnSync("mkfifo", [file]).status, 0);
  return file;
}

test("SIGTERM ends the process even if nothing reads its log", {
  timeout: 300_000,
}, async (t) => {
  // The test holds the reading end open, so that the pipe stays full instead of breaking.
  const wrap = ["sh", "-c", `exec "$@" 2<>"${makeFifo(t)}"`, "sh"];
  const env = { DATA_DIR: temporaryFolder(t), RATE_LIMIT: "0", TOOLBOOTH_LOG_LEVEL: "info" };
  const server = await startServer(t, env, wrap);
  // Each request logs about 200 bytes into a pipe of 64 KB.
  const callsEach = TAKES_ALL ? 100 : 25;
  const loops = Array.from({ length: 20 }, async () => {
    for (let call = 0; call < callsEach; call += 1) {
      const response = await fetch(`${server.base}/api/v1/none`, { method: "POST" });
      assert.equal(response.status, 404);
      await response.arrayBuffer();
    }
  });
  await Promise.all(loops);
  const started = Date.now();
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
  assert.ok(Date.now() - started < 8_000);
});

test("a closed stdout does not end the process", {
  timeout: 300_000,
}, async (t) => {
  const fifo = makeFifo(t);
  const reading = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(fifo, constants.O_WRONLY);
  const port = await freePort();
  const child = spawnWith(t, ["ignore", writing, "pipe"], {
    DATA_DIR: temporaryFolder(t),
    PORT: String(port),
  });
  closeSync(reading);
  closeSync(writing);
  const ended = once(child, "exit");
  const base = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${base}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await eventually("it is up", isUp);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  await eventually("it has started", async () => log.includes('"msg":"started"'));
  assert.ok(await isUp());
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  assert.doesNotMatch(log, /tb_|EPIPE/);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

function spawnWith(
  t: TestContext,
  stdio: ("ignore" | "pipe" | number)[],
  env: Record<string, string>,
): ChildProcess {
  const entry = path.join(import.meta.dirname, "../../../src/apps/node/main.ts");
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", entry], {
    env: { ...bareEnvironment(), ...env },
    stdio,
  });
  t.after(() => void (child.exitCode === null && child.kill("SIGKILL")));
  return child;
}

draw();
