import assert from "node:assert/strict";
import { OrderRefused } from "#ledger/port.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import {
  createRule,
  DAY,
  idempotency,
  type OpenLedger,
  type Scene,
  START,
  tally,
} from "./fixture.ts";

const low = (balance: number, lowBalance = 20, at = START) =>
  ({ at, kind: "credits.low", balance, lowBalance }) as const;
const depleted = (at = START) => ({ at, kind: "credits.depleted" }) as const;

/** What an account's owner is told of its balance: each crossing once. */
export function describeBalanceNotices(open: OpenLedger) {
  const rule = createRule(open);
  describeLevels(rule);
  describeThresholds(rule);
}

type Rule = ReturnType<typeof createRule>;

/** Levels of the balance. */
function describeLevels(rule: Rule) {
  rule("a new account is not told that it has nothing", async (scene) => {
    const account = await scene.account();
    await scene.debit(account);
    const news = (await scene.news()).map(({ kind }) => kind);
    assert.deepEqual(news, ["key.created"]);
  });

  rule("the call by which the balance falls low is told of, and no other", async (scene) => {
    const account = await funded(scene, 22);
    await scene.debit(account, { now: START + 1 });
    await scene.debit(account, { now: START + 2 });
    assert.deepEqual(await scene.news(), []);
    await scene.debit(account, { now: START + 3 });
    await scene.debit(account, { now: START + 4 });
    assert.deepEqual(await scene.news(), [low(19, 20, START + 3)]);
  });

  rule("the call that takes the last credit is told of, and no refusal after it", async (scene) => {
    const account = await funded(scene, 21);
    for (let calls = 0; calls < 25; calls += 1) await scene.debit(account);
    assert.deepEqual(await scene.news(), [low(19), depleted()]);
  });

  rule("50 calls at once tell of each crossing once", async (scene) => {
    const account = await funded(scene, 40);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => scene.debit(account)));
    assert.deepEqual(tally(outcomes), { debited: 40, insufficient_credits: 10 });
    assert.deepEqual(await scene.news(), [low(19), depleted()]);
  });

  rule("accounts whose calls come at once are each told of their own", async (scene) => {
    const accounts = [];
    for (const name of ["Ada", "Bob", "Cid"]) {
      accounts.push(await scene.account(name));
      await scene.grant(accounts.at(-1) as string, "first", 25);
    }
    await scene.news();
    const [ada = "", bob = "", cid = ""] = accounts;
    const calls = [...Array(30).fill(ada), ...Array(10).fill(bob), ...Array(3).fill(cid)];
    await Promise.all(calls.map((account) => scene.debit(account)));
    const { notices } = await scene.ledger.listEvents({ max: 10 });
    const of = (wanted: string) =>
      notices.flatMap(({ account, kind }) => (account === wanted ? [kind] : []));
    assert.deepEqual(of(ada), ["credits.low", "credits.depleted"]);
    assert.deepEqual(of(bob), ["credits.low"]);
    assert.deepEqual(of(cid), []);
  });

  rule("a grant that lifts the balance is ready for the next crossing", async (scene) => {
    const account = await funded(scene, 20);
    await scene.debit(account);
    await scene.grant(account, "more", 1);
    await scene.debit(account);
    assert.deepEqual(kindsOf(await scene.news()), [
      "credits.low",
      "credits.granted",
      "credits.low",
    ]);
    await scene.grant(account, "few", 1);
    await scene.debit(account);
    await scene.debit(account);
    assert.deepEqual(kindsOf(await scene.news()), ["credits.granted", "credits.low"]);
  });

  rule(
    "a grant to an account without credits that leaves it low tells of the grant alone",
    async (scene) => {
      const account = await funded(scene, 1);
      await scene.debit(account);
      assert.deepEqual(await scene.news(), [depleted()], "it was low from the beginning");
      await scene.grant(account, "more", 2);
      await scene.debit(account);
      await scene.debit(account);
      assert.deepEqual(kindsOf(await scene.news()), ["credits.granted", "credits.depleted"]);
    },
  );

  rule("a credit that comes back lifts the balance in silence", async (scene) => {
    const account = await funded(scene, 20);
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    assert.deepEqual(await scene.news(), [low(19)]);
    await scene.ledger.reverse({ account, callId: order.callId, at: START, now: START });
    assert.deepEqual(await scene.news(), []);
    await scene.debit(account);
    assert.deepEqual(await scene.news(), [low(19)]);
  });

  rule("free calls, replays, refusals and orders sent again tell of nothing", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open" });
    await scene.grant(account, "first", 20);
    await scene.news();
    await scene.debit(account);
    assert.deepEqual(await scene.news(), []);
    const order = scene.debitOrder(account, { idempotency: idempotency("once") });
    await scene.ledger.debit(order);
    assert.deepEqual(await scene.news(), [low(19)]);
    await scene.ledger.debit(order);
    await scene.debit(account, { idempotency: idempotency("once") });
    await scene.debit(account, { key: "unknown" });
    await scene.ledger.suspendAccount({ account, now: START });
    await scene.debit(account);
    assert.deepEqual(await scene.news(), []);
  });

  rule("a clawback by which the balance falls is told of as calls are", async (scene) => {
    const account = await funded(scene, 30);
    await scene.clawback(account, "first", 5);
    assert.deepEqual(await scene.news(), []);
    for (let times = 0; times < 2; times += 1)
      await scene.clawback(account, "first", 15, undefined, START + 1);
    assert.deepEqual(await scene.news(), [low(15, 20, START + 1)]);
    for (let times = 0; times < 2; times += 1)
      await scene.clawback(account, "first", 30, undefined, START + 2);
    assert.deepEqual(await scene.news(), [depleted(START + 2)]);
  });

  rule("a plan's end by which credits expire is told of", async (scene) => {
    const account = await funded(scene, 0);
    await scene.grant(account, "soon", 40, { expiresAt: START + DAY });
    await scene.grant(account, "plan", 1, { kind: "lifetime" });
    await scene.news();
    await scene.clawback(account, "plan", 1, undefined, START + DAY);
    assert.deepEqual(await scene.news(), [depleted(START + DAY)]);
  });

  rule("the first call after credits have expired tells how low the balance is", async (scene) => {
    const account = await funded(scene, 10);
    await scene.grant(account, "soon", 40, { expiresAt: START + DAY });
    await scene.news();
    await scene.debit(account, { now: START + DAY - 1 });
    assert.deepEqual(await scene.news(), []);
    await scene.debit(account, { now: START + DAY });
    assert.deepEqual(await scene.news(), [low(9, 20, START + DAY)]);
  });
}

/** The balance below which somebody wants to be told. */
function describeThresholds(rule: Rule) {
  for (const lowBalance of [0, 1])
    rule(`who wants to be told below ${lowBalance} is told when nothing is left`, async (scene) => {
      const account = await funded(scene, 3);
      await setLowBalance(scene, account, lowBalance);
      for (let calls = 0; calls < 4; calls += 1) await scene.debit(account);
      assert.deepEqual(await scene.news(), [depleted()]);
    });

  rule("the balance below which is told is the account's own, and is shown", async (scene) => {
    const account = await funded(scene, 30);
    const other = await scene.account("Bob", { credits: 30 });
    await scene.news();
    assert.deepEqual(await setLowBalance(scene, account, 30), { found: true });
    const shown = async (of: string) =>
      (await scene.ledger.findAccount({ account: of, now: START }))?.lowBalance;
    assert.deepEqual([await shown(account), await shown(other)], [30, 20]);
    await scene.debit(account);
    await scene.debit(other);
    assert.deepEqual(await scene.news(), [low(29, 30)]);
  });

  rule("what is so already when the bound is set brings no notice", async (scene) => {
    const account = await funded(scene, 30);
    await setLowBalance(scene, account, 100);
    await scene.debit(account);
    assert.deepEqual(await scene.news(), []);
    for (let calls = 0; calls < 29; calls += 1) await scene.debit(account);
    assert.deepEqual(await scene.news(), [depleted()]);
  });

  rule("a bound that was lowered is crossed again", async (scene) => {
    const account = await funded(scene, 20);
    await scene.debit(account);
    assert.deepEqual(await scene.news(), [low(19)]);
    await setLowBalance(scene, account, 18);
    await scene.debit(account);
    assert.deepEqual(await scene.news(), []);
    await scene.debit(account);
    assert.deepEqual(await scene.news(), [low(17, 18)]);
  });

  for (const lowBalance of [-1, 1.5, GRANT_CREDITS_MAX + 1])
    rule(`a bound of ${lowBalance} is rejected and changes nothing`, async (scene) => {
      const account = await scene.account();
      await assert.rejects(setLowBalance(scene, account, lowBalance), OrderRefused);
      assert.equal((await scene.ledger.findAccount({ account, now: START }))?.lowBalance, 20);
      assert.deepEqual(await setLowBalance(scene, account, GRANT_CREDITS_MAX), { found: true });
    });

  rule("a closed account has no bound to set", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await scene.ledger.closeAccount({ account, now: START });
    assert.deepEqual(await setLowBalance(scene, account, 3), { found: false });
  });
}

const setLowBalance = (scene: Scene, account: string, lowBalance: number) =>
  scene.ledger.setLowBalance({ account, lowBalance, now: START });

const kindsOf = (notices: { kind: string }[]) => notices.map(({ kind }) => kind);

/** An account whose making nobody needs to be told of any more. */
async function funded(scene: Scene, credits: number) {
  const account = await scene.account();
  if (credits > 0) await scene.grant(account, "first", credits);
  await scene.news();
  return account;
}
