import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { assertTotals } from "../../contract/ledger/fixture.ts";
import { SEED } from "../../support/random.ts";
import { type Caller, sharedFleet } from "./fixture.ts";

/**
 * Nodes of a fleet never spend more credits than there are, with twice as many concurrent calls as credits, in random order over
 * all nodes and accounts.
 */
const CALLS = Number(process.env["TEST_FLEET_CALLS"] ?? 500);
const ACCOUNTS = 50;
const CREDITS = CALLS / 2 / ACCOUNTS;

/** Shuffles deterministically: the same seed gives the same order. */
function shuffled<Each>(all: Each[], seed: number): Each[] {
  let state = seed >>> 0;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const mixed = [...all];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = next(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as Each, mixed[at] as Each];
  }
  return mixed;
}

test(`exactly ${CALLS / 2} of ${CALLS} concurrent calls to all nodes succeed on ${CALLS / 2} credits of ${ACCOUNTS} accounts`, async (t) => {
  t.diagnostic(`TEST_SEED=${SEED}`);
  const { accountDeps, callers } = await sharedFleet();
  const { ledger } = accountDeps;
  const users = await Promise.all(
    Array.from({ length: ACCOUNTS }, async (_, no) => {
      const { account } = await openAccount(accountDeps, `exact${no}@example.com`, Date.now());
      return { account, key: (await createKey(accountDeps, account, "test", Date.now())).key };
    }),
  );
  const callerOf = (no: number) => callers[no % callers.length] as Caller;
  const free = await Promise.all(users.map(({ key }, no) => callerOf(no).call(key)));
  assert.deepEqual(new Set(free.map(({ charged }) => charged)), new Set(["0"]));
  const grant = { id: "all", kind: "operator", amount: CREDITS, expiresAt: null } as const;
  for (const { account } of users) await ledger.grant({ ...grant, account, now: Date.now() });

  const order = shuffled(
    Array.from({ length: CALLS }, (_, no) => no),
    SEED,
  );
  const responses = await Promise.all(
    order.map((no, place) => callerOf(place).call(users[no % ACCOUNTS]?.key as string)),
  );
  const good = responses.filter(({ status }) => status === 200);
  assert.equal(good.length, CALLS / 2);
  assert.ok(good.every(({ charged }) => charged === "1"));
  assert.equal(responses.filter(({ status }) => status === 402).length, CALLS / 2);

  for (const { account } of users) {
    const { balance, grants } = await ledger.credits({ account, now: Date.now() });
    assert.deepEqual([balance, grants[0]?.remaining], [0, 0]);
    const sums = { calls: 0, credits: 0 };
    for (const each of await ledger.usage({ account, from: 0, to: Date.now() + 1 })) {
      sums.calls += each.calls;
      sums.credits += each.credits;
    }
    assert.deepEqual(sums, { calls: CREDITS + 1, credits: CREDITS });
  }
  await assertTotals(ledger, Date.now());
});
