import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { runServer, type ServerProcess, startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { listen } from "../../support/ports.ts";
import { sqliteRows } from "../../support/sqlite-rows.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/**
 * The process: what it prints when it starts, what its log has, and how it ends when it cannot start. Which data gets a demo account is
 * in `demo-account.test.ts`, and the messages for a data folder are in `start-messages.test.ts`.
 */

/** A process that cannot start prints one message and nothing else. */
function assertPlain({ code, written }: { code: number | null; written: string }) {
  assert.equal(code, 1, written);
  assert.doesNotMatch(written, /^\s+at /m, "no stack trace");
  assert.doesNotMatch(written, /^Toolbooth .* listens on|tb_/m);
}

const post = (to: string, headers: Record<string, string>, body = "{}") =>
  fetch(to, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });

test("a first start on a used port does not consume the demo key: the next start shows it, the one after it does not", async (t) => {
  const other = createServer();
  t.after(() => other.close());
  const PORT = String(await listen(other));
  const DATA_DIR = path.join(temporaryFolder(t), "not", "yet", "there");
  const refused = await runServer(t, { DATA_DIR, PORT });
  assertPlain(refused);
  assert.match(refused.written, /Another process already listens on this address .*Set PORT/);

  const first = await startServer(t, { DATA_DIR, TOOLBOOTH_LOG_LEVEL: "debug" });
  const key = await first.demoKey();
  assert.match(first.written(), /demo@toolbooth\.localhost, 100 credits/);
  await callWithKeys(first, key);
  assert.deepEqual(await first.end("SIGINT"), { code: 0, signal: null });
  const log = first.log();
  assert.match(log, /"msg":"stopped"/);
  assert.ok((log.match(/"msg":"request"/g) ?? []).length >= 8);
  assert.ok(!log.includes(key.slice(0, 12)), "not even the start of the key");
  assert.ok(!log.includes(key.slice(-20)));

  // The documentation tells users to export the variables of clients, which a server ignores.
  const env = { DATA_DIR, TOOLBOOTH_KEY: key, TOOLBOOTH_URL: first.base };
  const second = await startServer(t, env);
  const response = await post(`${second.base}/api/v1/uuid`, { Authorization: `Bearer ${key}` });
  assert.equal(response.status, 200);
  await hasNoOperatorAndNoPayments(second);
  await logsRequests(second, key, path.join(DATA_DIR, "requests.sqlite"));
  await keepsItsFolder(t, second, DATA_DIR);
  second.child.kill("SIGTERM");
  assert.deepEqual(await second.end("SIGTERM"), { code: 0, signal: null }, "the second is ignored");
  assert.doesNotMatch(second.written(), /tb_|demo account/);
});

/** Calls that carry the key wherever a client could put it, among them the line that a first start prints. */
async function callWithKeys({ base, written }: ServerProcess, key: string): Promise<void> {
  const bearer = { Authorization: `Bearer ${key}` };
  const first = await post(`${base}/api/v1/uuid`, bearer);
  assert.deepEqual([first.status, first.headers.get("credits-remaining")], [200, "100"]);
  const line = /^ {2}(curl .*)$/m.exec(written())?.[1] ?? "";
  assert.ok(line.includes(key));
  const { stdout, error } = spawnSync("sh", ["-c", line], { encoding: "utf8" });
  if (error === undefined && stdout !== "") assert.match(JSON.parse(stdout).html, /^<h1>Hello/);
  for (const [tool, headers, body, status] of [
    ["uuid", { ...bearer, "Idempotency-Key": key }, "{}", 200],
    ["echo", bearer, JSON.stringify({ key }), 200],
    ["echo", bearer, `{"${key}`, 400],
    ["hash", bearer, JSON.stringify({ [key]: key }), 400],
    ["uuid", { Authorization: `Basic ${key}` }, "{}", 401],
    ["uuid", { Authorization: `Bearer ${key}x` }, "{}", 401],
    [key, bearer, "{}", 404],
  ] as const) {
    const response = await post(`${base}/api/v1/${tool}`, headers, body);
    assert.equal(response.status, status, await response.text());
  }
}

async function hasNoOperatorAndNoPayments({ base }: ServerProcess): Promise<void> {
  for (const target of ["/operator", "/operator/account/list", "/operator/?x=1"]) {
    const response = await post(base + target, { Authorization: `Bearer ${"t".repeat(40)}` });
    assert.equal(response.status, 404);
    assert.match(await response.text(), /TOOLBOOTH_OPERATOR_TOKEN/);
  }
  assert.equal((await post(`${base}/webhooks/stripe`, {})).status, 404);
  const prices = (await (await fetch(`${base}/dashboard/prices`)).json()) as { payable: boolean };
  assert.equal(prices.payable, false);
}

/** Of what a call sent, the request log has only the start of the value that an error names. */
async function logsRequests({ base }: ServerProcess, key: string, file: string): Promise<void> {
  const call = (id: string, query = "") =>
    post(`${base}/api/v1/uuid${query}`, { Authorization: `Bearer ${key}`, "X-Request-Id": id });
  assert.equal((await call("req_good")).status, 200);
  assert.equal((await call("req_wrong", `?count=${"x".repeat(99)}`)).status, 400);
  let packed = "";
  await eventually("the requests are in the log", async () => {
    const rows = sqliteRows(file, "SELECT packed FROM request_chunk");
    packed = rows.map((row) => row["packed"]).join();
    return /"req_good","uuid",200,null,.*"req_wrong","uuid",400,"invalid_request",/.test(packed);
  });
  assert.doesNotMatch(packed, /x{21}|tb_\w{5}/);
}

/** A second server is refused and learns which one is running; a running one says that its database is gone. */
async function keepsItsFolder(
  t: TestContext,
  server: ServerProcess,
  DATA_DIR: string,
): Promise<void> {
  const refused = await runServer(t, { DATA_DIR });
  assertPlain(refused);
  assert.ok(
    refused.written.startsWith(`Another server (process ${server.child.pid} on `),
    refused.written,
  );
  assert.ok(refused.written.includes(`, ${server.base}, started 20`), refused.written);
  const isGone = /toolbooth\.sqlite was deleted or moved away while/;
  rmSync(path.join(DATA_DIR, "toolbooth.sqlite"));
  await eventually("the fault is noticed", async () => {
    const response = await fetch(`${server.base}/readyz`);
    return response.status === 503 && isGone.test(await response.text());
  });
  const isLogged = new RegExp(`"level":"error".*${isGone.source}`);
  await eventually("the fault is in the log", async () => isLogged.test(server.log()));
}

test("all invalid settings are in one message, without secrets, and nothing is created", async (t) => {
  const DATA_DIR = path.join(temporaryFolder(t), "data");
  const wrong = {
    PORT: "80a",
    PUBLIC_URL: "ftp://x",
    RATE_LIMIT: "-1",
    SECRET: "too short",
    DATABASE_URL: "mysql://x",
    TOOLBOOTH_LOG_LEVEL: "loud",
    TOOLBOOTH_STARTER_DAYS: "0",
  };
  const refused = await runServer(t, { DATA_DIR, ...wrong, TOOLBOOTH_STARTER_CREDIT: "5" });
  assertPlain(refused);
  for (const name of Object.keys(wrong))
    assert.match(refused.written, new RegExp(`^${name} `, "m"));
  assert.match(refused.written, /Did you mean TOOLBOOTH_STARTER_CREDITS\?/);
  assert.ok(!refused.written.includes("too short"));
  assert.ok(!existsSync(DATA_DIR));
});

test("a read-only disk is reported", async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const mount = `mount -t tmpfs -o ro,size=1m tmpfs ${DATA_DIR} && exec "$@"`;
  const wrap = ["unshare", "--mount", "--", "sh", "-c", mount, "sh"];
  if (spawnSync("unshare", [...wrap.slice(1), "true"]).status !== 0)
    return t.skip("this user may not mount");
  const refused = await runServer(t, { DATA_DIR }, wrap);
  assertPlain(refused);
  assert.match(refused.written, /is not writable/);
});
