import type { MaintainOrder, MaintainOutcome } from "#credits/ledger.ts";
import { DAY_MS, HOUR_MS, IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import type { ObjectStorage } from "./durable-object-driver.ts";
import type { SqlDriver } from "./sqlite-driver.ts";

/**
 * Keeps an account's object small: its alarm folds old debits and forgets idempotency records. The object is woken at most
 * once a day for it, only while there is something to fold, and no call sets an alarm but the first after a round.
 */
export type Upkeep = {
  /** A debit was made. Resolves when an alarm is set that is early enough; mostly one is, and nothing is returned. */
  note(debit: { now: number; repeatable: boolean }): Promise<void> | undefined;
  /** What the alarm does. It may be run again at any time: the platform repeats one that failed. */
  round(): Promise<void>;
  /** Sets the alarm by what is stored. */
  schedule(): Promise<void>;
};

/** What has become old waits for so long for others, so that a busy account is not woken for each. */
const GATHER_MS = DAY_MS;
/** No alarm is earlier than this, so that a clock that was set back wakes nobody again and again. */
const SOONEST_MS = HOUR_MS;
/** A step is one transaction, and calls go on between two. */
const ROWS_A_STEP = 500;
/** Then a new alarm goes on: 20,000 rows take well under the time of a CPU that an alarm gets. */
const STEPS_A_ROUND = 40;
const BETWEEN_ROUNDS_MS = 1_000;

export function createUpkeep(
  storage: Pick<ObjectStorage, "getAlarm" | "setAlarm">,
  driver: SqlDriver,
  maintain: (order: MaintainOrder) => MaintainOutcome,
  foldAfterDays: number,
): Upkeep {
  const keptMs = foldAfterDays * DAY_MS;
  const oldestDebit = driver.prepare("SELECT at FROM debit ORDER BY account_no, at LIMIT 1");
  const oldestAnswer = driver.prepare("SELECT at FROM idempotency ORDER BY at LIMIT 1");
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

  const notTooSoon = (due: number) => Math.max(due, Date.now() + SOONEST_MS);

  async function schedule(): Promise<void> {
    const [debit, answer] = [oldestDebit.get()?.["at"], oldestAnswer.get()?.["at"]];
    const dues = [];
    if (typeof debit === "number") dues.push(debit + keptMs);
    if (typeof answer === "number") dues.push(answer + IDEMPOTENCY_KEPT_MS);
    if (dues.length > 0) await beforeOrAt(notTooSoon(Math.min(...dues) + GATHER_MS));
  }

  return {
    note({ now, repeatable }) {
      const due = notTooSoon(now + (repeatable ? IDEMPOTENCY_KEPT_MS : keptMs) + GATHER_MS);
      return typeof alarmAt === "number" && alarmAt <= due ? undefined : beforeOrAt(due);
    },
    async round() {
      // It has gone off. Where the round fails the platform repeats it, and the next debit looks whether it does.
      alarmAt = undefined;
      const now = Date.now();
      let after: number | null = null;
      for (let steps = 0; steps < STEPS_A_ROUND; steps += 1) {
        const order = { now, foldBefore: now - keptMs, rowsMax: ROWS_A_STEP, after };
        ({ after } = maintain(order));
        if (after === null) return schedule();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      await set(now + BETWEEN_ROUNDS_MS);
    },
    schedule,
  };
}
