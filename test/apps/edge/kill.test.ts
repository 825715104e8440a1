import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { bundleWorker, type Edge, startEdge } from "../../http/edge.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { callSteady, type KeyedCall, type Received, recordKeyed } from "../node/broken-calls.ts";
import { EDGE_TEXTS, ledgerAt, openEdgeAccount } from "./edge-ledger.ts";

/**
 * Repeats SIGKILL of workerd under load on one folder. Every account has concurrent calls with and without idempotency keys.
 * A call costs 1 credit and nothing else does, so the remaining credits identify the debit of a response: no two responses may
 * have the same number, and the object's balance may not be higher than the last of them.
 */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 3);
const ACCOUNTS = 6;
/** Concurrent calls per account, half of them with an idempotency key. */
const CALLERS = 4;
/** The maximum number of responses in a round. */
const RESPONSES_MAX = 200;
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

/** Calls without a pause until the connections break, which happens after `killAt` responses. */
async function load(edge: Edge, accounts: Account[], round: number, killAt: number): Promise<void> {
  let responses = 0;
  const recordResponse = () => {
    responses += 1;
    if (responses === killAt) process.kill(edge.pid, "SIGKILL");
  };
  const loops = accounts.flatMap((account) =>
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let at = 0; await callOnce(edge.base, account, `${round}-${caller}-${at}`); at += 1)
        recordResponse();
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

test(`after SIGKILL of workerd under load, ${ROUNDS} times, the objects have every received response and charged nothing twice`, {
  timeout: 3_600_000,
}, async (t) => {
  const folder = temporaryFolder(t);
  const { code } = await bundleWorker("apps/edge/worker-with-test-access.ts");
  let edge: Edge = await startEdge(code, { folder, texts: TEXTS });
  t.after(() => edge.close());
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => openAccount(edge.base)),
  );

  for (let round = 0; round < ROUNDS; round += 1) {
    await load(edge, accounts, round, 1 + Math.floor(Math.random() * RESPONSES_MAX));
    await edge.close();
    edge = await startEdge(code, { folder, texts: TEXTS });
    const { base } = edge;
    await Promise.all(accounts.map((account) => inspect(base, account)));
    await Promise.all(accounts.map((account) => settle(base, account)));
  }

  const totals = { keyed: 0, responded: 0, broken: 0 };
  for (const account of accounts) {
    const { account: id, keyed, left, broken } = account;
    const { balance } = await ledgerAt(edge.base).credits({ account: id, now: Date.now() });
    assertAccounted(account, balance, 0);
    const bodies = new Set(keyed.map(({ body }) => body));
    assert.equal(bodies.size, keyed.length, "each call with a key has its own response");
    totals.keyed += keyed.length;
    totals.responded += left.size;
    totals.broken += broken;
  }
  await edge.close();
  assertWholeFiles(folder);
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
