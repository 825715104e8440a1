import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { assertTotals } from "../../contract/ledger/fixture.ts";
import {
  type Caller,
  openAccounts,
  openCaller,
  startFleetDatabase,
  startNodes,
} from "../../support/fleet.ts";
import type { Postgres } from "../../support/postgres.ts";
import { drawSample } from "../../support/sample.ts";

/**
 * Real nodes on one PostgreSQL never spend more credits than there are, with twice as many concurrent calls as credits, in
 * random order over all nodes and accounts.
 */
const TAKES_ALL = process.env["TEST_FLEET"] === "all";
const CALLS = TAKES_ALL ? 10_000 : 3_000;
const ACCOUNTS = 50;
const CREDITS = CALLS / 2 / ACCOUNTS;
const DEMO_CREDITS = 100;
const SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

let server: Postgres;
before(async () => {
  server = await startFleetDatabase();
});
after(() => server?.dispose());

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

for (const count of drawSample("nodes of a fleet", [2, 4], 1, TAKES_ALL)) {
  test(`exactly ${CALLS / 2} of ${CALLS} concurrent calls succeed on ${count} nodes and ${CALLS / 2} credits of ${ACCOUNTS} accounts`, async (t) => {
    t.diagnostic(`TEST_SEED=${SEED}`);
    const url = await server.createDatabase();
    const nodes = await startNodes(t, count, { DATABASE_URL: url });
    const accountDeps = await openAccounts(t, url);
    const callers = nodes.map(({ base }) => openCaller(base));
    t.after(() => callers.forEach((caller) => void caller.close()));

    const users = await Promise.all(
      Array.from({ length: ACCOUNTS }, async (_, no) => {
        const { account } = await openAccount(accountDeps, `p${no}@example.com`, Date.now());
        return { account, key: (await createKey(accountDeps, account, "test", Date.now())).key };
      }),
    );
    const callerOf = (no: number) => callers[no % count] as Caller;
    const free = await Promise.all(users.map(({ key }, no) => callerOf(no).call(key)));
    assert.deepEqual(new Set(free.map(({ charged }) => charged)), new Set(["0"]));
    const grant = { id: "all", kind: "operator", amount: CREDITS, expiresAt: null } as const;
    const now = Date.now();
    for (const { account } of users) await accountDeps.ledger.grant({ ...grant, account, now });

    const order = shuffled(
      Array.from({ length: CALLS }, (_, no) => no),
      SEED,
    );
    const began = performance.now();
    const responses = await Promise.all(
      order.map((no, place) => callerOf(place).call(users[no % ACCOUNTS]?.key as string)),
    );
    const seconds = (performance.now() - began) / 1_000;
    t.diagnostic(
      `${CALLS} calls in ${seconds.toFixed(1)} s, ${Math.round(CALLS / seconds)} per second`,
    );

    const responded = responses.filter(({ status }) => status === 200);
    assert.equal(responded.length, CALLS / 2);
    assert.ok(responded.every(({ charged }) => charged === "1"));
    assert.equal(responses.filter(({ status }) => status === 402).length, CALLS / 2);
    const { totals } = await assertTotals(accountDeps.ledger, Date.now());
    // The first nodes of a fleet on a local machine also create one demo account.
    const rest = [totals.granted - DEMO_CREDITS, totals.debited, totals.remaining - DEMO_CREDITS];
    assert.deepEqual(rest, [CALLS / 2, CALLS / 2, 0]);
    const sums = { calls: 0, credits: 0 };
    for (const { account } of users) {
      const usage = await accountDeps.ledger.usage({ account, from: 0, to: Date.now() + 1 });
      for (const { calls, credits } of usage) {
        sums.calls += calls;
        sums.credits += credits;
      }
    }
    assert.deepEqual(sums, { calls: CALLS / 2 + ACCOUNTS, credits: CALLS / 2 });
    for (const { account } of users) {
      const { balance, grants } = await accountDeps.ledger.credits({ account, now: Date.now() });
      assert.deepEqual([balance, grants[0]?.remaining], [0, 0]);
    }
    const ends = await Promise.all(nodes.map((node) => node.end("SIGTERM")));
    assert.deepEqual(new Set(ends.map(({ code }) => code)), new Set([0]));
    for (const node of nodes) assert.doesNotMatch(node.written(), /"level":(?:50|60)/);
  });
}
