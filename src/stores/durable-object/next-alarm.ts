import { doubling } from "#jobs/back-off.ts";
import { HOUR_MS } from "#limits.ts";
import type { ObjectStorage } from "./driver.ts";

/**
 * What an alarm does when its round fails. The platform repeats an alarm that failed for about two minutes and then drops it for good:
 * an account without calls would never be woken again. So a failure is caught, and sets an alarm of its own.
 */
const AGAIN_AFTER_MS = 60_000;
const AGAIN_AFTER_MAX_MS = HOUR_MS;
/** The storage may fail for a moment. */
const SET_TRIES = 4;
const SET_AGAIN_MS = 1_000;

/** A part of an alarm's round that depends on no other part. */
export type Chore = {
  /** Returns when the next round is due; null if there is nothing to do. */
  dueAt(now: number): number | null;
  /** Does what is due. What cannot be done stays, and is due again. */
  round(now: number): Promise<void>;
};

/** `failures`: how often the round has failed in succession, at least once. */
export const alarmAgainAt = (failures: number): number =>
  Date.now() + doubling(failures, AGAIN_AFTER_MS, AGAIN_AFTER_MAX_MS);

export const logRoundFailure = (cause: unknown): void =>
  console.error(JSON.stringify({ message: FAILED, cause: String(cause) }));
const FAILED = "The alarm of an object failed; trying again";

/** Sets an alarm, if need be repeatedly. Where none can be set, it rejects: then the platform's own repetition is all that is left. */
export async function setAlarmSurely(
  storage: Pick<ObjectStorage, "setAlarm">,
  at: number,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await storage.setAlarm(at);
    } catch (cause) {
      if (tries === SET_TRIES) throw cause;
      await new Promise((resolve) => setTimeout(resolve, SET_AGAIN_MS));
    }
  }
}
