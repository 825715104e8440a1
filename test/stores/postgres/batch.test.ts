import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import {
  assertTotals,
  createFixture,
  debited,
  idempotency,
  keyId,
  keySha256,
  START,
  sha256,
  tally,
} from "../../contract/ledger/fixture.ts";
import { hooksOfSuite, type Node, openNodes, openOnly } from "./fixture.ts";

/** How a batch is sent to PostgreSQL: as text, and in how many round trips. */
let node: Node;
describe("a batch of debits in PostgreSQL", () => {
  const hooks = hooksOfSuite();
  before(async () => {
    node = await openOnly(hooks);
  });

  /** A ledger that counts its round trips. */
  function openCounted() {
    let roundTrips = 0;
    const pool: PostgresPool = {
      ...node.pool,
      roundTrips: (mode, body) =>
        node.pool.roundTrips(mode, (send) =>
          body((message) => {
            roundTrips += 1;
            return send(message);
          }),
        ),
    };
    const { ledger, close } = createPostgresLedger(pool, undefined, "caller");
    const count = async (act: () => Promise<unknown>) => {
      const before = roundTrips;
      await act();
      return roundTrips - before;
    };
    return { ...createFixture({ ledger, ledgerEvents: node.ledgerEvents }), close, count };
  }

  test("texts with special characters of literals, arrays and COPY are stored unchanged", async () => {
    const { account, debit, ledger, close, news } = openCounted();
    const odd = `a'b"c\\d\te\nf\rg{h},NULL\\N;--$1?`;
    const id = await account("Odd", { credits: 50 });
    await news();
    const order = { callId: odd, tool: odd, idempotency: idempotency(odd) };
    assert.equal((await debit(id, order)).outcome, "debited");
    assert.equal((await debit(id, { ...order, callId: "other" })).outcome, "replayed");
    const reversal = { account: id, callId: odd, at: START, now: START };
    assert.deepEqual(await ledger.reverse(reversal), { reversed: true });
    const key = { id: odd, sha256: odd, start: odd, label: odd };
    const made = await ledger.createKey({ account: id, ...key, now: START });
    assert.deepEqual(made, { outcome: "created" });
    const grant = {
      account: id,
      id: odd,
      kind: "pack",
      amount: 1,
      expiresAt: null,
      now: START,
    } as const;
    assert.equal((await ledger.grant(grant)).outcome, "granted");
    assert.ok((await ledger.listKeys({ account: id })).some(({ label }) => label === odd));
    assert.ok(
      (await ledger.credits({ account: id, now: START })).grants.some((each) => each.id === odd),
    );
    const told = (await news()) as { key?: { label: string } }[];
    assert.ok(told.some((event) => event.key?.label === odd));
    await assertTotals(ledger, START);
    await close();
  });

  test("a batch takes two round trips, or three if many of its orders are rejected", async () => {
    const { account, debit, ledger, close, count } = openCounted();
    const ids = [await account("Ada", { credits: 100 }), await account("Bob", { credits: 100 })];
    const batch = (each: number) =>
      Promise.all(ids.flatMap((id) => Array.from({ length: each }, () => debit(id))));
    assert.equal(await count(() => batch(30)), 2);
    const outcomes = await count(async () => {
      assert.deepEqual(tally(await batch(200)), { debited: 140, insufficient_credits: 260 });
    });
    assert.equal(outcomes, 3);
    assert.equal(
      await count(() =>
        ledger.changeAccount({ account: ids[0] as string, now: START, state: "suspended" }),
      ),
      2,
    );
    await assertTotals(ledger, START);
    await close();
  });

  test("a price that takes hundreds of grants is charged in a few round trips", async () => {
    const { account, debit, grant, ledger, close, count } = openCounted();
    const id = await account("Many");
    for (let n = 0; n < 300; n += 1) await grant(id, `g${n}`, 2);
    const trips = await count(async () => {
      const outcome = await debit(id, { credits: 555 });
      assert.deepEqual(outcome, { outcome: "debited", charged: 555, balance: 45 });
    });
    assert.ok(trips <= 4, `${trips} round trips`);
    await assertTotals(ledger, START);
    await close();
  });

  test("an order whose clock is behind counts what the orders before it in the batch have spent", async () => {
    const { account, balance, debit, grant, ledger, close } = openCounted();
    const id = await account("Clocks");
    await grant(id, "soon", 10, { expiresAt: START + 5 });
    // So many that the balance needs a sum.
    for (let n = 0; n < 30; n += 1) await grant(id, `g${n}`, 10);
    const outcomes = await Promise.all([
      debit(id, { now: START + 10 }),
      debit(id, { now: START }),
      debit(id, { now: START + 10 }),
    ]);
    assert.deepEqual(outcomes, [debited(1, 299), debited(1, 308), debited(1, 298)]);
    assert.equal(await balance(id), 307);
    await assertTotals(ledger, START);
    await close();
  });

  /** With both secrets of a key that was rotated. */
  test("of ten times as many calls at once on four nodes as the budgets of two keys cover, exactly that many succeed", async (t) => {
    const nodes = await openNodes(t, "caller", "caller", "caller", "caller");
    const fixtures = nodes.map(({ ledger }) => createFixture({ ledger }));
    const [first] = fixtures as [(typeof fixtures)[number]];
    const account = await first.account("Ada", { credits: 500 });
    const others = { expiresAt: null, tools: null, networks: null, rate: null };
    const budget = (budgets: object) => ({
      ...others,
      budgets: { total: null, month: null, day: null, ...budgets },
    });
    await first.createKey(account, "daily", START, budget({ day: 20 }));
    await first.createKey(account, "whole", START, budget({ total: 15, month: 30 }));
    const rotation = { sha256: sha256("new"), start: "tb_", previousUntil: START + 1, now: START };
    await first.ledger.rotateKey({ account, id: keyId(account, "daily"), ...rotation });
    const secrets = [keySha256(account, "daily"), sha256("new"), keySha256(account, "whole")];
    const outcomes = await Promise.all(
      Array.from({ length: 360 }, async (_, no) => {
        const fixture = fixtures[no % 4] as (typeof fixtures)[number];
        const keySha256 = secrets[Math.floor(no / 4) % 3] as string;
        const { outcome } = await fixture.debit(account, { keySha256, callId: `call_${no}` });
        return `${keySha256 === secrets[2] ? "whole" : "daily"} ${outcome}`;
      }),
    );
    const counts = Map.groupBy(outcomes, (name) => name);
    const tallied = [...counts].map(([name, all]) => [name, all.length]);
    assert.deepEqual(Object.fromEntries(tallied), {
      ...{ "daily debited": 20, "daily key_budget_exhausted": 220 },
      ...{ "whole debited": 15, "whole key_budget_exhausted": 105 },
    });
    assert.equal(await first.balance(account), 465);
    await assertTotals(first.ledger, START);
  });
});
