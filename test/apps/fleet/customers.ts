import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type AccountDeps, createKey, openAccount } from "#accounts/accounts.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import { callUuid, type KeyedCall, type Received, recordKeyed } from "../node/broken-calls.ts";

/**
 * Customers of a service that record every response and compare them with the ledger afterwards. Each has calls with an
 * idempotency key, retried until they get a response, and plain calls. A call costs 1 credit and nothing else does.
 */
export type Customer = {
  account: string;
  key: string;
  /** The remaining credits after each charged call with a response. */
  left: number[];
  keyed: KeyedCall[];
  /** Calls with a key whose first received response was a replay. */
  repeated: number;
  /** Plain calls whose connection broke before the response. */
  broken: number;
  /** Plain calls that got 503, by node. */
  refused: Map<string, number>;
  /** Calls with a key that got 503. */
  putOff: number;
};
type TotalsDeps = AccountDeps & { pool: PostgresPool };

const CREDITS = 1_000_000;

export const newCustomer = (account: string, key: string): Customer => ({
  ...{ account, key, left: [], keyed: [], repeated: 0, broken: 0, refused: new Map(), putOff: 0 },
});

export async function openCustomer(
  accountDeps: AccountDeps,
  base: string,
  name: string,
): Promise<Customer> {
  const now = Date.now();
  const { account } = await openAccount(accountDeps, `${name}@example.com`, now);
  const grant = { id: "all", kind: "operator", amount: CREDITS, expiresAt: null } as const;
  await accountDeps.ledger.grant({ ...grant, account, now });
  const { key } = await createKey(accountDeps, account, "test", now);
  await useFreeCall(base, key);
  return newCustomer(account, key);
}

export async function useFreeCall(base: string, key: string): Promise<void> {
  const free = await callUuid(base, key, 1);
  assert.ok(typeof free === "object" && free.charged === 0, "the free call is used");
}

function recordCharged({ left }: Customer, { charged, replayed, left: told }: Received): void {
  assert.equal(charged, replayed ? 0 : 1);
  if (!replayed) left.push(told);
}

/** Sends or repeats a call, and asserts that its response never changes. */
async function callKeyed(base: string, customer: Customer, keyed: KeyedCall): Promise<boolean> {
  const received = await callUuid(base, customer.key, keyed.count, keyed.idempotencyKey);
  if (received === "refused") customer.putOff += 1;
  if (typeof received === "string") return false;
  if (recordKeyed(keyed, received)) customer.repeated += 1;
  recordCharged(customer, received);
  return true;
}

async function callPlain(base: string, customer: Customer): Promise<boolean> {
  const received = await callUuid(base, customer.key, 1);
  if (received === "broken") customer.broken += 1;
  else if (received === "refused") {
    customer.refused.set(base, (customer.refused.get(base) ?? 0) + 1);
  } else if (received !== "unheard") recordCharged(customer, received);
  return typeof received === "object";
}

const CALLERS = 4;

/** All customers call all nodes without a pause until they are stopped. `baseOf` returns the current URL of a caller. */
export function startCalls(
  t: Pick<TestContext, "after">,
  customers: Customer[],
  round: string,
  baseOf: (caller: number) => string,
) {
  let responses = 0;
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  const loops = customers.flatMap((customer, no) =>
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let at = 0; !isOver; at += 1) {
        const base = baseOf(no + (caller >> 1));
        const keyed = {
          idempotencyKey: `${round}-${caller}-${at}`,
          count: 1 + (at % 3),
          body: null,
        };
        if (caller % 2 === 0) customer.keyed.push(keyed);
        const hasResponse = await (caller % 2 === 0
          ? callKeyed(base, customer, keyed)
          : callPlain(base, customer));
        if (hasResponse) responses += 1;
        else await wait(20);
      }
    }),
  );
  const all = Promise.all(loops);
  return {
    /** Waits for a number of further responses. Rejects if a caller got an invalid response. */
    async reach(more: number) {
      for (const from = responses; responses < from + more; ) await Promise.race([wait(2), all]);
    },
    async stop() {
      isOver = true;
      await all;
    },
  };
}

/** Retries the calls without a response until they get one, and some of the others. */
export async function settle(base: string, customer: Customer): Promise<void> {
  const known = customer.keyed.filter(({ body }) => body !== null).slice(-5);
  for (const each of known) assert.ok(await callKeyed(base, customer, each));
  for (const each of customer.keyed) {
    while (each.body === null) if (!(await callKeyed(base, customer, each))) await wait(50);
  }
}

/** Checks that every response has its own debit, and every debit a response, but for at most one of each interrupted call. */
export function assertSpent(customer: Customer, spent: number): void {
  const { left, keyed, repeated, broken, refused, putOff } = customer;
  assert.deepEqual([refused.size, putOff], [0, 0], "the service runs or does not");
  const others = spent - left.length - repeated;
  const open = keyed.filter(({ body }) => body === null).length;
  assert.ok(others >= 0, `${-others} responses have no debit`);
  assert.ok(others <= broken + open, `${others} debits without a call`);
}

// By the id alone: the record of an order that waited long has the database's time (`recordOf` in ledger/rules/debit.ts).
const DEBITS = `
  SELECT count(*) FILTER (WHERE reversed_at IS NULL)::int AS debits, count(reversed_at)::int AS reversed,
    (SELECT count(*)::int FROM idempotency i WHERE i.account_no = a.no AND EXISTS (SELECT 1 FROM debit d
      WHERE d.account_no = a.no AND d.call_id = i.call_id AND d.reversed_at IS NULL)) AS kept,
    (SELECT count(*)::int FROM idempotency i WHERE i.account_no = a.no) AS keys
  FROM account a JOIN debit ON debit.account_no = a.no WHERE a.id = $1 AND credits > 0 GROUP BY a.no`;

/**
 * Checks that every response has its own debit and every debit a response, except for `mayBeLost` calls: those that were
 * interrupted, or rejected by a node that died before it could reverse them.
 */
export async function assertAccounted(
  { pool, ledger }: TotalsDeps,
  customer: Customer,
  mayBeLost: number,
): Promise<void> {
  const { account, left, keyed, repeated } = customer;
  type Counts = { debits: number; reversed: number; kept: number; keys: number };
  const rows = await pool.once<Counts>("read", DEBITS, [account]);
  const { debits = 0, reversed = 0, kept = 0, keys = 0 } = rows[0] ?? {};
  const others = debits - left.length - repeated;
  const open = keyed.filter(({ body }) => body === null).length;
  assert.ok(others >= 0, `${-others} responses have no debit`);
  assert.ok(others <= mayBeLost + open, `${others} debits for ${mayBeLost} interrupted calls`);
  assert.equal(kept, keys, "every key belongs to a debit that was not reversed");
  assert.ok(keys >= keyed.length - open, "every call with a key and a response has a debit");
  const { balance } = await ledger.credits({ account, now: Date.now() });
  assert.equal(balance, CREDITS - debits);
  // Not one by one: after a lost response, an order gets the balance of the time at which it was found.
  const last = Math.min(CREDITS, ...left);
  assert.ok(
    balance <= last + reversed,
    `the responses have ${last} credits remaining, the ledger ${balance}`,
  );
  assert.equal(
    new Set(keyed.map(({ body, idempotencyKey }) => body ?? idempotencyKey)).size,
    keyed.length,
  );
}

export const sumOf = (counts: Iterable<number>) =>
  [...counts].reduce((sum, count) => sum + count, 0);
