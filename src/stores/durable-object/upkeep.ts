import type { MaintainOrder, MaintainOutcome } from "#ledger/port.ts";
import { DAY_MS, HOUR_MS, IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import type { ObjectStorage } from "./driver.ts";
import { FORWARD_AFTER_MS, type Forwarding } from "./events.ts";

/**
 * What an account's object is woken for. Its alarm keeps it small: it folds old debits and forgets idempotency records, at
 * most once a day and only while there is something to fold; no call sets an alarm for that but the first after a round.
 * And it sees to notices: a second after one was written, and when a grant is to be looked at. There is one alarm, set for
 * the soonest of all that is due.
 */
export type Upkeep = {
  /** A debit was made. Resolves when an alarm is set that is early enough; mostly one is, and nothing is returned. */
  note(debit: { now: number; repeatable: boolean }): Promise<void> | undefined;
  /** A notice was written. */
  recordEvent(): Promise<void> | undefined;
  /** What the alarm does. It may be run again at any time: the platform repeats one that failed. */
  round(): Promise<void>;
  /** Sets the alarm by what is stored. */
  schedule(): Promise<void>;
};

/** What has become old waits for so long for others, so that a busy account is not woken for each. */
const GATHER_MS = DAY_MS;
/** For what is old no alarm is earlier than this, so that a clock that was set back wakes nobody again and again. */
const SOONEST_MS = HOUR_MS;
/** A step is one transaction, and calls go on between two. */
const ROWS_A_STEP = 500;
/** Then a new alarm goes on: 20,000 rows take well under the time of a CPU that an alarm gets. */
const STEPS_A_ROUND = 40;
const BETWEEN_ROUNDS_MS = 1_000;

/** `forwarding`: null where there is no place for notices. */
export function createUpkeep(
  storage: Pick<ObjectStorage, "getAlarm" | "setAlarm">,
  driver: SqlDriver,
  maintain: (order: MaintainOrder) => MaintainOutcome,
  rollUpAfterDays: number,
  forwarding: Forwarding | null = null,
): Upkeep {
  const keptMs = rollUpAfterDays * DAY_MS;
  const oldestDebit = driver.prepare(
    "SELECT at FROM debit_by_account ORDER BY account_no, at LIMIT 1",
  );
  const oldestResponse = driver.prepare("SELECT at FROM idempotency ORDER BY at LIMIT 1");
  /** Undefined until it was looked up, once in the object's life. */
  let alarmAt: number | null | undefined;

  async function set(at: number): Promise<void> {
    alarmAt = at;
    try {
      await storage.setAlarm(at);
    } catch (error) {
      alarmAt = undefined;
      throw error;
    }
  }

  async function beforeOrAt(due: number): Promise<void> {
    if (alarmAt === undefined) {
      const found = await storage.getAlarm();
      // Another call may have set one meanwhile.
      if (alarmAt === undefined) alarmAt = found;
    }
    if (alarmAt === null || alarmAt > due) await set(due);
  }

  const isEarlyEnough = (due: number) => typeof alarmAt === "number" && alarmAt <= due;
  const notTooSoon = (due: number) => Math.max(due, Date.now() + SOONEST_MS);

  /** When the oldest debit and the oldest answer become old; null where there is neither. */
  function oldAt(): number | null {
    const [debit, response] = [oldestDebit.get()?.["at"], oldestResponse.get()?.["at"]];
    const times = [];
    if (typeof debit === "number") times.push(debit + keptMs);
    if (typeof response === "number") times.push(response + IDEMPOTENCY_KEPT_MS);
    return times.length === 0 ? null : Math.min(...times);
  }

  async function schedule(): Promise<void> {
    const dues = [];
    const old = oldAt();
    if (old !== null) dues.push(notTooSoon(old + GATHER_MS));
    const events = forwarding?.dueAt(Date.now()) ?? null;
    if (events !== null) dues.push(events);
    if (dues.length > 0) await beforeOrAt(Math.min(...dues));
  }

  /** Whether that is all. */
  async function rollUp(now: number): Promise<boolean> {
    const old = oldAt();
    if (old === null || old > now) return true;
    let after: number | null = null;
    for (let steps = 0; steps < STEPS_A_ROUND; steps += 1) {
      const order = { now, rollUpBefore: now - keptMs, rowsMax: ROWS_A_STEP, after };
      ({ after } = maintain(order));
      if (after === null) return true;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return false;
  }

  return {
    note({ now, repeatable }) {
      const due = notTooSoon(now + (repeatable ? IDEMPOTENCY_KEPT_MS : keptMs) + GATHER_MS);
      return isEarlyEnough(due) ? undefined : beforeOrAt(due);
    },
    recordEvent() {
      const due = Date.now() + FORWARD_AFTER_MS;
      return isEarlyEnough(due) ? undefined : beforeOrAt(due);
    },
    async round() {
      // It has gone off. Where the round fails the platform repeats it, and the next debit looks whether it does.
      alarmAt = undefined;
      const now = Date.now();
      await forwarding?.round(now);
      if (await rollUp(now)) await schedule();
      else await set(now + BETWEEN_ROUNDS_MS);
    },
    schedule,
  };
}
