import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import fc from "fast-check";
import { type DebitOrder, LAST_USED_STEP_MS, type Ledger } from "#credits/ledger.ts";
import { createMemoryLedger } from "#store/memory.ts";
import { createPostgresDebits } from "#store/postgres-debits.ts";
import type { PostgresPool } from "#store/postgres-pool.ts";
import {
  accountId,
  allEntries,
  assertBooks,
  DAY,
  HOUR,
  idempotency,
  keyId,
  keySha256,
  START,
  sortedUsage,
} from "../contract/ledger/scene.ts";
import { type Node, newDatabase, openNode } from "./postgres-scene.ts";

/**
 * Batches decided set by set, order by order, and by the memory store one after the other: the same outcomes, and the
 * same books. The first two each have a database, in which every run has accounts of its own.
 */
const RUNS = Math.ceil(Number(process.env["TEST_MODEL_RUNS"] ?? 80) / 4);
const SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

type Way = { name: string; ledger: Ledger };
let nodes: Node[] = [];
before(async () => {
  nodes = await Promise.all([newDatabase(), newDatabase()].map(async (url) => openNode(await url)));
});
after(() => Promise.all(nodes.map((node) => node.close())));

/** How many batches each function decided, and how many it gave up. */
const decided = { debit_batch: 0, debit_each: 0, givenUp: 0 };

/** A pool by which debits are asked of the named function, where one is named. */
function watch(pool: PostgresPool, always?: "debit_each"): PostgresPool {
  return {
    ...pool,
    async once<Row>(...[mode, sql, values]: Parameters<PostgresPool["once"]>): Promise<Row[]> {
      const text = always === undefined ? sql : sql.replace("debit_batch", always);
      const name = text.includes("debit_batch") ? "debit_batch" : "debit_each";
      try {
        const rows = await pool.once<Row>(mode, text, values);
        if (always === undefined) decided[name] += 1;
        return rows;
      } catch (error) {
        decided.givenUp += 1;
        throw error;
      }
    },
  };
}

const WHO = ["Ada", "Bob", "Cid", "Nobody"];
const KEYS = ["main", "other"];
const who = fc.constantFrom(...WHO, "Ada", "Ada", "Bob");
/** Around the ends of the grants and of idempotency keys, and not in their order. */
const time = fc
  .tuple(
    fc.constantFrom(0, 0, 0, HOUR, 2 * HOUR, DAY, DAY + HOUR, LAST_USED_STEP_MS),
    fc.integer({ min: -2, max: 2 }),
  )
  .map(([ms, off]) => START + ms + off);
const freshOrder = fc.record({
  type: fc.constant("fresh"),
  who,
  key: fc.constantFrom("main", "main", "main", "other", "unknown"),
  tool: fc.constantFrom("hash", "hash", "uuid"),
  now: time,
  idempotencyKey: fc.option(fc.constantFrom("one", "one", "two"), { freq: 2 }),
  body: fc.constantFrom("body", "body", "other"),
});
/** As most calls are: such an account's are decided at once. */
const calmOrder = fc.record({
  type: fc.constant("fresh"),
  who: fc.constantFrom("Ada", "Bob", "Cid"),
  key: fc.constantFrom("main", "main", "main", "main", "main", "other", "unknown"),
  tool: fc.constant("hash"),
  now: fc.integer({ min: START, max: START + 5 }),
  idempotencyKey: fc.constantFrom(null, null, null, null, null, null, null, "one"),
  body: fc.constant("body"),
});
/** One of those that were sent before, by its place, in this batch or an earlier one. */
const again = fc.record({ type: fc.constant("again"), place: fc.nat() });
const batchOf = (order: typeof freshOrder | typeof calmOrder, againWeight: number) => {
  const one = fc.oneof({ weight: 24, arbitrary: order }, { weight: againWeight, arbitrary: again });
  const orders = fc.array(one, { minLength: 1, maxLength: 14, size: "max" });
  return fc.record({ type: fc.constant("batch"), orders });
};
const grantStep = fc.record({
  type: fc.constant("grant"),
  who,
  amount: fc.constantFrom(1, 2, 3, 5, 40),
  ends: fc.option(fc.constantFrom(HOUR, HOUR, 2 * HOUR, DAY)),
});
const accountStep = fc.record({
  type: fc.constantFrom("suspend", "resume", "resume", "revoke", "close"),
  who,
  key: fc.constantFrom(...KEYS),
});
const step = fc.oneof(
  { weight: 8, arbitrary: batchOf(freshOrder, 0) },
  { weight: 8, arbitrary: batchOf(freshOrder, 4) },
  { weight: 8, arbitrary: batchOf(calmOrder, 0) },
  { weight: 2, arbitrary: batchOf(calmOrder, 1) },
  { weight: 8, arbitrary: grantStep },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("reverse"), place: fc.nat() }) },
  { weight: 4, arbitrary: accountStep },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Batch = Extract<Step, { type: "batch" }>;

type Run = { no: number; ways: Way[]; sent: DebitOrder[]; grants: number };
let runs = 0;
const idOf = ({ no }: Run, name: string) => accountId(`${name}${no}x`);

async function openRun(): Promise<Run> {
  runs += 1;
  const [setWise, each] = nodes as [Node, Node];
  const debitsOf = (pool: PostgresPool) => ({ debit: createPostgresDebits(pool).submit });
  const ways = [
    { name: "one after the other", ledger: createMemoryLedger() },
    { name: "set by set", ledger: { ...setWise.ledger, ...debitsOf(watch(setWise.pool)) } },
    { name: "each", ledger: { ...each.ledger, ...debitsOf(watch(each.pool, "debit_each")) } },
  ];
  const run = { no: runs, ways, sent: [], grants: 0 };
  for (const { ledger } of ways) await openAccounts(run, ledger);
  return run;
}

async function openAccounts(run: Run, ledger: Ledger): Promise<void> {
  for (const name of WHO.slice(0, 3)) {
    const account = idOf(run, name);
    const freeCall = name === "Bob" ? "withheld" : "open";
    await ledger.openAccount({ account, freeCall, now: START });
    for (const label of KEYS) {
      const key = { id: keyId(account, label), sha256: keySha256(account, label) };
      await ledger.createKey({ account, ...key, start: "tb_", label, now: START });
    }
  }
}

/** The same of all ways; the first one is right. */
async function compare(run: Run, ask: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const [right, ...others] = run.ways as [Way, ...Way[]];
  const expected = await ask(right.ledger);
  for (const { name, ledger } of others) assert.deepEqual(await ask(ledger), expected, name);
}

function orderOf(run: Run, each: Batch["orders"][number]): DebitOrder {
  const earlier = run.sent.length === 0 || each.type === "fresh" ? null : each.place;
  if (earlier !== null) return run.sent[earlier % run.sent.length] as DebitOrder;
  const { who, key, tool, now, idempotencyKey, body } = each.type === "fresh" ? each : FIRST_OF_ALL;
  const account = idOf(run, who);
  const callId = `call_${run.sent.length}`;
  const kept = idempotencyKey === null ? null : idempotency(idempotencyKey, body, callId);
  const order = { account, keySha256: keySha256(account, key), callId, tool, now };
  run.sent.push({ ...order, idempotency: kept });
  return { ...order, idempotency: kept };
}
const FIRST_OF_ALL = {
  ...{ who: "Ada", key: "main", tool: "hash", now: START, idempotencyKey: null, body: "body" },
};

/** In one tick, so that they are one batch. */
const debitAll = (ledger: Ledger, orders: DebitOrder[]) =>
  Promise.all(
    orders.map((order) =>
      ledger.debit(order).catch((error: Error) => `rejected: ${error.message}`),
    ),
  );

async function take(run: Run, step: Step): Promise<void> {
  if (step.type === "batch") {
    const orders = step.orders.map((each) => orderOf(run, each));
    return compare(run, (ledger) => debitAll(ledger, orders));
  }
  if (step.type === "reverse") {
    const debit = run.sent[step.place % Math.max(1, run.sent.length)];
    if (debit === undefined) return;
    const { account, callId, now: at } = debit;
    return compare(run, (ledger) => ledger.reverse({ account, callId, at, now: START + 1 }));
  }
  const account = idOf(run, step.who);
  if (step.type === "grant") {
    run.grants += 1;
    const { amount, ends } = step;
    const id = `g${run.grants}`;
    const expiresAt = ends === null ? null : START + ends;
    const order = { account, id, kind: "pack", amount, expiresAt, now: START } as const;
    return compare(run, (ledger) => ledger.grant(order));
  }
  const id = keyId(account, step.key);
  const order = { account, now: START };
  if (step.type === "suspend") return compare(run, (ledger) => ledger.suspendAccount(order));
  if (step.type === "resume") return compare(run, (ledger) => ledger.resumeAccount(order));
  if (step.type === "close") return compare(run, (ledger) => ledger.closeAccount(order));
  return compare(run, (ledger) => ledger.revokeKey({ ...order, id }));
}

async function compareBooks(run: Run): Promise<void> {
  for (const name of WHO) {
    const account = idOf(run, name);
    for (const now of [START, START + HOUR, START + DAY])
      await compare(run, (ledger) => ledger.credits({ account, now }));
    await compare(run, (ledger) => ledger.findAccount({ account, now: START }));
    await compare(run, (ledger) => ledger.listKeys({ account }));
    await compare(run, (ledger) => sortedUsage(ledger, account));
    await compare(run, async (ledger) => {
      const entries = await allEntries(ledger, account, START);
      return entries.sort((one, other) => (one.id < other.id ? -1 : 1));
    });
  }
}

test(`${RUNS} runs of random batches come out the same set by set, order by order and in memory`, async (t: TestContext) => {
  t.diagnostic(`TEST_SEED=${SEED}`);
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 14, size: "max" }),
    async (steps) => {
      const run = await openRun();
      for (const each of steps) await take(run, each);
      await compareBooks(run);
    },
  );
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
  t.diagnostic(JSON.stringify(decided));
  assert.ok(decided.debit_batch > decided.debit_each, "most were decided set by set");
  assert.ok(decided.givenUp > 0, "some were given up, and decided one by one");
  for (const { ledger } of nodes) await assertBooks(ledger, START);
});
