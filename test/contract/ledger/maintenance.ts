import assert from "node:assert/strict";
import { IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import {
  assertBooks,
  createRule,
  DAY,
  HOUR,
  idempotency,
  maintainFully,
  type OpenLedger,
  type Scene,
  START,
} from "./fixture.ts";

export function describeMaintenance(open: OpenLedger) {
  const rule = createRule(open);
  describeFolding(rule);
  describeForgetting(rule);
}

type Rule = ReturnType<typeof createRule>;

/** Forty debits of three accounts over five hours, every seventh of them reversed. */
async function manyCalls(scene: Scene) {
  for (const name of ["Ada", "Bob", "Cid"])
    await scene.account(name, { freeCall: "open", credits: 100 });
  const accounts = await Promise.all(["Ada", "Bob", "Cid"].map((name) => scene.account(name)));
  for (let call = 0; call < 40; call += 1) {
    const account = accounts[call % 3] as string;
    const order = scene.debitOrder(account, {
      now: START + ((call * 7) % 40) * (HOUR / 8),
      tool: call % 2 === 0 ? "hash" : "uuid",
    });
    await scene.ledger.debit(order);
    if (call % 7 === 0)
      await scene.ledger.reverse({ account, callId: order.callId, at: order.now, now: order.now });
  }
}

function describeFolding(rule: Rule) {
  for (const rowsMax of [1, 3, 7, 1000])
    rule(`folding by ${rowsMax} keeps usage and books the same at every step`, async (scene) => {
      await manyCalls(scene);
      const [usage, books] = [await scene.usage(), await scene.books()];
      const order = { now: START + DAY - 1, foldBefore: START + DAY - 1, rowsMax };
      const round = await maintainFully(scene.ledger, order, async (step) => {
        assert.ok(step.folded + step.forgotten <= rowsMax, "no call waits long behind a step");
        assert.deepEqual(await scene.usage(), usage);
        assert.deepEqual((await assertBooks(scene.ledger, START)).books, books);
      });
      assert.equal(round.folded, 40);
      const again = await maintainFully(scene.ledger, order);
      assert.equal(again.folded, 0, "what is folded is not folded again");
      assert.deepEqual(await scene.usage(), usage);
    });

  rule("only debits made before foldBefore are folded", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    const orders = [START - 1, START, START + 1].map((now) => scene.debitOrder(account, { now }));
    for (const order of orders) await scene.ledger.debit(order);
    const order = { now: START + DAY, foldBefore: START, rowsMax: 100 };
    assert.equal((await maintainFully(scene.ledger, order)).folded, 1);
    // Debits that are kept one by one can still be reversed.
    for (const { callId, now: at } of orders.slice(1))
      assert.deepEqual(await scene.ledger.reverse({ account, callId, at, now: START + DAY }), {
        reversed: true,
      });
    assert.equal(await scene.balance(account), 8);
  });

  rule("a folded debit can no longer be reversed", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    await maintainFully(scene.ledger, { now: START, foldBefore: START + 1, rowsMax: 9 });
    const { callId } = order;
    assert.deepEqual(await scene.ledger.reverse({ account, callId, at: START, now: START }), {
      reversed: false,
    });
    assert.equal(await scene.balance(account), 8);
  });

  rule(
    "debits of an hour that is folded in part are added to what is folded later",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 9 });
      for (const minute of [0, 1, 2]) {
        await scene.debit(account, { now: START + minute });
        await maintainFully(scene.ledger, {
          now: START,
          foldBefore: START + minute + 1,
          rowsMax: 9,
        });
      }
      await scene.debit(account, { now: START + 3 });
      assert.deepEqual(
        (await scene.usage()).map(({ calls, credits }) => [calls, credits]),
        [[4, 4]],
      );
    },
  );

  rule("calls go on between the steps of a round", async (scene) => {
    await manyCalls(scene);
    const account = await scene.account("Dot", { credits: 500 });
    const order = { now: START + DAY - 1, foldBefore: START + DAY - 1, rowsMax: 4 };
    let calls = 0;
    await maintainFully(scene.ledger, order, async () => {
      calls += 1;
      assert.equal((await scene.debit(account, { now: START + DAY })).outcome, "debited");
      assert.equal(await scene.balance(account), 500 - calls);
    });
    assert.equal((await scene.usage(account))[0]?.calls, calls);
  });

  rule("an empty ledger needs no upkeep", async ({ ledger }) => {
    const order = { now: START, foldBefore: START, rowsMax: 10, after: null };
    assert.deepEqual(await ledger.maintain(order), { folded: 0, forgotten: 0, after: null });
  });
}

function describeForgetting(rule: Rule) {
  const repeated = async (scene: Scene, account: string, key: string, now: number) =>
    (await scene.debit(account, { idempotency: idempotency(key), now })).outcome;

  rule("answers are forgotten after 24 hours, not before", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    for (const [index, key] of ["one", "two", "three"].entries())
      await scene.debit(account, { idempotency: idempotency(key), now: START + index * HOUR });
    const forgottenAt = async (now: number) =>
      (await maintainFully(scene.ledger, { now, foldBefore: 0, rowsMax: 9 })).forgotten;
    const end = START + IDEMPOTENCY_KEPT_MS;
    assert.equal(await forgottenAt(end - 1), 0);
    assert.equal(await repeated(scene, account, "one", end - 1), "replayed");
    assert.equal(await forgottenAt(end + HOUR + 1), 2);
    assert.equal(await forgottenAt(end + HOUR + 1), 0);
    assert.equal(await repeated(scene, account, "three", end + HOUR + 1), "replayed");
    assert.equal(await repeated(scene, account, "one", end + HOUR + 1), "debited");
  });

  rule("answers are forgotten in steps of at most rowsMax rows", async (scene) => {
    const account = await scene.account("Ada", { credits: 99 });
    for (let call = 0; call < 20; call += 1)
      await scene.debit(account, { idempotency: idempotency(`key-${call}`) });
    const order = { now: START + 2 * DAY, foldBefore: START + 1, rowsMax: 3 };
    let forgotten = 0;
    // One round may leave some of them for the next: what counts is that a step stays small.
    for (let round = 0; round < 20 && forgotten < 20; round += 1)
      forgotten += (
        await maintainFully(scene.ledger, order, async (step) =>
          assert.ok(step.folded + step.forgotten <= 3),
        )
      ).forgotten;
    assert.equal(forgotten, 20);
    assert.equal((await scene.usage())[0]?.calls, 20);
  });

  rule("a folded call is still answered from what was kept", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    await scene.debit(account, { idempotency: idempotency("kept") });
    await maintainFully(scene.ledger, { now: START + 1, foldBefore: START + 1, rowsMax: 9 });
    assert.equal(await repeated(scene, account, "kept", START + 1), "replayed");
    assert.equal((await scene.usage())[0]?.calls, 1);
  });

  rule("a key used anew after 24 hours outlives the forgetting of its first use", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    const later = START + IDEMPOTENCY_KEPT_MS;
    await scene.debit(account, { idempotency: idempotency("kept") });
    await scene.debit(account, { idempotency: idempotency("kept"), now: later });
    await maintainFully(scene.ledger, { now: later + HOUR, foldBefore: later, rowsMax: 9 });
    assert.equal(await repeated(scene, account, "kept", later + HOUR), "replayed");
  });
}
