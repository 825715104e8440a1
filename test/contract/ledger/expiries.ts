import assert from "node:assert/strict";
import { createRule, DAY, type OpenLedger, type Scene, START } from "./fixture.ts";

/** Far enough for both notices ahead of it. */
const END = START + 100 * DAY;
const ALL = 1000;

const expiring = (at: number, days: 30 | 7, remaining: number, expiresAt = END, id = "pack") =>
  ({
    at,
    kind: "credits.expiring",
    days,
    grant: { id, kind: "pack", remaining, expiresAt },
  }) as const;

/** What time alone brings, for whoever looks now and then. */
export function describeExpiries(open: OpenLedger) {
  const rule = createRule(open);
  describeAhead(rule);
  describeEnds(rule);
}

type Rule = ReturnType<typeof createRule>;

/** Grants that expire soon. */
function describeAhead(rule: Rule) {
  rule(
    "a grant's end is told of 30 and 7 days ahead, once each, to the millisecond",
    async (scene) => {
      await withPack(scene, 50);
      for (const days of [30, 7] as const) {
        const due = END - days * DAY;
        assert.deepEqual(await look(scene, due - 1), { noticed: 0, more: false });
        assert.deepEqual(await scene.news(), []);
        assert.deepEqual(await look(scene, due), { noticed: 1, more: false });
        assert.deepEqual(await look(scene, due), { noticed: 0, more: false });
        assert.deepEqual(await scene.news(), [expiring(due, days, 50)]);
      }
    },
  );

  rule("where nobody looked in time one notice is written, not two", async (scene) => {
    await withPack(scene, 50);
    const late = END - 3 * DAY;
    assert.deepEqual(await look(scene, late), { noticed: 1, more: false });
    assert.deepEqual(await scene.news(), [expiring(late, 7, 50)]);
    await look(scene, END - 1);
    assert.deepEqual(await scene.news(), []);
  });

  rule(
    "a look between the two is the first of them, and the second comes in its time",
    async (scene) => {
      await withPack(scene, 50);
      await look(scene, END - 8 * DAY);
      await look(scene, END - 7 * DAY - 1);
      await look(scene, END - 7 * DAY);
      assert.deepEqual(await scene.news(), [
        expiring(END - 8 * DAY, 30, 50),
        expiring(END - 7 * DAY, 7, 50),
      ]);
    },
  );

  rule("a grant is told of as it is when somebody looks; a spent one is not", async (scene) => {
    const account = await withPack(scene, 2);
    await scene.debit(account);
    await look(scene, END - 30 * DAY);
    await scene.debit(account);
    await scene.news();
    assert.deepEqual(await look(scene, END - 7 * DAY), { noticed: 0, more: false });
    assert.deepEqual(await scene.news(), []);
  });

  rule("what a grant still holds is what is told", async (scene) => {
    const account = await withPack(scene, 30);
    await scene.debit(account);
    await look(scene, END - 30 * DAY);
    assert.deepEqual(await scene.news(), [expiring(END - 30 * DAY, 30, 29)]);
  });

  rule("a grant that comes late is told of from where it stands", async (scene) => {
    const account = await scene.account();
    const given = { kind: "pack" } as const;
    await scene.grant(account, "month", 50, { ...given, expiresAt: START + 30 * DAY });
    await scene.grant(account, "fortnight", 50, { ...given, expiresAt: START + 14 * DAY });
    await scene.grant(account, "days", 50, { ...given, expiresAt: START + 7 * DAY });
    await scene.grant(account, "past", 50, { ...given, expiresAt: START });
    await scene.news();
    for (let day = 0; day <= 30; day += 1) await look(scene, START + day * DAY);
    assert.deepEqual(await scene.news(), [
      expiring(START + 7 * DAY, 7, 50, START + 14 * DAY, "fortnight"),
      expiring(START + 23 * DAY, 7, 50, START + 30 * DAY, "month"),
      { at: START + 30 * DAY, kind: "credits.depleted" },
    ]);
  });

  rule("a look takes so many grants as it is asked to, the longest due first", async (scene) => {
    const account = await scene.account();
    for (const [id, days] of [
      ["third", 33],
      ["first", 31],
      ["second", 32],
    ] as const)
      await scene.grant(account, id, 50, { kind: "pack", expiresAt: START + days * DAY });
    await scene.news();
    const now = START + 5 * DAY;
    const told = async () =>
      (await scene.news()).map((notice) => "grant" in notice && notice.grant.id);
    assert.deepEqual(await look(scene, now, 2), { noticed: 2, more: true });
    assert.deepEqual(await told(), ["first", "second"]);
    assert.deepEqual(await look(scene, now, 1), { noticed: 1, more: false });
    assert.deepEqual(await told(), ["third"]);
  });

  rule("looked for 20 times at once, a notice is written once", async (scene) => {
    await withPack(scene, 50);
    const due = END - 30 * DAY;
    const looks = await Promise.all(Array.from({ length: 20 }, () => look(scene, due)));
    assert.deepEqual(
      looks
        .map(({ noticed }) => noticed)
        .sort()
        .slice(-2),
      [0, 1],
    );
    assert.deepEqual(await scene.news(), [expiring(due, 30, 50)]);
  });

  rule("on the lifetime plan no end is told of", async (scene) => {
    const account = await withPack(scene, 50);
    await scene.grant(account, "plan", 5, { kind: "lifetime" });
    await scene.grant(account, "late", 5, { expiresAt: END });
    await scene.news();
    assert.deepEqual(await look(scene, END + DAY), { noticed: 0, more: false });
    assert.deepEqual(await scene.news(), []);
  });

  rule("after the plan the ends are told of that are still ahead", async (scene) => {
    const account = await withPack(scene, 50);
    await look(scene, END - 30 * DAY);
    await scene.grant(account, "plan", 5, { kind: "lifetime", now: END - 29 * DAY });
    await scene.clawback(account, "plan", 5, undefined, END - 20 * DAY);
    await scene.news();
    await look(scene, END - 20 * DAY);
    assert.deepEqual(await scene.news(), [], "the first notice is not written again");
    await look(scene, END - 7 * DAY);
    assert.deepEqual(await scene.news(), [expiring(END - 7 * DAY, 7, 50)]);
  });

  rule("a grant that was clawed back is not told of", async (scene) => {
    const account = await withPack(scene, 50);
    await scene.clawback(account, "pack", 50);
    await scene.news();
    assert.deepEqual(await look(scene, END - 30 * DAY), { noticed: 0, more: false });
  });

  rule("a suspended account is told like any other", async (scene) => {
    const account = await withPack(scene, 50);
    await scene.ledger.suspendAccount({ account, now: START });
    assert.deepEqual(await look(scene, END - 30 * DAY), { noticed: 1, more: false });
  });
}

/** Grants that have expired. */
function describeEnds(rule: Rule) {
  for (const [left, content] of [
    [0, { kind: "credits.depleted" }],
    [5, { kind: "credits.low", balance: 5, lowBalance: 20 }],
  ] as const)
    rule(`an end that leaves ${left} credits is told of, once`, async (scene) => {
      const account = await withPack(scene, 50);
      if (left > 0) await scene.grant(account, "kept", left);
      await look(scene, END - 7 * DAY);
      await scene.news();
      assert.deepEqual(await look(scene, END - 1), { noticed: 0, more: false });
      assert.deepEqual(await look(scene, END), { noticed: 1, more: false });
      assert.deepEqual(await look(scene, END + DAY), { noticed: 0, more: false });
      assert.deepEqual(await scene.news(), [{ at: END, ...content }]);
    });

  rule("an end that leaves enough is not told of, nor is that of a spent grant", async (scene) => {
    const account = await withPack(scene, 50);
    await scene.grant(account, "spent", 1, { expiresAt: START + DAY });
    await scene.grant(account, "kept", 20);
    await scene.debit(account);
    await scene.news();
    assert.deepEqual(await look(scene, START + DAY), { noticed: 0, more: false });
    assert.deepEqual(await look(scene, END), { noticed: 0, more: false });
    assert.deepEqual(await scene.news(), []);
  });

  rule(
    "who looks only after the end is told of the balance, not of the end ahead",
    async (scene) => {
      await withPack(scene, 50);
      assert.deepEqual(await look(scene, END + DAY), { noticed: 1, more: false });
      assert.deepEqual(await scene.news(), [{ at: END + DAY, kind: "credits.depleted" }]);
    },
  );

  rule("ends that come together are told of once", async (scene) => {
    const account = await withPack(scene, 50);
    await scene.grant(account, "other", 50, { expiresAt: END });
    await look(scene, END - DAY);
    await scene.news();
    assert.deepEqual(await look(scene, END), { noticed: 1, more: false });
    assert.deepEqual(await scene.news(), [{ at: END, kind: "credits.depleted" }]);
  });

  rule("what a call has told of already is not told again", async (scene) => {
    const account = await withPack(scene, 50);
    await scene.grant(account, "kept", 5);
    await look(scene, END - 7 * DAY);
    await scene.news();
    await scene.debit(account, { now: END });
    assert.deepEqual(
      (await scene.news()).map(({ kind }) => kind),
      ["credits.low"],
    );
    assert.deepEqual(await look(scene, END), { noticed: 0, more: false });
    assert.deepEqual(await scene.news(), []);
  });

  rule("a grant made after an end arms the next one again", async (scene) => {
    const account = await withPack(scene, 50);
    await look(scene, END);
    await scene.grant(account, "next", 50, { expiresAt: END + DAY, now: END });
    await scene.news();
    assert.deepEqual(await look(scene, END + DAY), { noticed: 1, more: false });
    assert.deepEqual(await scene.news(), [{ at: END + DAY, kind: "credits.depleted" }]);
  });

  rule("each account's ends are its own", async (scene) => {
    const [ada, bob] = [await scene.account("Ada"), await scene.account("Bob")];
    await scene.grant(ada, "short", 5, { expiresAt: START + DAY });
    await scene.grant(bob, "kept", 5);
    await scene.news();
    await look(scene, START + DAY);
    const { notices } = await scene.ledger.listEvents({ max: ALL });
    assert.deepEqual(
      notices.map(({ account, kind }) => [account, kind]),
      [[ada, "credits.depleted"]],
    );
  });
}

const look = ({ ledger }: Scene, now: number, max = ALL) => ledger.recordExpiries({ now, max });

/** An account with one pack, of which everything was told. */
async function withPack(scene: Scene, credits: number) {
  const account = await scene.account();
  await scene.grant(account, "pack", credits, { kind: "pack", expiresAt: END });
  await scene.news();
  return account;
}
