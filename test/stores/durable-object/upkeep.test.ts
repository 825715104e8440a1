import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { ROLL_UP_AFTER_DAYS } from "#limits.ts";
import {
  assertTotals,
  createFixture,
  DAY,
  HOUR,
  idempotency,
  MINUTE,
  START,
} from "../../contract/ledger/fixture.ts";
import { eventually } from "../../http/test-api.ts";
import { openAlarm } from "./alarm-fixture.ts";
import { openObject } from "./fixture.ts";

describe("the alarm of an account's object", () => {
  /** An account whose events nobody waits for. */
  async function openFixture(t: TestContext) {
    const forwarded = { rounds: 0, fault: null as Error | null };
    const { debitOrder, upkeep, ...opened } = openAlarm(t, () => ({
      dueAt: () => null,
      async round() {
        forwarded.rounds += 1;
        if (forwarded.fault !== null) throw forwarded.fault;
      },
    }));
    const account = await opened.account("Ada", { credits: 100 });
    return {
      ...opened,
      forwarded,
      recordUnsummed: async () => upkeep().recordUnsummed(),
      async call(now: number, key: string | null = null) {
        const kept = key === null ? null : idempotency(key);
        await opened.ledger.debit(debitOrder(account, { now, idempotency: kept }));
        await upkeep().recordDebit({ now, isRepeatable: key !== null });
      },
    };
  }

  test("is read once and set once, however many calls there are", async (t) => {
    const fixture = await openFixture(t);
    for (let call = 0; call < 50; call += 1) await fixture.call(START + call * MINUTE);
    assert.deepEqual(fixture.asked, { getAlarm: 1, setAlarm: 1 });
    assert.equal(fixture.alarmAt(), START + (ROLL_UP_AFTER_DAYS + 1) * DAY);
    fixture.wakeAnew();
    for (let call = 0; call < 50; call += 1) await fixture.call(START + HOUR + call);
    assert.deepEqual(fixture.asked, { getAlarm: 2, setAlarm: 1 });
  });

  test("is due sooner if an idempotency record was stored, and is set only for the first one", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START);
    await fixture.call(START + MINUTE, "once");
    assert.equal(fixture.alarmAt(), START + MINUTE + 2 * DAY);
    for (let call = 0; call < 20; call += 1)
      await fixture.call(START + HOUR + call, `later-${call}`);
    assert.deepEqual(fixture.asked, { getAlarm: 1, setAlarm: 2 });
  });

  test("deletes idempotency records and rolls up debits when they are old, and then is not set", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START);
    await fixture.call(START + MINUTE, "once");
    await fixture.goOff();
    assert.deepEqual([fixture.count("idempotency"), fixture.count("debit")], [0, 2]);
    assert.equal(fixture.alarmAt(), START + (ROLL_UP_AFTER_DAYS + 1) * DAY);
    await fixture.goOff();
    assert.deepEqual([fixture.count("debit"), fixture.count("usage_hour")], [0, 1]);
    assert.equal(fixture.alarmAt(), null);
  });

  test("wakes a busy account at most once a day", async (t) => {
    const fixture = await openFixture(t);
    const rounds: number[] = [];
    for (let hour = 0; hour < 10 * 24; hour += 1) {
      const now = START + hour * HOUR;
      t.mock.timers.setTime(Math.max(now, Date.now()));
      if ((fixture.alarmAt() ?? now + 1) <= now) {
        rounds.push(now);
        await fixture.goOff();
      }
      if (hour % 4 === 0) await fixture.call(now, `hour ${hour}`);
    }
    assert.ok(rounds.length >= 4, `${rounds.length} rounds`);
    const gaps = rounds.slice(1).map((at, index) => at - (rounds[index] as number));
    assert.ok(Math.min(...gaps) >= DAY, String(gaps));
    assert.ok(fixture.count("idempotency") <= 12 + 1);
  });

  test("is never due sooner than in an hour, whatever the time of an order", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START - 400 * DAY, "old");
    assert.equal(fixture.alarmAt(), START + HOUR);
  });

  test("reads many idempotency records in rounds, so that calls can run in between", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START, "first");
    fixture.driver.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20500)
       INSERT INTO idempotency (account_no, tool, key, at, call_id, body_sha256, response_sha256, received_at)
       SELECT 1, 'hash', 'key ' || i, ${START} + i * (i % 2) * 10000, 'many', '', '', 1 FROM n`,
    );
    await fixture.goOff();
    assert.ok(fixture.count("idempotency") > 1_000);
    assert.equal(fixture.alarmAt(), Date.now() + 1_000);
    await fixture.goOff();
    const young = `SELECT count(*) AS young FROM idempotency WHERE at > ${Date.now() - DAY}`;
    assert.ok(fixture.count("idempotency") > 0, "some are not old yet");
    assert.equal(fixture.count("idempotency"), fixture.driver.prepare(young).get()?.["young"]);
    const oldest = fixture.driver.prepare("SELECT min(at) AS at FROM idempotency").get()?.["at"];
    assert.equal(fixture.alarmAt(), Number(oldest) + 2 * DAY);
  });

  test("keeps debits for two periods at most, and drops a period at once", async (t) => {
    const fixture = await openFixture(t);
    let latest = 0;
    for (let day = 0; day < 100; day += 1) {
      const now = START + day * DAY;
      t.mock.timers.setTime(Math.max(now, Date.now()));
      if ((fixture.alarmAt() ?? now + 1) <= now) await fixture.goOff();
      await fixture.call(now);
      const [oldest] = fixture.driver.prepare("SELECT min(at) AS at FROM debit").all();
      const age = now - Number(oldest?.["at"]);
      assert.ok(age <= (2 * ROLL_UP_AFTER_DAYS + 3) * DAY, `${age / DAY} days`);
      assert.ok(
        day < ROLL_UP_AFTER_DAYS || fixture.count("debit") >= ROLL_UP_AFTER_DAYS,
        "none is dropped early",
      );
      latest = fixture.count("debit_journal");
    }
    assert.ok(latest > 0, "there is an earlier period");
  });

  test("sets another alarm if its round fails, however often, and an account without calls is not forgotten", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START);
    fixture.trouble.maintain = new Error("no disk");
    const waits: number[] = [];
    for (let failures = 1; failures <= 12; failures += 1) {
      if (failures === 4) fixture.trouble.setAlarm = [new Error("not now"), new Error("not now")];
      await fixture.goOff();
      waits.push(((fixture.alarmAt() as number) - Date.now()) / MINUTE);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]);
    assert.equal(fixture.count("debit"), 1);
    fixture.trouble.maintain = null;
    await fixture.goOff();
    assert.deepEqual([fixture.count("debit"), fixture.count("usage_hour")], [0, 1]);
    assert.equal(fixture.alarmAt(), null, "nothing is left");
    fixture.trouble.maintain = new Error("no disk");
    await fixture.call(Date.now());
    await fixture.goOff();
    assert.equal((fixture.alarmAt() as number) - Date.now(), MINUTE, "the count begins anew");
  });

  test("does what it can if a part of its round fails: events and expiries, old rows, sums", async (t) => {
    for (const part of ["forwarding", "maintain", "sums"] as const) {
      const fixture = await openFixture(t);
      await fixture.call(START);
      await fixture.recordUnsummed();
      fixture.sums.left = 1;
      const fault = new Error("no disk");
      if (part === "forwarding") fixture.forwarded.fault = fault;
      else fixture.trouble[part] = fault;
      t.mock.timers.setTime(START + (ROLL_UP_AFTER_DAYS + 1) * DAY);
      await fixture.goOff();
      assert.deepEqual(
        [fixture.forwarded.rounds, fixture.count("debit"), fixture.sums.taken > 0],
        [1, part === "maintain" ? 1 : 0, true],
        part,
      );
      assert.equal((fixture.alarmAt() as number) - Date.now(), MINUTE, part);
      t.mock.timers.reset();
    }
  });

  test("leaves it to the platform only if no alarm can be set at all", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START);
    fixture.trouble.maintain = new Error("no disk");
    fixture.trouble.setAlarm = Array.from({ length: 4 }, () => new Error("not now"));
    await assert.rejects(fixture.goOff(), /not now/);
    fixture.trouble.maintain = null;
    await fixture.call(Date.now());
    assert.ok(fixture.alarmAt() !== null, "the next call sets one");
  });

  test("sums many calls within seconds, in rounds with a bound, and then waits for old calls again", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START);
    const old = START + (ROLL_UP_AFTER_DAYS + 1) * DAY;
    assert.equal(fixture.alarmAt(), old);
    await fixture.recordUnsummed();
    assert.equal(fixture.alarmAt(), START + 5_000);
    await fixture.recordUnsummed();
    assert.deepEqual(fixture.asked, { getAlarm: 1, setAlarm: 2 });
    fixture.sums.left = 25;
    await fixture.goOff();
    assert.equal(fixture.sums.taken, 20, "the steps of one round");
    assert.equal(fixture.alarmAt(), Date.now() + 1_000);
    await fixture.goOff();
    assert.equal(fixture.sums.taken, 26);
    assert.deepEqual([fixture.count("debit"), fixture.alarmAt()], [1, old]);
  });

  test("is set by the next call if it could not be set, for what it was due then", async (t) => {
    const fixture = await openFixture(t);
    await fixture.call(START);
    fixture.trouble.setAlarm = [new Error("not now")];
    await assert.rejects(fixture.call(START + 1, "once"), /not now/);
    await fixture.call(START + 2);
    assert.equal(fixture.alarmAt(), START + 1 + 2 * DAY);
  });
});

describe("an object in workerd", () => {
  /** A call's debit order from this many days ago. */
  async function fillOld() {
    const object = openObject();
    const fixture = createFixture({ ledger: object.ledger });
    const account = await fixture.account("Ada", { freeCall: "open", credits: 100 });
    const now = Date.now() - 40 * DAY;
    const calls = object.calls(0);
    for (let call = 0; call < 12; call += 1) {
      const order = fixture.debitOrder(account, {
        now: now + call * 10 * MINUTE,
        idempotency: call % 4 === 0 ? idempotency(`call ${call}`) : null,
      });
      assert.equal((await calls.debit(order, false)).outcome.outcome, "debited");
      if (call === 5) await fixture.ledger.reverse({ ...order, at: order.now, now: order.now + 1 });
    }
    return { object, fixture, account };
  }

  test("is woken by its alarm, rolls up old debits, and is not woken again", async () => {
    const { object, fixture, account } = await fillOld();
    const before = [await fixture.usage(), await fixture.balance(account)];
    assert.ok(((await object.alarmAt()) ?? 0) > Date.now());
    assert.equal(await object.countRows("debit"), 12);

    await object.wakeIn(200);
    await eventually("it was folded", async () => (await object.countRows("debit")) === 0);
    assert.equal(await object.countRows("debit"), 0);
    assert.equal(await object.countRows("idempotency"), 0);
    assert.equal(await object.alarmAt(), null);
    assert.deepEqual([await fixture.usage(), await fixture.balance(account)], before);
    await assertTotals(fixture.ledger, Date.now());
  });

  test("may run repeatedly without rolling up anything twice", async () => {
    const { object, fixture, account } = await fillOld();
    const before = [await fixture.usage(), await fixture.balance(account)];
    await object.wake();
    await Promise.all([object.wake(), object.wake()]);
    assert.equal(await object.countRows("debit"), 0);
    assert.deepEqual([await fixture.usage(), await fixture.balance(account)], before);
    await assertTotals(fixture.ledger, Date.now());
  });

  test("keeps its alarm after a restart, and a period as long as its latest debit", async () => {
    const { object, fixture, account } = await fillOld();
    await fixture.debit(account, { now: Date.now() });
    await object.wakeIn(50);
    await eventually(
      "a new period starts",
      async () => (await object.countRows("debit_journal")) === 13,
    );
    assert.equal(await object.countRows("debit"), 13);
    await fixture.debit(account, { now: Date.now() + 2 * HOUR });
    assert.equal(await object.countRows("debit_by_account"), 1);
    const due = await object.alarmAt();
    assert.ok(due !== null && due > Date.now() + 29 * DAY, String(due));
    await object.restart();
    assert.equal(await object.alarmAt(), due);
  });
});
