import type { AppContext } from "#calls/app-context.ts";
import type { Ledger } from "#ledger/port.ts";
import { DAY_MS, EXPIRED_HOLDS_A_STEP, ROLL_UP_AFTER_DAYS } from "#limits.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import { startRounds } from "./rounds.ts";

/**
 * Does what is due in the ledger as time passes, in steps between which calls run: rolls up old calls, deletes old idempotency records, and
 * writes the events of grants that expire.
 */
const ROWS_A_STEP = 500;
/** If more work waits, steps grow while they stay fast, because calls of the affected accounts wait during a step. */
const ROWS_A_STEP_MAX = 8_000;
const QUICK_STEP_MS = 25;
const BETWEEN_STEPS_MS = 50;
/** Owners are notified days before credits expire, so minutes do not matter. */
const BETWEEN_ROUNDS_MS = 10 * 60_000;

export function startUpkeep(
  ledger: Ledger,
  faults: Pick<LastingFaults, "set" | "clear">,
  logError: AppContext["logError"],
): { stop(): void } {
  let after: number | null = null;
  let rowsMax = ROWS_A_STEP;

  function reportClock(aheadMs: number | undefined): void {
    if (aheadMs === undefined) faults.clear("clock");
    else faults.set("clock", { message: clocksApart(aheadMs), stopsCalls: false });
  }

  return startRounds(BETWEEN_STEPS_MS, async () => {
    const now = Date.now();
    const started = performance.now();
    const isFirst = after === null;
    try {
      const rollUpBefore = now - ROLL_UP_AFTER_DAYS * DAY_MS;
      const outcome = await ledger.maintain({ now, rollUpBefore, rowsMax, after });
      after = outcome.after;
      if (isFirst) reportClock(outcome.clockAheadMs);
      rowsMax = after === null ? ROWS_A_STEP : nextRows(rowsMax, performance.now() - started);
    } catch (cause) {
      after = null;
      rowsMax = ROWS_A_STEP;
      logError("Ledger maintenance failed; retrying later", { cause });
    }
    return after === null ? BETWEEN_ROUNDS_MS : BETWEEN_STEPS_MS;
  });
}

/** A hold ends after two leases, which are longer. */
const BETWEEN_HOLDS_MS = 5_000;

/** Ends the holds of calls whose node is silent. Each node does so, and one at a time. `onExpired`: how many have ended. */
export const startHoldExpiry = (
  ledger: Pick<Ledger, "expireHolds">,
  onExpired: (count: number) => void,
  logError: AppContext["logError"],
): { stop(): void } =>
  startRounds(BETWEEN_STEPS_MS, async () => {
    try {
      const order = { now: Date.now(), max: EXPIRED_HOLDS_A_STEP };
      const { ended, isMore } = await ledger.expireHolds(order);
      onExpired(ended);
      if (isMore) return BETWEEN_STEPS_MS;
    } catch (cause) {
      logError("Ending the holds of silent nodes failed; retrying later", { cause });
    }
    return BETWEEN_HOLDS_MS;
  });

function nextRows(rows: number, tookMs: number): number {
  if (tookMs < QUICK_STEP_MS) return Math.min(ROWS_A_STEP_MAX, rows * 2);
  return tookMs > 2 * QUICK_STEP_MS ? Math.max(ROWS_A_STEP, Math.floor(rows / 2)) : rows;
}

const clocksApart = (aheadMs: number) =>
  `This machine's clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? "ahead of" : "behind"} the ` +
  "database's. Synchronize both with NTP: grants expire by the clock of the node that takes the call.";
