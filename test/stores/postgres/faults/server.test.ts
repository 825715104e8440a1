import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { DebitOutcome } from "#ledger/port.ts";
import { assertTotals, idempotency, START } from "../../../contract/ledger/fixture.ts";
import { eventually, isSure, openFaulty, ownServer, PATIENT, settled } from "./fixture.ts";

/**
 * The ledger of a node when PostgreSQL fails, one failure at a time: every order gets a result, and the ledger
 * reconciles.
 */
const isDebited = (outcome: DebitOutcome | Error) =>
  !(outcome instanceof Error) && outcome.outcome === "debited";

type Fixture = Awaited<ReturnType<typeof openFaulty>>;

/** Several callers debit without a pause until stopped. Counts the results. */
function startLoad(fixture: Fixture, accounts: string[]) {
  const told = { debited: 0, sure: 0, unknown: 0 };
  let isOver = false;
  const loops = accounts.map(async (account) => {
    while (!isOver) {
      const outcome = await settled(fixture.debit(account));
      if (isDebited(outcome)) told.debited += 1;
      else if (isSure(outcome)) told.sure += 1;
      else told.unknown += 1;
    }
  });
  const reach = async (more: number) => {
    for (const from = told.debited; told.debited < from + more; ) await wait(2);
  };
  return {
    told,
    reach,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      const { totals } = await assertTotals(fixture.ledger, START);
      const { debited, unknown } = told;
      assert.ok(debited <= totals.debited, `${debited} told, ${totals.debited} in the books`);
      assert.ok(
        totals.debited <= debited + unknown,
        `${totals.debited - debited} nobody asked for`,
      );
      return told;
    },
  };
}

const openAccounts = (fixture: Fixture, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) => fixture.account(`Ada${i}`, { credits: 1_000_000 })),
  );

/** Crashes of the server; a scenario of `npm run test:chaos` has more. */
const CRASHES = Number(process.env["TEST_CRASHES"] ?? 1);

test(
  `if the server crashes under load, every order is settled and the node recovers automatically (crashes: ${CRASHES})`,
  PATIENT,
  async (t) => {
    const faulty = await ownServer();
    const fixture = await openFaulty(t, { server: faulty });
    const load = startLoad(fixture, await openAccounts(fixture, 12));
    for (let round = 0; round < CRASHES; round += 1) {
      await load.reach(100);
      await faulty.server.stop("immediate");
      await faulty.server.start();
      await load.reach(100);
    }
    t.diagnostic(JSON.stringify(await load.stop()));
  },
);

test(
  "if the server is down, orders are rejected as not carried out, and many of them cause only a few connection attempts",
  PATIENT,
  async (t) => {
    const faulty = await ownServer();
    const fixture = await openFaulty(t, { server: faulty });
    const account = await fixture.account("Ada", { credits: 5_000 });
    await faulty.server.stop("immediate");
    try {
      let before = 0;
      for (let round = 0; round < 5; round += 1) {
        // From the second round on, the account is known.
        if (round === 1) before = fixture.network.connections();
        const orders = [
          ...Array.from({ length: 100 }, () => fixture.debit(account)),
          ...Array.from({ length: 100 }, () => fixture.balance(account)),
        ];
        for (const outcome of await Promise.all(orders.map((order) => settled<unknown>(order))))
          assert.ok(isSure(outcome), String(outcome));
      }
      const tries = fixture.network.connections() - before;
      assert.ok(tries >= 1 && tries <= 200, `${tries} connections tried`);
      t.diagnostic(`${tries} connections tried for 800 orders`);
      assert.ok(isSure(await settled(fixture.ledger.probe({ now: START }))));
    } finally {
      await faulty.server.start();
    }
    await eventually(() => fixture.ledger.probe({ now: START }));
    assert.ok(isDebited(await fixture.debit(account)));
    assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 1);
  },
);

describe("while the server goes on", { concurrency: true }, () => {
  test(
    "if connections are terminated repeatedly under load, the process survives and the totals reconcile",
    PATIENT,
    async (t) => {
      const fixture = await openFaulty(t);
      const load = startLoad(fixture, await openAccounts(fixture, 12));
      const others = Array.from({ length: 4 }, (_, i) => `Ada${i}`);
      for (let round = 0; round < 10; round += 1) {
        await load.reach(20);
        const reads = others.map(() => settled(fixture.ledger.audit({ now: START })));
        await fixture.asOperator(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'toolbooth' AND datname = current_database()",
        );
        await Promise.all(reads);
      }
      const { unknown } = await load.stop();
      assert.equal(unknown, 0, "the server was there to tell");
    },
  );

  test(
    "if the network drops all packets, the probe fails, orders time out, and later ones do not wait",
    PATIENT,
    async (t) => {
      const fixture = await openFaulty(t);
      const account = await fixture.account("Ada", { credits: 100 });
      fixture.network.swallow(true);
      const order = fixture.debitOrder(account);
      const first = settled(fixture.ledger.debit(order));
      const read = settled(fixture.balance(account));
      assert.ok((await settled(fixture.ledger.probe({ now: START }))) instanceof Error);
      const outcome = await first;
      // Its COMMIT was never sent, so both are true: that it was not made, or, if it was on its way just then, that it is not known.
      assert.ok(outcome instanceof Error);
      assert.ok(isSure(await read), "reading leaves no doubt");

      const before = fixture.network.connections();
      for (let round = 0; round < 3; round += 1) {
        const later = Array.from({ length: 100 }, () => settled(fixture.debit(account)));
        for (const refused of await Promise.all(later)) assert.ok(isSure(refused), String(refused));
      }
      const tries = fixture.network.connections() - before;
      assert.ok(tries <= 75, `${tries} connections tried`);
      fixture.network.swallow(false);
      await eventually(() => fixture.ledger.probe({ now: START }));
      assert.ok(isDebited(await fixture.ledger.debit(order)), "asked again, it is made once");
      assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 1);
    },
  );

  test(
    "if the response to a COMMIT is lost, the order is looked up and its caller gets the outcome",
    PATIENT,
    async (t) => {
      const fixture = await openFaulty(t);
      const [account = "", other = ""] = await openAccounts(fixture, 2);
      const { network, ledger } = fixture;
      const losing = async <Outcome>(act: () => Promise<Outcome>) => {
        const before = network.lost();
        network.loseCommits(1);
        const outcome = await act();
        assert.equal(network.lost() - before, 1, "it was lost");
        return outcome;
      };
      for (let left = 999_999; left > 999_994; left -= 1) {
        const outcome = await losing(() => fixture.debit(account));
        assert.deepEqual(outcome, { outcome: "debited", charged: 1, balance: left });
      }
      const many = await losing(() =>
        Promise.all(
          Array.from({ length: 100 }, (_, i) => fixture.debit(i % 2 === 0 ? account : other)),
        ),
      );
      assert.ok(many.every(isDebited));
      const keyed = await losing(() =>
        fixture.debit(account, { idempotency: idempotency("once") }),
      );
      assert.ok(isDebited(keyed));
      const again = await losing(() =>
        fixture.debit(account, { idempotency: idempotency("once") }),
      );
      assert.equal(again.outcome, "replayed");

      const { callId, now } = fixture.debitOrder(other);
      assert.ok(isDebited(await fixture.debit(other, { callId, now })));
      const reversal = { account: other, callId, at: now, now };
      assert.deepEqual(await losing(() => ledger.reverse(reversal)), { reversed: false });
      assert.equal(
        (await losing(() => fixture.grant(account, "gift", 5))).outcome,
        "already_granted",
      );
      assert.equal((await losing(() => fixture.createKey(other, "second"))).outcome, "created");
      assert.equal(
        (await losing(() => ledger.changeAccount({ account: other, now, state: "closed" }))).found,
        true,
      );
      const { totals } = await assertTotals(ledger, START);
      assert.equal(totals.debited - totals.reversed, 5 + 100 + 1);
    },
  );
});
