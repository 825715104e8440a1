import type { Ledger } from "#credits/ledger.ts";
import type { House } from "#http/house.ts";
import { DAY_MS } from "#limits.ts";

/** Keeps the ledger small: folds old calls and forgets old idempotency records, in steps between which calls go on. */
const ROWS_A_STEP = 500;
const BETWEEN_STEPS_MS = 50;
const BETWEEN_ROUNDS_MS = 10 * 60_000;

export function startUpkeep(
  ledger: Ledger,
  foldAfterDays: number,
  complain: House["complain"],
): { stop(): void } {
  let timer: NodeJS.Timeout;
  let isStopped = false;

  async function step(after: number | null): Promise<void> {
    const now = Date.now();
    let next: number | null = null;
    try {
      const foldBefore = now - foldAfterDays * DAY_MS;
      ({ after: next } = await ledger.maintain({ now, foldBefore, rowsMax: ROWS_A_STEP, after }));
    } catch (cause) {
      complain("Upkeep of the ledger failed; it is tried again later", { cause });
    }
    schedule(next === null ? BETWEEN_ROUNDS_MS : BETWEEN_STEPS_MS, next);
  }

  function schedule(ms: number, after: number | null): void {
    if (isStopped) return;
    timer = setTimeout(() => void step(after), ms).unref();
  }

  schedule(BETWEEN_STEPS_MS, null);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
