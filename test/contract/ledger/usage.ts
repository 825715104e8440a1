import assert from "node:assert/strict";
import {
  accountId,
  createRule,
  DAY,
  HOUR,
  keyId,
  maintainFully,
  type OpenLedger,
  type Scene,
  START,
  sortedUsage,
} from "./fixture.ts";

export function describeUsage(open: OpenLedger) {
  const rule = createRule(open);

  rule("usage counts calls and credits by account, key, tool and hour", async (scene) => {
    const ada = await callsOfTwoHours(scene);
    const bob = accountId("Bob");
    const row = { account: ada, key: keyId(ada), tool: "hash", hour: START, calls: 1, credits: 1 };
    const expected = [
      { ...row, key: keyId(ada), calls: 3, credits: 2 },
      { ...row, key: keyId(ada), tool: "uuid" },
      { ...row, key: keyId(ada, "other") },
      { ...row, account: bob, key: keyId(bob) },
      { ...row, key: keyId(ada), hour: START + HOUR, calls: 1 },
    ];
    assert.deepEqual(await scene.usage(), expected);
    const ofAda = expected.filter(({ account }) => account === ada);
    assert.deepEqual(await scene.usage(ada), ofAda);
  });

  rule("a debit counts in the hour it was made, to the millisecond", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    for (const now of [START - 1, START, START + HOUR - 1, START + HOUR])
      await scene.debit(account, { now });
    assert.deepEqual(
      (await scene.usage()).map(({ hour, calls }) => [hour, calls]),
      [
        [START - HOUR, 1],
        [START, 2],
        [START + HOUR, 1],
      ],
    );
  });

  for (const folded of [false, true])
    rule(
      `usage is of from <= hour < to, ${folded ? "after folding" : "before folding"} too`,
      async (scene) => {
        const account = await scene.account("Ada", { credits: 5 });
        for (const hours of [0, 1, 2])
          await scene.debit(account, { now: START + hours * HOUR + 7 });
        if (folded)
          await maintainFully(scene.ledger, { now: START, foldBefore: START + DAY, rowsMax: 9 });
        const hoursIn = async (from: number, to: number) =>
          (await sortedUsage(scene.ledger, account, { from, to })).map(({ hour }) => hour);
        assert.deepEqual(await hoursIn(START, START + 2 * HOUR), [START, START + HOUR]);
        assert.deepEqual(await hoursIn(START + HOUR, START + HOUR + 1), [START + HOUR]);
        assert.deepEqual(await hoursIn(START + 1, START + 2 * HOUR), [START + HOUR]);
        assert.deepEqual(await hoursIn(START, START), []);
      },
    );

  for (const folded of [false, true])
    rule(
      `reversed calls are no usage, ${folded ? "after folding" : "before folding"} too`,
      async (scene) => {
        const account = await scene.account("Ada", { freeCall: "open", credits: 5 });
        const [free, paid, kept] = [1, 2, 3].map(() => scene.debitOrder(account));
        for (const order of [free, paid, kept]) if (order) await scene.ledger.debit(order);
        for (const order of [free, paid])
          await scene.ledger.reverse({
            account,
            callId: order?.callId ?? "",
            at: START,
            now: START,
          });
        const only = scene.debitOrder(account, { tool: "uuid" });
        await scene.ledger.debit(only);
        await scene.ledger.reverse({ account, callId: only.callId, at: START, now: START });
        if (folded)
          await maintainFully(scene.ledger, { now: START, foldBefore: START + 1, rowsMax: 9 });
        const row = { account, key: keyId(account), tool: "hash", hour: START };
        assert.deepEqual(await scene.usage(), [{ ...row, calls: 1, credits: 1 }]);
      },
    );

  rule("recent calls are counted by key, from a time to the millisecond", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open", credits: 9 });
    await scene.createKey(account, "other");
    await scene.createKey(account, "idle");
    const bob = await scene.account("Bob", { credits: 9 });
    for (const now of [START, START + 1, START + 2]) await scene.debit(account, { now });
    await scene.debit(account, { now: START + 1, key: "other", tool: "uuid" });
    await scene.debit(bob, { now: START + 1 });
    const reversed = scene.debitOrder(account, { now: START + 2, key: "other" });
    await scene.ledger.debit(reversed);
    const { callId, now: at } = reversed;
    await scene.ledger.reverse({ account, callId, at, now: at });
    await scene.ledger.revokeKey({ account, id: keyId(account, "other"), now: START + 3 });
    const recent = async (from: number) =>
      (await scene.ledger.recentCalls({ account, from }))
        .map(({ key, calls, credits }) => `${key.slice(-10)} ${calls} ${credits}`)
        .sort();
    assert.deepEqual(await recent(START), ["main000000 3 2", "other00000 1 1"]);
    assert.deepEqual(await recent(START + 1), ["main000000 2 2", "other00000 1 1"]);
    assert.deepEqual(await recent(START + 2), ["main000000 1 1"]);
    assert.deepEqual(await recent(START + 3), []);
    const nobody = { account: accountId("Nobody"), from: 0 };
    assert.deepEqual(await scene.ledger.recentCalls(nobody), []);
  });

  rule("the usage of revoked keys and closed accounts stays", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await scene.debit(account);
    const usage = await scene.usage();
    await scene.ledger.revokeKey({ account, id: keyId(account), now: START });
    await scene.ledger.closeAccount({ account, now: START });
    assert.deepEqual(await scene.usage(), usage);
    assert.equal(usage.length, 1);
  });
}

/** Ada calls with two keys, two tools and in two hours, the first time for nothing; Bob calls once. */
async function callsOfTwoHours(scene: Scene): Promise<string> {
  const ada = await scene.account("Ada", { freeCall: "open", credits: 50 });
  const bob = await scene.account("Bob", { credits: 50 });
  await scene.createKey(ada, "other");
  for (const now of [START, START + 1, START + HOUR - 1]) await scene.debit(ada, { now });
  await scene.debit(ada, { tool: "uuid" });
  await scene.debit(ada, { key: "other" });
  await scene.debit(bob);
  await scene.debit(ada, { now: START + HOUR });
  return ada;
}
