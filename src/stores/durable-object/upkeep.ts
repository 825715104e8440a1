import type { MaintainOrder, MaintainOutcome } from "#ledger/port.ts";
import { DAY_MS, HOUR_MS, IDEMPOTENCY_KEPT_MS, ROLL_UP_AFTER_DAYS } from "#limits.ts";
import type { DebitPeriods } from "../sqlite/debit-periods.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import type { ObjectStorage } from "./driver.ts";
import { FORWARD_AFTER_MS } from "./events.ts";
import { alarmAgainAt, type Chore, logRoundFailure, setAlarmSurely } from "./next-alarm.ts";

/**
 * The alarm of an account's object, which is set for whatever is due first. It rolls up a period of old debits and deletes old
 * idempotency records, at most once a day and only if there are any; only the first call after a round sets an alarm for that. It also writes
 * the events of grants that expire, sums debits for the usage, and forwards events one second after they were written.
 */
export type Upkeep = {
  /** Call after a debit. Returns a promise only if an earlier alarm has to be set, which is rare. */
  recordDebit(debit: { now: number; isRepeatable: boolean }): Promise<void> | undefined;
  /** Call after many debits that are not summed yet. Returns a promise only if an earlier alarm has to be set. */
  recordUnsummed(): Promise<void> | undefined;
  /** Call with the time when something is due. Returns a promise only if an earlier alarm has to be set. */
  wakeBy(due: number): Promise<void> | undefined;
  /** Does what is due, and sets the next alarm. What fails is logged and done by a later alarm. It may run again at any time. */
  round(): Promise<void>;
  /** Sets the alarm for the stored rows. */
  schedule(): Promise<void>;
};

/** Old rows wait this long for others to become old, so that a busy account is not woken for each row. */
const GATHER_MS = DAY_MS;
/** How long debits are kept individually. */
const KEPT_MS = ROLL_UP_AFTER_DAYS * DAY_MS;
/** The minimum time until an alarm for old rows, so that a clock that was set back does not wake the object over and over. */
const SOONEST_MS = HOUR_MS;
/** A step is one transaction. Calls run between two steps. */
const ROWS_A_STEP = 500;
/** After this number of steps a new alarm continues: 20,000 rows take much less than the CPU time of one alarm. */
const STEPS_A_ROUND = 40;
const BETWEEN_ROUNDS_MS = 1_000;
/** A step of sums reads some thousand debits. */
const SUM_STEPS_A_ROUND = 20;
/** Debits are summed while few of them still arrive with earlier times. */
const SUM_AFTER_MS = 5_000;

export type UpkeepSettings = {
  maintain(order: MaintainOrder): MaintainOutcome;
  /** What the object does besides its ledger. */
  chores: readonly Chore[];
  sumUsage(): { more: boolean };
  /** Ends holds whose holders are silent. */
  expireHolds(now: number): { isMore: boolean };
};

export function createUpkeep(
  storage: Pick<ObjectStorage, "getAlarm" | "setAlarm">,
  driver: SqlDriver,
  periods: DebitPeriods,
  { maintain, chores, sumUsage, expireHolds }: UpkeepSettings,
): Upkeep {
  const oldestRecord = driver.prepare(
    "SELECT min(at) AS at FROM (SELECT at FROM idempotency UNION ALL SELECT at FROM kept_call)",
  );
  const nextLease = driver.prepare("SELECT min(lease_until) AS at FROM hold");
  const nextExpiry = driver.prepare(
    "SELECT event_due_at FROM credit_grant WHERE event_due_at IS NOT NULL ORDER BY event_due_at, no LIMIT 1",
  );
  /** The time of the oldest idempotency record, or an earlier one. Undefined until it is read, because that reads all records. */
  let oldestRecordAt: number | null | undefined;
  /** Undefined until it is read, once per start of the object. */
  let alarmAt: number | null | undefined;
  /** The earliest alarm that could not be set since one was. */
  let missedAt = Number.POSITIVE_INFINITY;
  /** Whether many debits may have to be summed. */
  let isUnsummed = false;
  /** Rounds that failed since the last one that did not. */
  let failures = 0;

  async function set(at: number): Promise<void> {
    alarmAt = at;
    try {
      await storage.setAlarm(at);
      missedAt = Number.POSITIVE_INFINITY;
    } catch (error) {
      alarmAt = undefined;
      missedAt = Math.min(at, missedAt);
      throw error;
    }
  }

  async function setNoLaterThan(due: number): Promise<void> {
    if (alarmAt === undefined) {
      const current = await storage.getAlarm();
      // Another call may have set one in the meantime.
      if (alarmAt === undefined) alarmAt = current;
    }
    const soonest = Math.min(due, missedAt);
    if (alarmAt === null || alarmAt > soonest) await set(soonest);
  }

  const wakeBy = (due: number): Promise<void> | undefined =>
    typeof alarmAt === "number" && alarmAt <= due ? undefined : setNoLaterThan(due);
  const notTooSoon = (due: number) => Math.max(due, Date.now() + SOONEST_MS);

  /** Returns when a period of debits or the oldest idempotency record becomes old; null if there is neither. */
  function oldAt(): number | null {
    const debit = periods.decisiveAt();
    if (oldestRecordAt === undefined)
      oldestRecordAt = (oldestRecord.get()?.["at"] ?? null) as number | null;
    const times = [];
    if (debit !== null) times.push(debit + KEPT_MS);
    if (oldestRecordAt !== null) times.push(oldestRecordAt + IDEMPOTENCY_KEPT_MS);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Returns when the next event of a grant's expiry is due. */
  const expiryAt = () => (nextExpiry.get()?.["event_due_at"] ?? null) as number | null;
  /** Returns when the next lease of a hold is over. */
  const leaseAt = () => (nextLease.get()?.["at"] ?? null) as number | null;
  const isDue = (at: number | null, now: number) => at !== null && at <= now;

  async function schedule(): Promise<void> {
    const now = Date.now();
    const old = oldAt();
    // Not sooner, so that a clock that was set back does not wake the object over and over.
    const soon = (at: number | null) => (at === null ? null : Math.max(at, now + FORWARD_AFTER_MS));
    const times = [
      old === null ? null : notTooSoon(old + GATHER_MS),
      ...chores.map((chore) => chore.dueAt(now)),
      ...[soon(expiryAt()), soon(leaseAt())],
    ].filter((at) => at !== null);
    if (times.length > 0) await setNoLaterThan(Math.min(...times));
  }

  /** Returns whether no hold is left whose lease is over. */
  const endHolds = (now: number): Promise<boolean> =>
    inSteps(STEPS_A_ROUND, () => !isDue(leaseAt(), now) || !expireHolds(now).isMore);

  /** Starts a new period of debits if the present one is old enough. */
  function startPeriod(before: number, now: number): void {
    if (!periods.isOver(before)) return;
    try {
      driver.transaction("write", () => periods.startNew(now));
    } catch (error) {
      periods.forget();
      throw error;
    }
  }

  /** Rolls up, deletes and writes what is due. Returns whether nothing of it is left. */
  async function maintainAll(now: number): Promise<boolean> {
    if (!isDue(oldAt(), now) && !isDue(expiryAt(), now)) return true;
    const before = now - KEPT_MS;
    oldestRecordAt = undefined;
    let after: number | null = null;
    return inSteps(STEPS_A_ROUND, () => {
      startPeriod(before, now);
      // Debits are rolled up by periods only: one by one, each would be billed.
      const rollUpBefore = periods.isEarlierBefore(before) ? before : 0;
      ({ after } = maintain({ now, rollUpBefore, rowsMax: ROWS_A_STEP, after }));
      return after === null && !periods.isOver(before);
    });
  }

  /** Returns whether nothing is left to sum. Most rounds are for something else and read nothing for it. */
  const sumDebits = (): Promise<boolean> =>
    inSteps(SUM_STEPS_A_ROUND, () => {
      if (isUnsummed) isUnsummed = sumUsage().more;
      return !isUnsummed;
    });

  return {
    recordDebit({ now, isRepeatable }) {
      if (isRepeatable && oldestRecordAt !== undefined)
        oldestRecordAt = Math.min(oldestRecordAt ?? now, now);
      return wakeBy(notTooSoon(now + (isRepeatable ? IDEMPOTENCY_KEPT_MS : KEPT_MS) + GATHER_MS));
    },
    recordUnsummed() {
      isUnsummed = true;
      return wakeBy(Date.now() + SUM_AFTER_MS);
    },
    wakeBy,
    async round() {
      // The alarm has fired. The next debit reads when it is set again.
      alarmAt = undefined;
      const now = Date.now();
      const failuresBefore = failures;
      /** A part that fails does not keep the others from being done. */
      async function attempt<Result>(part: () => Promise<Result>): Promise<Result | null> {
        try {
          return await part();
        } catch (cause) {
          failures = failuresBefore + 1;
          logRoundFailure(cause);
          return null;
        }
      }
      const areHoldsEnded = await attempt(() => endHolds(now));
      const isMaintained = await attempt(async () => {
        // A round for old debits also sums those that were made before the object was last started.
        if (isDue(oldAt(), now)) isUnsummed = true;
        return maintainAll(now);
      });
      for (const chore of chores) await attempt(() => chore.round(now));
      const isSummed = await attempt(sumDebits);
      if (failures === failuresBefore) {
        const isDone = isSummed === true && isMaintained === true && areHoldsEnded === true;
        await attempt(() => (isDone ? schedule() : set(now + BETWEEN_ROUNDS_MS)));
      }
      if (failures === failuresBefore) {
        failures = 0;
        return;
      }
      alarmAt = undefined;
      await setAlarmSurely(storage, alarmAgainAt(failures));
    },
    schedule() {
      // An import may have brought records.
      oldestRecordAt = undefined;
      return schedule();
    },
  };
}

/** Takes steps, between which calls run, until one returns that nothing is left. Returns whether one did. */
async function inSteps(max: number, step: () => boolean): Promise<boolean> {
  for (let steps = 0; steps < max; steps += 1) {
    if (step()) return true;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return false;
}
