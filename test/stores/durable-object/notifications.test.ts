import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { LedgerEvent, LedgerEvents } from "#ledger/events.ts";
import { ROLL_UP_AFTER_DAYS } from "#limits.ts";
import { createForwarding } from "#stores/durable-object/events.ts";
import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { DAY, HOUR, MINUTE, START } from "../../contract/ledger/fixture.ts";
import { openAlarm } from "./alarm-fixture.ts";

/** How an account's object handles events, with a clock that the test moves. */
const SECOND = 1_000;

async function openFixture(t: TestContext, before = async () => {}) {
  t.mock.method(console, "error", () => {});
  let added = 0;
  const trouble: { add: Error | null; settle: Error | null } = { add: null, settle: null };
  /** The store that receives the events of all accounts. */
  const place = new Map<string, LedgerEvent>();
  async function add(events: readonly LedgerEvent[]) {
    added += 1;
    if (trouble.add !== null) throw trouble.add;
    for (const event of events) place.set(event.id, event);
    await before();
  }
  const { upkeep, ...opened } = openAlarm(
    t,
    (driver) => {
      const own = createLedgerEvents(createSqliteDatabase(driver), "sqlite");
      const ownEvents: LedgerEvents = {
        ...own,
        async settle(events) {
          if (trouble.settle !== null) throw trouble.settle;
          await own.settle(events);
        },
      };
      return createForwarding(driver, ownEvents, { add });
    },
    { areRecorded: true },
  );
  return {
    ...opened,
    ...{ trouble, added: () => added },
    /** The kinds of all received events, oldest first. */
    met: () => [...place.values()].map(({ kind }) => kind),
    note: (now: number) => upkeep().recordDebit({ now, isRepeatable: false }),
    schedule: () => upkeep().schedule(),
  };
}

test("an event is forwarded one second after it was written, together with later ones, by one alarm", async (t) => {
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada", { credits: 20 });
  assert.equal(fixture.alarmAt(), START + SECOND);
  fixture.pass(200);
  for (let call = 0; call < 20; call += 1) await fixture.debit(account, { now: Date.now() });
  assert.equal(fixture.asked.setAlarm, 1);
  await fixture.goOff();
  assert.deepEqual(fixture.met(), [
    ...["key.created", "credits.granted"],
    ...["credits.low", "credits.depleted"],
  ]);
  assert.deepEqual(await fixture.news(), [], "nothing is left here");
});

test("events that cannot be forwarded are retried after doubling waits up to six hours, also after a restart", async (t) => {
  const fixture = await openFixture(t);
  await fixture.account("Ada");
  fixture.trouble.add = new Error("D1 is away");
  const tries: number[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    tries.push((await fixture.goOff()) - START);
    fixture.wakeAnew();
  }
  const waits = tries.slice(1).map((at, index) => at - (tries[index] as number));
  const doubled = Array.from({ length: 19 }, (_, turn) => Math.min(SECOND * 2 ** turn, 6 * HOUR));
  assert.deepEqual(waits, doubled);
  assert.deepEqual(fixture.met(), []);
  fixture.trouble.add = null;
  await fixture.goOff();
  assert.deepEqual([fixture.met(), fixture.alarmAt()], [["key.created"], null]);
});

test("an event that was forwarded but not deleted is forwarded again, and stored once", async (t) => {
  const fixture = await openFixture(t);
  await fixture.account("Ada");
  fixture.trouble.settle = new Error("no disk");
  await fixture.goOff();
  fixture.trouble.settle = null;
  await fixture.goOff();
  assert.deepEqual([fixture.met(), fixture.added()], [["key.created"], 2]);
  assert.equal(fixture.alarmAt(), null);
});

test("an event that is written while others are forwarded is forwarded with them", async (t) => {
  let act: (() => Promise<unknown>) | null = null;
  const fixture = await openFixture(t, async () => {
    const now = act;
    act = null;
    await now?.();
  });
  const account = await fixture.account("Ada");
  act = () => fixture.grant(account, "more", 50, { now: Date.now() });
  await fixture.goOff();
  assert.deepEqual(fixture.met(), ["key.created", "credits.granted"]);
  // The object's own alarm finds nothing to do, and is the last one.
  await fixture.goOff();
  assert.deepEqual([fixture.added(), fixture.alarmAt()], [2, null]);
});

test("expiry events are written without any call: 30 days before, 7 days before, and at the expiry", async (t) => {
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada");
  await fixture.grant(account, "one", 5, { expiresAt: START + 40 * DAY });
  await fixture.grant(account, "other", 100, { expiresAt: START + 60 * DAY });
  const times: number[] = [];
  while (fixture.alarmAt() !== null) times.push(((await fixture.goOff()) - START) / DAY);
  assert.deepEqual(times, [SECOND / DAY, 10, 30, 33, 40, 53, 60]);
  assert.deepEqual(fixture.met().slice(3), [
    ...Array(4).fill("credits.expiring"),
    "credits.depleted",
  ]);
});

test("the alarm for old debits is set again after an event, and rolls up nothing too soon", async (t) => {
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada", { credits: 100 });
  await fixture.goOff();
  await fixture.debit(account, { now: Date.now() });
  await fixture.note(Date.now());
  const rollingUp = Date.now() + (ROLL_UP_AFTER_DAYS + 1) * DAY;
  assert.equal(fixture.alarmAt(), rollingUp);
  fixture.pass(HOUR);
  await fixture.createKey(account, "second", Date.now());
  assert.equal(fixture.alarmAt(), Date.now() + SECOND);
  await fixture.goOff();
  assert.equal(fixture.alarmAt(), rollingUp);
  assert.equal(fixture.count("debit"), 1);
  await fixture.goOff();
  assert.equal(fixture.count("debit"), 0);
});

test("an expiry that an earlier version stored is found when the alarm is scheduled, however late", async (t) => {
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada");
  await fixture.grant(account, "one", 5, { expiresAt: START + 20 * DAY });
  await fixture.goOff();
  fixture.driver.exec("DELETE FROM event");
  fixture.pass(50 * DAY);
  fixture.wakeAnew();
  await fixture.schedule();
  // The alarm that was set earlier has not run yet and is not postponed.
  assert.equal(fixture.alarmAt(), START + 13 * DAY);
  await fixture.goOff();
  assert.deepEqual(fixture.met().slice(-1), ["credits.depleted"]);
  assert.equal(fixture.alarmAt(), null);
  fixture.pass(MINUTE);
  await fixture.schedule();
  assert.equal(fixture.alarmAt(), null);
});
