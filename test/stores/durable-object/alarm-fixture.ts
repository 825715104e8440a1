import type { TestContext } from "node:test";
import type { LedgerOperation, MaintainOrder, MaintainOutcome } from "#ledger/port.ts";
import { FORWARD_AFTER_MS } from "#stores/durable-object/events.ts";
import type { Chore } from "#stores/durable-object/next-alarm.ts";
import { createUpkeep } from "#stores/durable-object/upkeep.ts";
import { type BatchResult, ledgerOver, unwrap } from "#stores/ledger/store-ledger.ts";
import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createDebitPeriods } from "#stores/sqlite/debit-periods.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { createFixture, START } from "../../contract/ledger/fixture.ts";
import { openEmpty } from "../transfer-fixture.ts";

/**
 * The ledger of an object with an alarm that the test observes, and a clock that the test moves. `forwarding`: what forwards its events;
 * without `areRecorded` they set no alarm.
 */
export function openAlarm(
  t: TestContext,
  forwarding: (driver: NodeSqlite) => Chore,
  { areRecorded = false } = {},
) {
  t.mock.timers.enable({ apis: ["Date"], now: START });
  const driver = openEmpty(t);
  const periods = createDebitPeriods(driver);
  let hasEvent = false;
  const run = createBatchRunner(driver, {
    createReads: createSqliteReads,
    periods,
    onEvent: () => {
      hasEvent = areRecorded;
    },
  });
  const submit = (name: LedgerOperation, order: unknown) =>
    unwrap(run([[name, order]])[0] as BatchResult);
  const asked = { getAlarm: 0, setAlarm: 0 };
  /** `setAlarm`: what the next attempts to set one meet. */
  const trouble: { setAlarm: Error[]; maintain: Error | null; sums: Error | null } = {
    ...{ setAlarm: [], maintain: null, sums: null },
  };
  let alarmAt: number | null = null;
  const storage = {
    async getAlarm() {
      asked.getAlarm += 1;
      return alarmAt;
    },
    async setAlarm(at: number) {
      asked.setAlarm += 1;
      const fault = trouble.setAlarm.shift();
      if (fault !== undefined) throw fault;
      alarmAt = at;
    },
  };
  /** The steps that find debits to sum. */
  const sums = { left: 0, taken: 0 };
  const settings = {
    expireHolds: () => ({ isMore: false }),
    maintain(order: MaintainOrder) {
      if (trouble.maintain !== null) throw trouble.maintain;
      return submit("maintain", order) as MaintainOutcome;
    },
    chores: [forwarding(driver)],
    sumUsage() {
      sums.taken += 1;
      if (trouble.sums !== null) throw trouble.sums;
      sums.left -= 1;
      return { more: sums.left >= 0 };
    },
  };
  const start = () => createUpkeep(storage, driver, periods, settings);
  let upkeep = start();
  const ledger = ledgerOver(async (name, order) => {
    hasEvent = false;
    const value = submit(name, order);
    if (hasEvent) await upkeep.wakeBy(Date.now() + FORWARD_AFTER_MS);
    return value;
  });
  const ledgerEvents = createLedgerEvents(createSqliteDatabase(driver), "sqlite");
  return {
    ...createFixture({ ledger, ledgerEvents }),
    ...{ asked, trouble, sums, driver },
    alarmAt: () => alarmAt,
    upkeep: () => upkeep,
    /** Restarts the same object. */
    wakeAnew: () => {
      upkeep = start();
    },
    /** Moves the clock to the alarm, runs it, and returns the time. */
    async goOff() {
      const at = alarmAt as number;
      t.mock.timers.setTime(Math.max(at, Date.now()));
      // The platform removes an alarm before it runs.
      alarmAt = null;
      await upkeep.round();
      return at;
    },
    pass: (ms: number) => t.mock.timers.setTime(Date.now() + ms),
    count: (table: string) =>
      Number(driver.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]),
  };
}
