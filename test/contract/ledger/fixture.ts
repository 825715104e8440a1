/**
 * What every rule of the ledger starts from: an opened store and short ways to set it up. Orders and
 * outcomes go through JSON, because a store may sit behind a wire; what JSON drops, a rule misses.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { ACCOUNT_PART_CHARS } from "#ids.ts";
import type { EntriesPage, Entry } from "#ledger/entries.ts";
import type { LedgerEvents } from "#ledger/events.ts";
import type {
  DebitOrder,
  DebitOutcome,
  GrantKind,
  IdempotencyOrder,
  KeyLimits,
  Ledger,
  LedgerOperation,
  MaintainOutcome,
  Order,
  UsageRow,
} from "#ledger/port.ts";
import type { SumUsage } from "#stores/ledger/store-ledger.ts";

export type OpenedLedger = {
  ledger: Ledger;
  ledgerEvents?: LedgerEvents;
  sumUsage?: SumUsage;
  reopen?(): Promise<Ledger>;
  /** Carries out orders in one batch. */
  together?(items: readonly [name: LedgerOperation, order: object][]): Promise<unknown[]>;
  /** What such a batch may hold. */
  batches?: "debits" | "everything";
};
/** Opens an empty ledger; what has to be cleaned up is left to `t.after`. */
export type OpenLedger = (t: TestContext) => Promise<OpenedLedger>;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** On the hour, so that hours and minutes in the rules can be read off. */
export const START = Date.UTC(2026, 0, 15, 10);

/** Ids as the service makes them: a store may read the account out of a key's id. */
export const accountId = (name: string) => `acc_${name.padEnd(ACCOUNT_PART_CHARS, "0")}`;
export const keyId = (account: string, name = "main") =>
  `key_${account.slice("acc_".length)}${name.padEnd(10, "0")}`;
export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
export const keySha256 = (account: string, name = "main") => sha256(keyId(account, name));

type Grant = { expiresAt?: number | null; kind?: GrantKind; now?: number };
type Debit = Partial<Omit<DebitOrder, "account">> & { key?: string };

export type Fixture = ReturnType<typeof createFixture>;

export function createFixture(opened: OpenedLedger) {
  const ledger = throughJson(opened.ledger);
  const { reopen, ledgerEvents = NO_EVENTS, sumUsage = noSums } = opened;
  const accounts = new Set<string>();
  let calls = 0;
  let versions = 0;
  const debitOrder = (account: string, { key, ...changes }: Debit = {}): DebitOrder => {
    calls += 1;
    const callId = `call_${calls}`;
    const standard = { account, callId, tool: "hash", now: START, idempotency: null };
    const price = { credits: 1, freeCallCredits: 1 };
    return { ...standard, ...price, keySha256: keySha256(account, key), ...changes };
  };
  const createKey = (
    account: string,
    name = "main",
    now = START,
    limits: KeyLimits | null = null,
  ) =>
    ledger.createKey({
      account,
      id: keyId(account, name),
      sha256: keySha256(account, name),
      start: "tb_",
      label: name,
      limits,
      now,
    });
  const grant = (account: string, id: string, amount: number, more: Grant = {}) =>
    ledger.grant({ account, id, amount, kind: "operator", expiresAt: null, now: START, ...more });
  return {
    ...{ ledger, ledgerEvents, sumUsage },
    reopen: reopen && (async () => throughJson(await reopen())),
    createKey,
    grant,
    debitOrder,
    debit: (account: string, changes?: Debit) => ledger.debit(debitOrder(account, changes)),
    reverse: (
      { account, callId, now: at }: Pick<DebitOrder, "account" | "callId" | "now">,
      now = at,
    ) => ledger.reverse({ account, callId, at, now }),
    /** An account with one key and, by default, no free call and no credits. */
    async account(name = "Ada", given: { freeCall?: "open" | "withheld"; credits?: number } = {}) {
      const account = accountId(name);
      accounts.add(account);
      await ledger.openAccount({ account, freeCall: given.freeCall ?? "withheld", now: START });
      await createKey(account);
      if (given.credits !== undefined) await grant(account, "first", given.credits);
      return account;
    },
    /** Rolls up the debits before a time, in a whole round of maintenance. */
    rollUp: (rollUpBefore: number, { now = START, rowsMax = 9 } = {}) =>
      maintainFully(ledger, { now, rollUpBefore, rowsMax }),
    balance: async (account: string, now = START) =>
      (await ledger.credits({ account, now })).balance,
    /** The remaining credits of each grant, in the returned order: `{ first: 3 }`. */
    async remaining(account: string, now = START) {
      const { grants } = await ledger.credits({ account, now });
      return Object.fromEntries(grants.map(({ id, remaining }) => [id, remaining]));
    },
    totals: async (now = START) => (await ledger.audit({ now })).totals,
    /** Lists and deletes the waiting events, as their handler does. */
    async news() {
      const events = await ledgerEvents.list({ max: 1000 });
      await ledgerEvents.settle(events);
      return events.map(({ id: _, account: __, ...content }) => content);
    },
    /** Writes the events of at most `max` grants that expire. Returns how many were written. */
    async look(now: number, max = 1000) {
      const order = { now, rollUpBefore: 0, rowsMax: max, after: null };
      return (await ledger.maintain(order)).notified;
    },
    /** Each is a later version than the one before, unless a version is given. */
    clawback(account: string, id: string, credits: number, version?: number, now = START) {
      versions += 1;
      return ledger.clawback({ account, grant: id, credits, version: version ?? versions, now });
    },
    /** The end of each grant, and in its place what it would be were the account not on the lifetime plan. */
    async ends(account: string, now = START) {
      const { grants } = await ledger.credits({ account, now });
      return Object.fromEntries(
        grants.map(({ id, expiresAt, waivedExpiresAt }) => [id, [expiresAt, waivedExpiresAt]]),
      );
    },
    /** Of one account or, by default, of all that were opened here. */
    usage: (account?: string) => sortedUsage(ledger, account === undefined ? accounts : [account]),
  };
}

const missing = async (): Promise<never> => assert.fail("This ledger was opened without it");
const NO_EVENTS: LedgerEvents = { list: missing, settle: missing };
const noSums: SumUsage = missing;

/** The idempotency part of a debit order. The response differs from call to call, like a UUID. */
export const idempotency = (key: string, body = "body", response = "answer"): IdempotencyOrder => ({
  key,
  bodySha256: sha256(body),
  responseSha256: sha256(response),
  receivedAt: START,
  random: response,
});

/** A rule is a test with an empty ledger of its own. After each rule, the totals must reconcile. */
export function createRule(open: OpenLedger) {
  return (sentence: string, proof: (fixture: Fixture) => Promise<void>) =>
    test(sentence, async (t) => {
      const fixture = createFixture(await open(t));
      await proof(fixture);
      // Then all that can expire has expired.
      await assertTotals(fixture.ledger, START + 1000 * DAY);
    });
}

export async function assertTotals(ledger: Ledger, now: number) {
  const audit = await ledger.audit({ now });
  assert.deepEqual(audit.faults, []);
  assert.equal(audit.ok, true);
  const { granted, debited, reversed, remaining, held, expired, voided } = audit.totals;
  assert.equal(granted, debited - reversed + remaining + held + expired + voided);
  return audit;
}

const FOREVER = { from: 0, to: START + 1000 * DAY };

/** Its order does not depend on the numbers of keys. */
export async function sortedUsage(
  ledger: Ledger,
  accounts: Iterable<string>,
  range: { from: number; to: number } = FOREVER,
) {
  const rows: UsageRow[] = [];
  for (const account of accounts) rows.push(...(await ledger.usage({ account, ...range })));
  const nameOf = (row: (typeof rows)[number]) =>
    `${row.hour} ${row.account} ${row.key} ${row.tool}`;
  return rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** Every entry of an account, page by page; what a page is promised to be is held on the way. */
export async function allEntries(ledger: Ledger, account: string, now: number, max = 1000) {
  const entries: Entry[] = [];
  let after: string | null = null;
  do {
    const page: EntriesPage = await ledger.entries({ account, after, max, now });
    if (page.next === null) assert.ok(page.entries.length <= max);
    else assert.equal(page.entries.length, max, "only the last page is not full");
    entries.push(...page.entries);
    after = page.next;
    assert.ok(entries.length < 10_000, "the list comes to an end");
  } while (after !== null);
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length, "none comes twice");
  const times = entries.map(({ at }) => at);
  assert.deepEqual(
    times,
    times.toSorted((one, other) => other - one),
  );
  const { balance, held } = await ledger.credits({ account, now });
  const sum = entries.reduce((total, { credits }) => total + credits, 0);
  assert.equal(sum, balance + held, "the entries add up to the balance and what is held");
  return entries;
}

/** Runs a whole round of maintenance; `between` sees the outcome of each step. */
export async function maintainFully(
  ledger: Ledger,
  order: { now: number; rollUpBefore: number; rowsMax: number },
  between: (step: MaintainOutcome) => Promise<void> = async () => {},
) {
  const sum = { rolledUp: 0, forgotten: 0, steps: 0 };
  let after: number | null = null;
  do {
    const step: MaintainOutcome = await ledger.maintain({ ...order, after });
    await between(step);
    sum.rolledUp += step.rolledUp;
    sum.forgotten += step.forgotten;
    sum.steps += 1;
    assert.ok(sum.steps < 10_000, "a round of maintenance comes to an end");
    after = step.after;
  } while (after !== null);
  return sum;
}

/** The outcomes of a change of an account, and those of a debit, as JSON has them. */
export const FOUND = { found: true, forfeited: 0 };
export const NOT_FOUND = { found: false, forfeited: 0 };

export const debited = (charged: number, balance: number) => ({
  ...{ outcome: "debited", charged, balance },
});
export const tooLittle = (balance: number) => ({ outcome: "insufficient_credits", balance });

/** How often each outcome came. */
export function tally(outcomes: { outcome: DebitOutcome["outcome"] }[]) {
  const counts: Partial<Record<DebitOutcome["outcome"], number>> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export function throughJson(ledger: Ledger): Ledger {
  const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
  const wrap =
    <Order, Outcome>(operation: (order: Order) => Promise<Outcome>) =>
    async (order: Order) =>
      copy(await operation(copy(order)));
  const wrapped = Object.entries(ledger).map(([name, operation]) => [
    name,
    wrap(operation as (order: Order<"debit">) => Promise<DebitOutcome>),
  ]);
  return Object.fromEntries(wrapped);
}
