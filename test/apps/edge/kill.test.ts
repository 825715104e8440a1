import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { bundleWorker } from "../../http/edge.ts";
import { eventually } from "../../http/test-api.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { SEED } from "../../support/random.ts";
import { assertSpent, type Customer, newCustomer, settle, startCalls } from "../fleet/customers.ts";
import {
  EDGE_TEXTS,
  type EdgeAccount,
  ledgerAt,
  openEdgeAccount,
  requestLogAt,
} from "./edge-ledger.ts";
import { openRestarts, type Restarts } from "./restarts.ts";

/**
 * Repeats SIGKILL of workerd under load on one folder. Every account has concurrent calls with and without idempotency keys.
 * A call costs 1 credit and nothing else does, so the remaining credits identify the debit of a response: no two responses may
 * have the same number, and the object's balance may not be higher than the last of them.
 */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 1);
const ACCOUNTS = 4;
/** The maximum number of responses in a round. */
const RESPONSES_MAX = 100;
const CREDITS = 10_000_000;
const TEXTS = { ...EDGE_TEXTS, RATE_LIMIT: "0" };

async function openAccount(base: string): Promise<Customer> {
  const { account, key } = await openEdgeAccount({ ledger: ledgerAt(base) }, CREDITS);
  return newCustomer(account, key);
}

/** Checks before any new call that the object's disk covers every response. */
async function inspect(base: string, account: Customer): Promise<void> {
  const order = { account: account.account, now: Date.now() };
  const ledger = ledgerAt(base);
  const { ok, faults } = await ledger.audit(order);
  assert.ok(ok, faults.join("\n"));
  const { balance } = await ledger.credits(order);
  const { left } = account;
  assert.equal(new Set(left).size, left.length, "no two responses have the same remaining credits");
  const last = Math.min(CREDITS, ...left);
  assert.ok(balance <= last, `a response has ${last} credits remaining, the object ${balance}`);
  assertSpent(account, CREDITS - balance);
}

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
  const { code } = await bundleWorker("apps/edge/worker-with-test-access.ts");
  const restarts = await openRestarts(t, code, TEXTS);
  const { edge, kill, restart } = restarts;
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => openAccount(edge().base)),
  );
  const watched = openWatched(restarts);
  await watched.open();
  assert.equal(await watched.call("first"), "20");
  const hasLogged = async () => (await watched.logged()).length === 1;
  await eventually("its first call is in the log", hasLogged, HANGS_MS);
  const hasGrant = async () => (await watched.events()).length === 2;
  await eventually("the event of its grant is in D1", hasGrant, HANGS_MS);

  for (let round = 1; round <= ROUNDS; round += 1) {
    const isLast = round === ROUNDS;
    const calls = startCalls(t, accounts, String(round), () => edge().base);
    await calls.reach(1 + chance.below(RESPONSES_MAX));
    if (isLast) assert.equal(await watched.call("lost"), "19");
    kill();
    await calls.stop();
    await restart();
    const { base } = edge();
    await Promise.all(accounts.map((account) => inspect(base, account)));
    await Promise.all(accounts.map((account) => settle(base, account)));
  }

  // Its event was in the object alone, and its last call in the memory of the isolate.
  const hasEvent = async () => (await watched.events()).length > 2;
  await eventually("the event arrives without further calls", hasEvent, HANGS_MS);
  assert.deepEqual(await watched.events(), ["key.created", "credits.granted", "credits.low"]);
  assert.equal(await watched.call("kept"), "18");
  const hasLater = async () => (await watched.logged()).length > 1;
  await eventually("a later call is in the log", hasLater, HANGS_MS);
  assert.deepEqual(await watched.logged(), ["kept", "first"]);

  const totals = { keyed: 0, responded: 0, broken: 0 };
  for (const account of accounts) {
    const { account: id, keyed, left, broken } = account;
    const { balance } = await ledgerAt(edge().base).credits({ account: id, now: Date.now() });
    assertSpent(account, CREDITS - balance);
    const bodies = new Set(keyed.map(({ body }) => body));
    assert.equal(bodies.size, keyed.length, "each call with a key has its own response");
    totals.keyed += keyed.length;
    totals.responded += left.length;
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
