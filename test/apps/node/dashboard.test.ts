import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { MessageChannel, type Worker } from "node:worker_threads";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { readConfig } from "#config/config.ts";
import { ApiError } from "#errors.ts";
import type { ServiceConfig, ToolOffered } from "#service/parts.ts";
import {
  DashboardBusy,
  DashboardUnavailable,
  kindOf,
  REQUESTS_MAX,
  type RequestKind,
  startDashboard,
} from "../../../src/apps/node/dashboard.ts";
import { openDashboardServer } from "../../../src/apps/node/dashboard-server.ts";
import type { NodeLog } from "../../../src/apps/node/log.ts";
import { openNodeStore, type StoreConnection } from "../../../src/apps/node/store.ts";
import { anEntry, chunkOf } from "../../contract/request-log.ts";
import { eventually } from "../../http/test-api.ts";
import { afterSuite } from "../../support/after-suite.ts";

/** The dashboard thread, with a database in its own folder. */
const ORIGIN = "http://127.0.0.1:26001";
const EMAIL = "ann@example.com";

const newFolder = () => mkdtempSync(path.join(tmpdir(), "toolbooth-dashboard-"));
const SECRETS = ["a-secret-of-the-service"];

/** The ledger of a folder, as the main thread opens it. */
const openStore = (folder: string) =>
  openNodeStore(readConfig({ DATA_DIR: folder }), { onBatch() {}, onCrash() {}, onFault() {} });

const configOf = (folder: string): ServiceConfig => ({
  ...readConfig({ DATA_DIR: folder }),
  ...{ publicUrl: ORIGIN, origins: [ORIGIN], secrets: SECRETS, prices: null },
});

/** `connect`: changes what the thread is given to reach the ledger. */
async function openThread(
  t: Pick<TestContext, "after">,
  folder = newFolder(),
  connect: (connection: StoreConnection) => StoreConnection = (connection) => connection,
) {
  const store = await openStore(folder);
  const emails: string[] = [];
  const loggedErrors: string[] = [];
  const warnings: string[] = [];
  const threads: Worker[] = [];
  const started = (thread: Worker) => threads.push(thread);
  process.on("worker", started);
  const log: NodeLog = {
    show() {},
    info() {},
    error: (message) => loggedErrors.push(message),
    access() {},
    warn: (message) => warnings.push(message),
    logError: (message) => loggedErrors.push(message),
    email: (text) => emails.push(text),
    close: async () => {},
  };
  const dashboard = startDashboard(configOf(folder), () => connect(store.connect()), log, {
    stopTimeoutMs: 120_000,
  });
  t.after(async () => {
    process.off("worker", started);
    await dashboard.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = (method: string, to: string, body?: object, cookie = "") => {
    const bytes = body === undefined ? null : new TextEncoder().encode(JSON.stringify(body));
    const headers = { origin: ORIGIN, "content-type": "application/json", cookie };
    return dashboard.fetch(new Request(ORIGIN + to, { method, headers }), bytes, "203.0.113.9");
  };
  return { dashboard, ask, emails, loggedErrors, warnings, threads };
}

const cookieOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");

const responses = (ask: Awaited<ReturnType<typeof openThread>>["ask"]) => async () => {
  const visitor = await ask("GET", "/dashboard/visitor").catch((error) => error);
  assert.ok(
    visitor instanceof Response || visitor instanceof DashboardUnavailable,
    String(visitor),
  );
  return visitor instanceof Response && visitor.status === 200;
};

test("a thread that dies is restarted: what is in progress fails, no download ends as if it were complete, and nothing is lost", async (t) => {
  const { dashboard, ask, emails, loggedErrors, threads } = await openThread(t);
  const started = await ask("POST", "/dashboard/auth/sign-in/start", { email: EMAIL });
  assert.equal(started.status, 200);
  await eventually("an email", async () => emails.length === 1);
  const code = /^Code: ([\d ]+)$/m.exec(emails[0] ?? "")?.[1];
  const signIn = () => ask("POST", "/dashboard/auth/sign-in/code", { code }, cookieOf(started));
  const signedIn = await signIn();
  assert.equal(signedIn.headers.getSetCookie().length, 3, "each cookie has its own header");
  const cookie = cookieOf(signedIn);
  const get = (to: string) => ask("GET", `/dashboard/${to}`, undefined, cookie);
  const { user, requestLog } = (await (await get("visitor")).json()) as Visitor;
  const entries = Array.from({ length: 5_000 }, (_, no) => anEntry({ id: `req_${no}` }));
  const chunk = chunkOf(user?.account.id ?? "", entries);
  assert.deepEqual([requestLog, await dashboard.logRequests([chunk])], [true, "logged"]);

  const download = "requests/export?format=jsonl";
  const [first, second] = [await get(download), await get(download)];
  assert.equal((await get(download)).status, 429);
  const reader = (first.body as ReadableStream<Uint8Array>).getReader();
  assert.equal((await reader.read()).done, false);
  // It gets one more request, and is not there to respond.
  const dead = threads[0]?.terminate();
  const lost = assert.rejects(signIn(), DashboardUnavailable);
  await Promise.all([dead, lost]);
  // At once, before another thread can start.
  await assert.rejects(get("visitor"), DashboardUnavailable);
  assert.equal(await dashboard.logRequests([]), "again");
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, DashboardUnavailable);
  await assert.rejects(second.text(), DashboardUnavailable, "one that has not begun, too");
  await eventually("it responds", responses(ask));
  assert.equal(threads.length, 2);
  assert.deepEqual(loggedErrors, ["Dashboard thread died; restarting"]);

  assert.equal(((await (await get("home")).json()) as { balance: number }).balance, 100);
  const again = await get(download);
  assert.equal((await again.text()).split("\n").length, 5_001, "the new thread has all its places");
  assert.equal(emails.filter((text) => text.includes("/sign-in/link#")).length, 1);
});

describe("one thread", () => {
  const t = afterSuite();
  let thread: Awaited<ReturnType<typeof openThread>>;
  before(async () => {
    thread = await openThread(t);
  });

  test("rejects more sign-ins at once than may be without an error in the log, and no other requests", async () => {
    const ask = (kind: RequestKind, peer: string) =>
      thread.dashboard.fetch(new Request(`${ORIGIN}/dashboard/visitor`), null, peer, kind);
    const flood = Array.from({ length: REQUESTS_MAX["sign-in"] + 5 }, (_, turn) =>
      ask("sign-in", `203.0.113.${turn}`),
    );
    const other = ask("other", "192.0.2.1");
    for (const rejected of flood.slice(-5)) await assert.rejects(rejected, DashboardBusy);
    assert.equal((await other).status, 200);
    await Promise.all(flood.slice(0, -5));
    assert.deepEqual(thread.loggedErrors, []);
  });

  test("goes on after an unexpected body and a method that fetch does not support", async () => {
    const { dashboard, ask, loggedErrors, threads } = thread;
    assert.equal((await ask("GET", "/dashboard/visitor", { a: 1 })).status, 200);
    for (const method of ["TRACE", "CONNECT", "track", "x"]) {
      const url = `${ORIGIN}/dashboard/home`;
      const request = { method, url, headers: new Headers() } as Request;
      const response = await dashboard.fetch(request, new Uint8Array([1]), null);
      assert.equal(response.status, 403, method);
    }
    const unnamed = { method: "", url: "no address", headers: new Headers() } as Request;
    assert.equal((await dashboard.fetch(unnamed, null, null)).status, 500);
    assert.ok(await responses(ask)());
    assert.equal(threads.length, 1);
    assert.deepEqual(loggedErrors, ["Dashboard request failed"]);
  });

  test("stops without waiting for guesses or emails, and responds to nothing afterwards", async () => {
    const { dashboard, ask, threads, loggedErrors } = thread;
    const guesses = Array.from({ length: 5 }, (_, turn) =>
      ask("POST", "/dashboard/auth/sign-in/code", { code: `${turn}` }),
    );
    const settled = Promise.allSettled(guesses);
    await guesses[0];
    const codes: number[] = [];
    threads[0]?.on("exit", (code) => codes.push(code));
    await dashboard.stop();
    // 0 means that the thread ended by itself; a terminated thread has 1.
    assert.deepEqual(codes, [0]);
    for (const outcome of await settled) {
      if (outcome.status === "rejected") assert.ok(outcome.reason instanceof DashboardUnavailable);
    }
    await assert.rejects(ask("GET", "/dashboard/visitor"), DashboardUnavailable);
    assert.equal(loggedErrors.length, 1);
  });
});

test("requests to sign in have places of their own", () => {
  const kind = (path: string) => kindOf({ url: `${ORIGIN}/dashboard${path}` });
  for (const path of ["sign-in/start", "sign-in/code", "sign-in/link", "callback/github?code=x"])
    assert.equal(kind(`/auth/${path}`), "sign-in");
  for (const path of ["/visitor", "/home", "/account/email"]) assert.equal(kind(path), "other");
});

test("the server responds with 503 and Retry-After while there is no thread, and can be stopped", async () => {
  const folder = newFolder();
  const loggedErrors: string[] = [];
  const log = { logError: (message: string) => loggedErrors.push(message) } as unknown as NodeLog;
  const connect = () => ({
    file: path.join(folder, "missing"),
    blocked: new SharedArrayBuffer(4),
    orders: new MessageChannel().port2,
  });
  const service = openDashboardServer(configOf(folder), connect, log, {});
  await assert.rejects(
    service.fetch(new Request(`${ORIGIN}/dashboard/visitor`), new Uint8Array(), undefined),
    (fault) =>
      fault instanceof ApiError &&
      fault.code === "unavailable" &&
      fault.details.headers?.["Retry-After"] === "2",
  );
  const command = new Request(`${ORIGIN}/operator/account/list`, { method: "POST", body: "{}" });
  const response = await service.fetchForOperator(command, null);
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  assert.deepEqual([response.status, code], [503, "unavailable"]);
  assert.match(detail, /Nothing was changed/);
  await service.close();
  for (const message of loggedErrors) assert.match(message, /^Dashboard thread failed to start/);
  rmSync(folder, { recursive: true });
});

test("the thread knows whether the first call is free for any tool, also where a function decides the price", async (t) => {
  const folder = newFolder();
  const store = await openStore(folder);
  const log = { logError: assert.fail, warn() {}, info() {} } as unknown as NodeLog;
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const hasFreeCall = async (tool: ToolOffered) => {
    const service = openDashboardServer(configOf(folder), store.connect, log, { tools: [tool] });
    const visitor = new Request(`${ORIGIN}/dashboard/visitor`);
    const response = await service.fetch(visitor, new Uint8Array(), undefined);
    await service.close();
    return ((await response.json()) as Visitor).hasFreeCall;
  };
  assert.equal(await hasFreeCall({ name: "dear", price: 5 }), false);
  assert.equal(await hasFreeCall({ name: "by-input", price: 5, priceOf: () => 1 }), true);
});

test("requests without the operator's token leave places to commands, and a command without a place gets 503", async (t) => {
  const folder = newFolder();
  const store = await openStore(folder);
  const errors: unknown[] = [];
  const log = { logError: (...error: unknown[]) => errors.push(error) } as unknown as NodeLog;
  const config = { ...configOf(folder), operatorToken: "t".repeat(32) };
  const server = openDashboardServer(config, () => store.connect(), log, {});
  t.after(async () => {
    await server.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const stranger = { socket: { remoteAddress: "203.0.113.9" }, headers: {} };
  const ask = (connection: unknown) => {
    const request = new Request(`${ORIGIN}/operator/account/list`, { method: "POST", body: "{}" });
    return server.fetchForOperator(request, connection);
  };
  const places = Array.from({ length: REQUESTS_MAX.operator });
  const flood = [...places, 0].map(() => ask(stranger));
  const commands = [...places, 0].map(() => ask(null));
  for (const { status } of await Promise.all(flood)) assert.ok([401, 429].includes(status));
  const responses = await Promise.all(commands);
  assert.deepEqual(
    responses.map(({ status }) => status),
    [...places.map(() => 200), 503],
  );
  const { code } = (await (responses.at(-1) as Response).json()) as { code: string };
  assert.equal(code, "unavailable");
  assert.deepEqual(errors, []);
});

test("one that nobody has asked stops without a thread", async (t) => {
  const { dashboard, threads } = await openThread(t);
  await dashboard.stop();
  assert.deepEqual(threads, []);
});

test("retries to start the thread until it succeeds", async (t) => {
  const folder = newFolder();
  let isThere = false;
  const { dashboard, ask, loggedErrors } = await openThread(t, folder, (connection) =>
    isThere ? connection : { ...connection, file: path.join(folder, "missing") },
  );
  await assert.rejects(ask("GET", "/dashboard/visitor"), DashboardUnavailable);
  isThere = true;
  await eventually("it responds", responses(ask));
  assert.ok(loggedErrors.length >= 1);
  for (const each of loggedErrors)
    assert.match(each, /^Dashboard thread failed to start; retrying$/);
  await dashboard.stop();
});
