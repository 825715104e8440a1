import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { bundleWorker, type Edge, startEdge } from "../../http/edge.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { applyMigrations } from "../../stores/sql/d1-fixture.ts";
import { SEED } from "../../support/random.ts";
import { callSteady, type KeyedCall, type Received, recordKeyed } from "../node/broken-calls.ts";
import {
  EDGE_TEXTS,
  type EdgeAccount,
  ledgerAt,
  openEdgeAccount,
  requestLogAt,
} from "./edge-ledger.ts";

/**
 * Repeats SIGKILL of workerd under load on one folder. Every account has concurrent calls with and without idempotency keys.
 * A call costs 1 credit and nothing else does, so the remaining credits identify the debit of a response: no two responses may
 * have the same number, and the object's balance may not be higher than the last of them.
 */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 1);
const HANG_MS = 600_000;
const ACCOUNTS = 4;
/** Concurrent calls per account, half of them with an idempotency key. */
const CALLERS = 4;
/** The maximum number of responses in a round. */
const RESPONSES_MAX = 100;
const CREDITS = 10_000_000;
const TEXTS = { ...EDGE_TEXTS, RATE_LIMIT: "0" };

type Account = {
  account: string;
  key: string;
  /** The remaining credits after each charged call with a response. */
  left: Set<number>;
  keyed: KeyedCall[];
  /** Calls with a key whose first received response was a replay. */
  repeated: number;
  /** Connections that broke before the response, for calls that are not retried. */
  broken: number;
};

async function openAccount(base: string): Promise<Account> {
  const { account, key } = await openEdgeAccount({ ledger: ledgerAt(base) }, CREDITS);
  return { account, key, left: new Set(), keyed: [], repeated: 0, broken: 0 };
}

function recordCharged({ left, key }: Account, received: Received): void {
  assert.equal(received.charged, received.replayed ? 0 : 1);
  if (received.replayed) return;
  assert.ok(
    !left.has(received.left),
    `two responses to ${key} have ${received.left} credits remaining`,
  );
  left.add(received.left);
}

/** Sends or repeats a call, and asserts that its response never changes. */
async function callKeyed(base: string, account: Account, keyed: KeyedCall): Promise<boolean> {
  const received = await callSteady(base, account.key, keyed.count, keyed.idempotencyKey);
  if (received === null) return false;
  if (recordKeyed(keyed, received)) account.repeated += 1;
  recordCharged(account, received);
  return true;
}

async function callPlain(base: string, account: Account): Promise<boolean> {
  const received = await callSteady(base, account.key, 1);
  if (received === null) account.broken += 1;
  else recordCharged(account, received);
  return received !== null;
}

/** Calls without a pause until the connections break. `kill` is called after so many responses. */
async function load(
  { base }: Edge,
  accounts: Account[],
  round: number,
  killAt: number,
  kill: () => unknown,
): Promise<void> {
  let responses = 0;
  const loops = accounts.flatMap((account) =>
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let at = 0; await callOnce(base, account, `${round}-${caller}-${at}`); at += 1) {
        responses += 1;
        if (responses === killAt) await kill();
      }
    }),
  );
  await Promise.all(loops);
}

/** Callers alternate between calls with and without an idempotency key. */
function callOnce(base: string, account: Account, name: string): Promise<boolean> {
  const [, caller, at] = name.split("-").map(Number) as [number, number, number];
  if (caller % 2 === 1) return callPlain(base, account);
  const each = { idempotencyKey: name, count: 1 + (at % 3), body: null };
  account.keyed.push(each);
  return callKeyed(base, account, each);
}

/** Retries the calls without a response, and some of the others. */
async function settle(base: string, account: Account): Promise<void> {
  const open = account.keyed.filter(({ body }) => body === null);
  const known = account.keyed.filter(({ body }) => body !== null).slice(-5);
  for (const each of [...open, ...known]) assert.ok(await callKeyed(base, account, each));
}

/** Checks before any new call that the object's disk covers every response. */
async function inspect(base: string, account: Account): Promise<void> {
  const order = { account: account.account, now: Date.now() };
  const ledger = ledgerAt(base);
  const { ok, faults } = await ledger.audit(order);
  assert.ok(ok, faults.join("\n"));
  const { balance } = await ledger.credits(order);
  const last = Math.min(CREDITS, ...account.left);
  assert.ok(balance <= last, `a response has ${last} credits remaining, the object ${balance}`);
  const open = account.keyed.filter((each) => each.body === null).length;
  assertAccounted(account, balance, open);
}

/** Every debit belongs to a response, except at most one for each interrupted call. */
function assertAccounted(account: Account, balance: number, open: number): void {
  const others = CREDITS - balance - account.left.size - account.repeated;
  assert.ok(others >= 0, `${-others} responses have no debit`);
  assert.ok(others <= account.broken + open, `${others} debits without a call`);
}

/** Starts workerd on the same data each time. */
async function openRestarts(t: TestContext) {
  const folder = temporaryFolder(t);
  const { code } = await bundleWorker("apps/edge/worker-with-test-access.ts");
  const start = () =>
    startEdge(code, { folder, texts: TEXTS, beside: { d1Databases: { DB: "kept" } } });
  let edge: Edge = await start();
  t.after(() => edge.close());
  await applyMigrations(await edge.miniflare.getD1Database("DB"));
  return {
    folder,
    edge: () => edge,
    kill: () => process.kill(edge.pid, "SIGKILL"),
    async restart() {
      await edge.close();
      edge = await start();
    },
  };
}

type Restarts = Awaited<ReturnType<typeof openRestarts>>;

/** An account whose next call but one leaves few credits, which is an event. */
function openWatched({ edge }: Restarts) {
  let opened: EdgeAccount | undefined;
  const own = () => opened ?? assert.fail();
  return {
    async open() {
      opened = await openEdgeAccount({ ledger: ledgerAt(edge().base) }, 21);
    },
    async call(id: string): Promise<string | null> {
      const headers = { Authorization: `Bearer ${own().key}`, "X-Request-Id": id };
      const response = await fetch(`${edge().base}/api/v1/uuid`, { method: "POST", headers });
      assert.equal(response.status, 200);
      return response.headers.get("credits-remaining");
    },
    /** The kinds of its events in D1. */
    async events(): Promise<string[]> {
      const query = `SELECT event FROM forwarded_event WHERE id LIKE 'evt_${own().account}_%' ORDER BY no`;
      const database = await edge().miniflare.getD1Database("DB");
      const rows = (await database.prepare(query).all()).results as { event: string }[];
      return rows.map(({ event }) => (JSON.parse(event) as { kind: string }).kind);
    },
    /** The ids of the calls in its request log. */
    async logged(): Promise<string[]> {
      const order = { account: own().account, filter: {}, max: 9 };
      return (await requestLogAt(edge().base).list(order)).requests.map(({ id }) => id);
    },
  };
}

test(`after SIGKILL of workerd under load, the objects have every received response and charged nothing twice (kills: ${ROUNDS})`, async (t) => {
  t.diagnostic(`TEST_SEED=${SEED}`);
  const chance = createChance(SEED);
  const restarts = await openRestarts(t);
  const { edge, kill, restart } = restarts;
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => openAccount(edge().base)),
  );
  const watched = openWatched(restarts);
  await watched.open();
  assert.equal(await watched.call("first"), "20");
  const hasLogged = async () => (await watched.logged()).length === 1;
  await eventually("its first call is in the log", hasLogged, HANG_MS);
  const hasGrant = async () => (await watched.events()).length === 2;
  await eventually("the event of its grant is in D1", hasGrant, HANG_MS);

  for (let round = 1; round <= ROUNDS; round += 1) {
    const isLast = round === ROUNDS;
    await load(edge(), accounts, round, 1 + chance.below(RESPONSES_MAX), async () => {
      if (isLast) assert.equal(await watched.call("lost"), "19");
      kill();
    });
    await restart();
    const { base } = edge();
    await Promise.all(accounts.map((account) => inspect(base, account)));
    await Promise.all(accounts.map((account) => settle(base, account)));
  }

  // Its event was in the object alone, and its last call in the memory of the isolate.
  const hasEvent = async () => (await watched.events()).length > 2;
  await eventually("the event arrives without further calls", hasEvent, HANG_MS);
  assert.deepEqual(await watched.events(), ["key.created", "credits.granted", "credits.low"]);
  assert.equal(await watched.call("kept"), "18");
  const hasLater = async () => (await watched.logged()).length > 1;
  await eventually("a later call is in the log", hasLater, HANG_MS);
  assert.deepEqual(await watched.logged(), ["kept", "first"]);

  const totals = { keyed: 0, responded: 0, broken: 0 };
  for (const account of accounts) {
    const { account: id, keyed, left, broken } = account;
    const { balance } = await ledgerAt(edge().base).credits({ account: id, now: Date.now() });
    assertAccounted(account, balance, 0);
    const bodies = new Set(keyed.map(({ body }) => body));
    assert.equal(bodies.size, keyed.length, "each call with a key has its own response");
    totals.keyed += keyed.length;
    totals.responded += left.size;
    totals.broken += broken;
  }
  await edge().close();
  assertWholeFiles(restarts.folder);
  t.diagnostic(JSON.stringify(totals));
});

/** The database files of the objects. */
function assertWholeFiles(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /[0-9a-f]{64}\.sqlite$/.test(name),
  );
  assert.ok(files.length >= ACCOUNTS);
  for (const file of files) {
    const database = new DatabaseSync(path.join(folder, file));
    assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    database.close();
  }
}
