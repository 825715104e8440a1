import assert from "node:assert/strict";
import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import { createRule, idempotency, type OpenLedger, START, sha256, tally } from "./fixture.ts";

/** What runs at once: all orders are sent before the first is answered. */
export function describeConcurrency(open: OpenLedger) {
  const rule = createRule(open);
  const times = <Item>(count: number, make: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => make(index));

  rule("of 1,000 calls at once on 50 credits exactly 50 are paid", async (scene) => {
    const account = await scene.account("Ada", { credits: 50 });
    const outcomes = await Promise.all(times(1000, () => scene.debit(account)));
    assert.deepEqual(tally(outcomes), { debited: 50, insufficient_credits: 950 });
    const balances = outcomes.flatMap((each) => (each.outcome === "debited" ? each.balance : []));
    const each = times(50, (index) => index);
    assert.deepEqual(
      balances.toSorted((one, other) => one - other),
      each,
      "each balance once",
    );
    assert.equal(await scene.balance(account), 0);
    assert.equal((await scene.usage())[0]?.calls, 50);
  });

  rule("of 20 first calls at once on a balance of zero exactly one succeeds", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open" });
    const outcomes = await Promise.all(times(20, () => scene.debit(account)));
    assert.deepEqual(tally(outcomes), { debited: 1, insufficient_credits: 19 });
    assert.ok(outcomes.every((each) => each.outcome !== "debited" || each.charged === 0));
  });

  rule(
    "of 200 calls at once with one idempotency key one is paid and the rest hear its answer",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 500 });
      const outcomes = await Promise.all(
        times(200, (index) =>
          scene.debit(account, { idempotency: idempotency("once", "body", `answer ${index}`) }),
        ),
      );
      assert.deepEqual(tally(outcomes), { debited: 1, replayed: 199 });
      const winner = outcomes.findIndex(({ outcome }) => outcome === "debited");
      const answers = new Set(
        outcomes.flatMap((each) => (each.outcome === "replayed" ? each.replay.answerSha256 : [])),
      );
      assert.deepEqual([...answers], [sha256(`answer ${winner}`)]);
      assert.equal(await scene.balance(account), 499);
    },
  );

  rule("one call sent 50 times at once is one debit", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const order = scene.debitOrder(account);
    const outcomes = await Promise.all(times(50, () => scene.ledger.debit(order)));
    assert.deepEqual(tally(outcomes), { debited: 50 });
    assert.ok(outcomes.every((each) => each.outcome === "debited" && each.charged === 1));
    assert.equal(await scene.balance(account), 4);
  });

  rule("accounts that call at once do not touch each other", async (scene) => {
    const accounts = await Promise.all(
      times(20, (index) => scene.account(`Many${index + 10}`, { credits: index + 1 })),
    );
    const orders = times(20 * 30, (index) => scene.debitOrder(accounts[index % 20] as string));
    const outcomes = await Promise.all(
      orders.map(
        async (order): Promise<[DebitOrder, DebitOutcome]> => [
          order,
          await scene.ledger.debit(order),
        ],
      ),
    );
    for (const [index, account] of accounts.entries()) {
      const own = outcomes.filter(([order]) => order.account === account);
      assert.equal(tally(own.map(([, outcome]) => outcome)).debited, index + 1);
      assert.equal(await scene.balance(account), 0);
    }
  });

  rule("one grant asked for 50 times at once is granted once", async (scene) => {
    const account = await scene.account();
    const outcomes = await Promise.all(times(50, () => scene.grant(account, "starter", 100)));
    assert.equal(outcomes.filter(({ outcome }) => outcome === "granted").length, 1);
    assert.equal(outcomes.filter(({ outcome }) => outcome === "already_granted").length, 49);
    assert.equal(await scene.balance(account), 100);
  });

  rule("one call reversed 50 times at once gives one credit back", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const { callId } = await debited(scene, account);
    const order = { account, callId, at: START, now: START };
    const outcomes = await Promise.all(times(50, () => scene.ledger.reverse(order)));
    assert.equal(outcomes.filter(({ reversed }) => reversed).length, 1);
    assert.equal(await scene.balance(account), 5);
  });

  rule("an account opened 20 times at once is opened once", async ({ ledger }) => {
    const order = { account: "acc_Ada000000000", freeCall: "open", now: START } as const;
    const outcomes = await Promise.all(times(20, () => ledger.openAccount(order)));
    assert.equal(outcomes.filter(({ opened }) => opened).length, 1);
  });

  rule("calls at once with everything else lose and invent no credit", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open", credits: 20 });
    await Promise.all(
      times(120, async (index) => {
        if (index % 10 === 3) await scene.grant(account, `gift-${index}`, 2);
        else if (index % 10 === 6) {
          const { callId } = await debited(scene, account);
          await scene.ledger.reverse({ account, callId, at: START, now: START });
        } else if (index % 10 === 9)
          await scene.ledger.maintain({ now: START, foldBefore: START, rowsMax: 3, after: null });
        else await scene.debit(account);
      }),
    );
    // What the last reversals gave back may be left over; then 20 + 24 credits were spent, and a free call.
    while ((await scene.debit(account)).outcome === "debited");
    assert.equal(await scene.balance(account), 0);
    const { debited: made, reversed } = await scene.books();
    assert.equal(made - reversed, 44);
  });
}

type Scene = Parameters<Parameters<ReturnType<typeof createRule>>[1]>[0];

async function debited(scene: Scene, account: string): Promise<DebitOrder> {
  const order = scene.debitOrder(account);
  await scene.ledger.debit(order);
  return order;
}
