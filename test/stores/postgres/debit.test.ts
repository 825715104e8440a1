import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import fc from "fast-check";
import type { LedgerEventKind } from "#ledger/events.ts";
import type { DebitOrder, DebitOutcome, Ledger } from "#ledger/port.ts";
import { createPostgresDebits } from "#stores/postgres/debits.ts";
import { decideTogether } from "#stores/postgres/decide-together.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import {
  accountId,
  allEntries,
  assertTotals,
  DAY,
  HOUR,
  idempotency,
  keyId,
  keySha256,
  START,
  sortedUsage,
} from "../../contract/ledger/fixture.ts";
import { createMemoryLedger } from "../../support/memory-ledger.ts";
import { type Batch, KEYS, type Step, step, WHO } from "./debit-steps.ts";
import { type Node, newDatabase, openNode } from "./fixture.ts";

/**
 * Compares batches that look up debits only when necessary, batches that look up every debit first, and SQLite with one
 * order at a time: the outcomes, events and totals must be equal. The first two have a database each, in which every
 * run has its own accounts.
 */
const RUNS = Math.ceil(Number(process.env["TEST_MODEL_RUNS"] ?? 40) / 4);
const SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

type Outcomes = (DebitOutcome | string)[];
type Way = { name: string; ledger: Ledger; debitAll(orders: DebitOrder[]): Promise<Outcomes> };
let nodes: Node[] = [];
before(async () => {
  nodes = await Promise.all([newDatabase(), newDatabase()].map(async (url) => openNode(await url)));
});
after(() => Promise.all(nodes.map((node) => node.close())));

/** How many batches were decided, and how many were abandoned because a debit already existed. */
const batches = { decided: 0, givenUp: 0 };

const watch = (pool: PostgresPool): PostgresPool => ({
  ...pool,
  async roundTrips(mode, body) {
    try {
      const result = await pool.roundTrips(mode, body);
      batches.decided += 1;
      return result;
    } catch (error) {
      batches.givenUp += 1;
      throw error;
    }
  },
});

const rejected = (error: Error) => `rejected: ${error.message}`;

/** Sent in one tick, so that they form one batch. */
const submitAll =
  (submit: Ledger["debit"]) =>
  (orders: DebitOrder[]): Promise<Outcomes> =>
    Promise.all(orders.map((order) => submit(order).catch(rejected)));

const decideCarefully =
  ({ roundTrips }: PostgresPool) =>
  async (orders: DebitOrder[]): Promise<Outcomes> => {
    const outcomes = await roundTrips("batch", (send) =>
      decideTogether(send, "debit", orders, { isCareful: true, clock: "caller" }),
    );
    return outcomes.map((outcome) => (outcome instanceof Error ? rejected(outcome) : outcome));
  };

type Run = { no: number; ways: Way[]; sent: DebitOrder[]; grants: number };
let runs = 0;
const idOf = ({ no }: Run, name: string) => accountId(`${name}${no}x`);

async function openRun(): Promise<Run> {
  runs += 1;
  const [plain, careful] = nodes as [Node, Node];
  const memory = createMemoryLedger();
  const debits = createPostgresDebits(watch(plain.pool), undefined, "caller");
  const ways = [
    { name: "one after the other", ledger: memory, debitAll: submitAll(memory.debit) },
    { name: "in batches", ledger: plain.ledger, debitAll: submitAll(debits.submit) },
    { name: "carefully", ledger: careful.ledger, debitAll: decideCarefully(careful.pool) },
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
    await ledger.setLowBalance({ account, lowBalance: 3, now: START });
    if (name !== "Cid") await ledger.grant({ account, ...FIRST_GRANT });
    for (const label of KEYS) {
      const key = { id: keyId(account, label), sha256: keySha256(account, label) };
      await ledger.createKey({ account, ...key, start: "tb_", label, now: START });
    }
  }
}

const FIRST_GRANT = { id: "g0", kind: "pack", amount: 5, expiresAt: null, now: START } as const;

/** The results of all ways must be equal; the first one is the expected one. */
const compare = (run: Run, ask: (ledger: Ledger) => Promise<unknown>): Promise<void> =>
  compareWays(run, ({ ledger }) => ask(ledger));

async function compareWays(run: Run, ask: (way: Way) => Promise<unknown>): Promise<void> {
  const [right, ...others] = run.ways as [Way, ...Way[]];
  const plain = async (way: Way) => structuredClone(await ask(way));
  const expected = await plain(right);
  for (const way of others) assert.deepEqual(await plain(way), expected, way.name);
}

function orderOf(run: Run, each: Batch["orders"][number]): DebitOrder {
  const earlier = run.sent.length === 0 || each.type === "fresh" ? null : each.place;
  if (earlier !== null) return run.sent[earlier % run.sent.length] as DebitOrder;
  const { who, key, tool, credits, now, idempotencyKey, body } =
    each.type === "fresh" ? each : FIRST_OF_ALL;
  const account = idOf(run, who);
  const callId = `call_${run.sent.length}`;
  const kept = idempotencyKey === null ? null : idempotency(idempotencyKey, body, callId);
  const call = { account, keySha256: keySha256(account, key), callId, tool, now };
  const order = { ...call, credits, freeCallCredits: 2, idempotency: kept };
  run.sent.push(order);
  return order;
}
const FIRST_OF_ALL = {
  ...{ who: "Ada", key: "main", tool: "hash", credits: 1, now: START },
  ...{ idempotencyKey: null, body: "body" },
};

async function take(run: Run, step: Step): Promise<void> {
  if (step.type === "batch") {
    const orders = step.orders.map((each) => orderOf(run, each));
    return compareWays(run, ({ debitAll }) => debitAll(orders));
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
    const kind = ends === null ? step.kind : "pack";
    // Grants are compared by age only if they expire together, because a plan can give all grants the same expiry.
    const order = { account, id, kind, amount, expiresAt, now: START - (ends ?? 0) / HOUR };
    return compare(run, (ledger) => ledger.grant(order));
  }
  if (step.type === "low") {
    const { lowBalance, now } = step;
    return compare(run, (ledger) => ledger.setLowBalance({ account, lowBalance, now }));
  }
  if (step.type === "clawback") {
    const { credits, version, now } = step;
    const grant = `g${step.place % (run.grants + 1)}`;
    return compare(run, (ledger) => ledger.clawback({ account, grant, credits, version, now }));
  }
  const id = keyId(account, step.key);
  const order = { account, now: START };
  if (step.type === "suspend") return compare(run, (ledger) => ledger.suspendAccount(order));
  if (step.type === "resume") return compare(run, (ledger) => ledger.resumeAccount(order));
  if (step.type === "close") {
    // Pending events are deleted with the account.
    await compareEvents(run);
    return compare(run, (ledger) => ledger.closeAccount(order));
  }
  return compare(run, (ledger) => ledger.revokeKey({ ...order, id }));
}

/** The new events of the run's accounts since the last request, in order. */
async function takeEvents(run: Run, ledger: Ledger) {
  const accounts = WHO.map((name) => idOf(run, name));
  const { events } = await ledger.listEvents({ max: 100_000 });
  await ledger.deleteEvents({ ids: events.map(({ id }) => id) });
  return events
    .filter(({ account }) => accounts.includes(account))
    .map(({ id: _, ...content }) => content);
}

const compareEvents = (run: Run) =>
  compare(run, async (ledger) => {
    const events = await takeEvents(run, ledger);
    for (const { kind } of events) told[kind] = (told[kind] ?? 0) + 1;
    return events;
  });
/** How many events of each kind there were, over all ways. */
const told: Partial<Record<LedgerEventKind, number>> = {};

/** The events that only time causes are equal afterwards, so the levels were equal. */
async function compareEventsOfTime(run: Run): Promise<void> {
  await compareEvents(run);
  for (const now of [START + HOUR, START + 2 * DAY]) {
    for (const { ledger } of run.ways) await ledger.recordExpiries({ now, max: 1_000 });
    await compareEvents(run);
  }
}

async function compareTotals(run: Run): Promise<void> {
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

/** Every sample has a batch that is abandoned because one of its debits already exists. */
const ORDINARY = {
  ...({ type: "fresh", who: "Ada", key: "main", tool: "hash", credits: 1, now: START } as const),
  ...({ idempotencyKey: null, body: "body" } as const),
};
const SENT_AGAIN: Step[] = [
  { type: "grant", who: "Ada", amount: 40, ends: null, kind: "pack" },
  { type: "batch", orders: [ORDINARY] },
  { type: "batch", orders: [{ type: "again", place: 0 }, ORDINARY] },
];

test(`${RUNS} runs of random batches give the same outcomes and events in batches, carefully and one by one`, async (t: TestContext) => {
  t.diagnostic(`TEST_SEED=${SEED}`);
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 18, size: "max" }),
    async (steps) => {
      const run = await openRun();
      for (const each of steps) await take(run, each);
      await compareTotals(run);
      await compareEventsOfTime(run);
    },
  );
  await fc.assert(property, { numRuns: RUNS, seed: SEED, examples: [[SENT_AGAIN]] });
  t.diagnostic(JSON.stringify({ batches, told }));
  assert.ok(batches.decided > 2 * batches.givenUp, "most were decided at once");
  assert.ok(batches.givenUp > 0, "some were given up, and decided again");
  // On average a run brings more than two of each, but ten runs may bring fewer.
  const least = RUNS >= 100 ? 2 * RUNS : RUNS / 10;
  for (const kind of ["credits.low", "credits.depleted"] as const)
    assert.ok((told[kind] ?? 0) >= least, `${kind} was recorded often`);
  for (const { ledger } of nodes) await assertTotals(ledger, START);
});
