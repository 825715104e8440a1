import assert from "node:assert/strict";
import { createRule, DAY, keyId, type OpenLedger, START } from "./fixture.ts";

/** Events about an account: one per change. */
export function describeEvents(open: OpenLedger) {
  const test = createRule(open);
  describeKept(test);

  test("a grant causes one event, with the stored values", async (fixture) => {
    const account = await fixture.account();
    await fixture.news();
    const given = { kind: "pack", expiresAt: START + DAY } as const;
    await fixture.grant(account, "pack", 30, given);
    await fixture.grant(account, "pack", 30, { ...given, now: START + 1 });
    const expected = { id: "pack", amount: 30, ...given };
    assert.deepEqual(await fixture.news(), [
      { at: START, kind: "credits.granted", grant: expected },
    ]);
    await fixture.grant(account, "plan", 1, { kind: "lifetime" });
    await fixture.grant(account, "more", 1, { expiresAt: START + DAY });
    assert.deepEqual(
      (await fixture.news()).map((event) => event.kind === "credits.granted" && event.grant),
      [
        { id: "plan", kind: "lifetime", amount: 1, expiresAt: null },
        { id: "more", kind: "operator", amount: 1, expiresAt: null },
      ],
    );
  });

  test("creating and revoking a key cause one event each", async (fixture) => {
    const account = await fixture.account();
    const key = { id: keyId(account), label: "main", start: "tb_" };
    await fixture.createKey(account, "main", START + 1);
    assert.deepEqual(await fixture.news(), [{ at: START, kind: "key.created", key }]);
    await fixture.ledger.changeKey({ account, id: key.id, label: "renamed", now: START });
    for (const now of [START + 2, START + 3])
      assert.deepEqual(await fixture.ledger.revokeKey({ account, id: key.id, now }), {
        found: true,
      });
    await fixture.ledger.revokeKey({ account, id: "key_none", now: START });
    const renamed = { ...key, label: "renamed" };
    assert.deepEqual(await fixture.news(), [{ at: START + 2, kind: "key.revoked", key: renamed }]);
  });
}

type Rule = ReturnType<typeof createRule>;

/** The keeping of them. */
function describeKept(test: Rule) {
  test("events stay with their account until they are deleted", async (fixture) => {
    const { ledgerEvents } = fixture;
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob")];
    const events = await ledgerEvents.list({ max: 10 });
    assert.deepEqual(
      events.map(({ account, kind }) => [account, kind]),
      [
        [ada, "key.created"],
        [bob, "key.created"],
      ],
    );
    assert.deepEqual(await ledgerEvents.list({ max: 10 }), events);
    assert.deepEqual(await ledgerEvents.list({ max: 1 }), events.slice(0, 1));
    for (let times = 0; times < 2; times += 1) {
      await ledgerEvents.settle(events.slice(0, 1));
      assert.deepEqual(await ledgerEvents.list({ max: 10 }), events.slice(1));
    }
  });

  test("deleting unknown events deletes nothing else", async (fixture) => {
    const { ledgerEvents } = fixture;
    const account = await fixture.account();
    const [event] = await ledgerEvents.list({ max: 1 });
    assert.ok(event);
    const { id } = event;
    const others = ["", "evt_", "1", id.slice(0, -1), `${id}0`, `${id} `, id.replace("Ada", "Bob")];
    const earlier = `evt_${account}_${START - 1}_${id.split("_").at(-1)}`;
    await ledgerEvents.settle([...others, earlier].map((unknown) => ({ ...event, id: unknown })));
    await ledgerEvents.settle([]);
    assert.deepEqual(await ledgerEvents.list({ max: 1 }), [event]);
  });

  test("event ids are never reused, even after an event was deleted", async (fixture) => {
    const { ledgerEvents } = fixture;
    const account = await fixture.account();
    const ids: string[] = [];
    for (const grant of ["one", "two", "three"]) {
      await fixture.grant(account, grant, 1);
      await fixture.grant(account, `${grant} more`, 1);
      const events = await ledgerEvents.list({ max: 10 });
      ids.push(...events.map(({ id }) => id));
      await ledgerEvents.settle(events);
    }
    assert.equal(ids.length, 7);
    assert.equal(new Set(ids).size, 7);
  });

  test("a closed account causes no more events, and its waiting events are deleted", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.grant(account, "short", 5, { expiresAt: START + DAY });
    await ledger.changeAccount({ account, now: START, state: "closed" });
    assert.deepEqual(await fixture.news(), []);
    await ledger.revokeKey({ account, id: keyId(account), now: START });
    await fixture.grant(account, "late", 5);
    await fixture.createKey(account, "late");
    assert.equal(await fixture.look(START + 2 * DAY), 0);
    assert.deepEqual(await fixture.news(), []);
  });
}
