import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { LedgerEvent } from "#ledger/events.ts";
import { ledgerOver } from "#ledger/ledger-over.ts";
import type { LedgerOperation, MaintainOrder, MaintainOutcome } from "#ledger/port.ts";
import { createForwarding, type PerformOwn } from "#stores/durable-object/events.ts";
import { createUpkeep } from "#stores/durable-object/upkeep.ts";
import { type BatchResult, createBatchRunner, unwrap } from "#stores/sqlite/batch.ts";
import { createScene, DAY, HOUR, MINUTE, START } from "../../contract/ledger/fixture.ts";
import { openEmpty } from "../transfer-fixture.ts";

/** What an account's object does about notices, by a clock that the test moves. */
const KEPT_DAYS = 30;
const SECOND = 1_000;

async function openScene(t: TestContext, before = async () => {}) {
  t.mock.timers.enable({ apis: ["Date"], now: START });
  t.mock.method(console, "error", () => {});
  const driver = openEmpty(t);
  let hasNotice = false;
  const run = createBatchRunner(driver, {
    isAlone: true,
    onEvent: () => {
      hasNotice = true;
    },
  });
  const submit = (name: LedgerOperation, order: unknown) =>
    unwrap(run([[name, order]])[0] as BatchResult);
  const asked = { setAlarm: 0, add: 0 };
  const trouble: { add: Error | null; settle: Error | null } = { add: null, settle: null };
  let alarmAt: number | null = null;
  const storage = {
    getAlarm: async () => alarmAt,
    async setAlarm(at: number) {
      asked.setAlarm += 1;
      alarmAt = at;
    },
  };
  /** Where the notices of all accounts meet. */
  const place = new Map<string, LedgerEvent>();
  async function add(notices: readonly LedgerEvent[]) {
    asked.add += 1;
    if (trouble.add !== null) throw trouble.add;
    for (const notice of notices) place.set(notice.id, notice);
    await before();
  }
  const perform: PerformOwn = (name, order) => {
    if (name === "deleteEvents" && trouble.settle !== null) throw trouble.settle;
    return submit(name, order) as never;
  };
  const start = () =>
    createUpkeep(
      storage,
      driver,
      (order: MaintainOrder) => submit("maintain", order) as MaintainOutcome,
      KEPT_DAYS,
      createForwarding(driver, perform, { add }),
    );
  let upkeep = start();
  const ledger = ledgerOver(async (name, order) => {
    hasNotice = false;
    const value = submit(name, order);
    if (hasNotice) await upkeep.noteNotice();
    return value;
  });
  return {
    ...createScene({ ledger }),
    ...{ asked, trouble, driver },
    alarmAt: () => alarmAt,
    /** The kinds of all that has met, oldest first. */
    met: () => [...place.values()].map(({ kind }) => kind),
    /** Another life of the same object. */
    wakeAnew: () => {
      upkeep = start();
    },
    note: (now: number) => upkeep.note({ now, repeatable: false }),
    schedule: () => upkeep.schedule(),
    /** Goes on to where the alarm goes off; returns the time. */
    async goOff() {
      const at = alarmAt as number;
      t.mock.timers.setTime(Math.max(at, Date.now()));
      // The platform has forgotten an alarm that goes off.
      alarmAt = null;
      await upkeep.round();
      return at;
    },
    pass: (ms: number) => t.mock.timers.setTime(Date.now() + ms),
  };
}

test("a notice is handed on a second after it was written, with those that come meanwhile, by one alarm", async (t) => {
  const scene = await openScene(t);
  const account = await scene.account("Ada", { credits: 20 });
  assert.equal(scene.alarmAt(), START + SECOND);
  scene.pass(200);
  for (let call = 0; call < 20; call += 1) await scene.debit(account, { now: Date.now() });
  assert.equal(scene.asked.setAlarm, 1);
  await scene.goOff();
  assert.deepEqual(scene.met(), [
    ...["key.created", "credits.granted"],
    ...["credits.low", "credits.depleted"],
  ]);
  assert.deepEqual(await scene.news(), [], "nothing is left here");
});

test("what cannot be handed on stays for a try after twice the time, at most six hours, in another life too", async (t) => {
  const scene = await openScene(t);
  await scene.account("Ada");
  scene.trouble.add = new Error("D1 is away");
  const tries: number[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    tries.push((await scene.goOff()) - START);
    scene.wakeAnew();
  }
  const waits = tries.slice(1).map((at, index) => at - (tries[index] as number));
  const doubled = Array.from({ length: 19 }, (_, turn) => Math.min(SECOND * 2 ** turn, 6 * HOUR));
  assert.deepEqual(waits, doubled);
  assert.deepEqual(scene.met(), []);
  scene.trouble.add = null;
  await scene.goOff();
  assert.deepEqual([scene.met(), scene.alarmAt()], [["key.created"], null]);
});

test("one that was handed on and not settled is handed on again, and kept there once", async (t) => {
  const scene = await openScene(t);
  await scene.account("Ada");
  scene.trouble.settle = new Error("no disk");
  await scene.goOff();
  scene.trouble.settle = null;
  await scene.goOff();
  assert.deepEqual([scene.met(), scene.asked.add], [["key.created"], 2]);
  assert.equal(scene.alarmAt(), null);
});

test("one that is written while others are handed on goes with them", async (t) => {
  let act: (() => Promise<unknown>) | null = null;
  const scene = await openScene(t, async () => {
    const now = act;
    act = null;
    await now?.();
  });
  const account = await scene.account("Ada");
  act = () => scene.grant(account, "more", 50, { now: Date.now() });
  await scene.goOff();
  assert.deepEqual(scene.met(), ["key.created", "credits.granted"]);
  // Its own alarm finds nothing, and is the last.
  await scene.goOff();
  assert.deepEqual([scene.asked.add, scene.alarmAt()], [2, null]);
});

test("the ends of grants are told of without any call: 30 days ahead, 7 days ahead, and when they have come", async (t) => {
  const scene = await openScene(t);
  const account = await scene.account("Ada");
  await scene.grant(account, "one", 5, { expiresAt: START + 40 * DAY });
  await scene.grant(account, "other", 100, { expiresAt: START + 60 * DAY });
  const times: number[] = [];
  while (scene.alarmAt() !== null) times.push(((await scene.goOff()) - START) / DAY);
  assert.deepEqual(times, [SECOND / DAY, 10, 30, 33, 40, 53, 60]);
  assert.deepEqual(scene.met().slice(3), [
    ...Array(4).fill("credits.expiring"),
    "credits.depleted",
  ]);
});

test("the alarm of what is old stands again after a notice, and folds nothing too soon", async (t) => {
  const scene = await openScene(t);
  const account = await scene.account("Ada", { credits: 100 });
  await scene.goOff();
  await scene.debit(account, { now: Date.now() });
  await scene.note(Date.now());
  const folding = Date.now() + (KEPT_DAYS + 1) * DAY;
  assert.equal(scene.alarmAt(), folding);
  scene.pass(HOUR);
  await scene.createKey(account, "second", Date.now());
  assert.equal(scene.alarmAt(), Date.now() + SECOND);
  await scene.goOff();
  assert.equal(scene.alarmAt(), folding);
  const debits = () => scene.driver.prepare("SELECT count(*) AS count FROM debit").get()?.["count"];
  assert.equal(debits(), 1);
  await scene.goOff();
  assert.equal(debits(), 0);
});

test("a grant's end that an earlier version has stored is found when it is scheduled, however late", async (t) => {
  const scene = await openScene(t);
  const account = await scene.account("Ada");
  await scene.grant(account, "one", 5, { expiresAt: START + 20 * DAY });
  await scene.goOff();
  scene.driver.exec("DELETE FROM event");
  scene.pass(50 * DAY);
  scene.wakeAnew();
  await scene.schedule();
  // The alarm that was set in time has not gone off: it is not put off.
  assert.equal(scene.alarmAt(), START + 13 * DAY);
  await scene.goOff();
  assert.deepEqual(scene.met().slice(-1), ["credits.depleted"]);
  assert.equal(scene.alarmAt(), null);
  scene.pass(MINUTE);
  await scene.schedule();
  assert.equal(scene.alarmAt(), null);
});
