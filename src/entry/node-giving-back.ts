import type { AppContext } from "#http/app-context.ts";
import { giveBackKept } from "#ledger/kept-reversals.ts";
import type { Ledger } from "#ledger/port.ts";
import type { KeptFiles } from "./node-kept-reversals.ts";

/** The first round, and the next one where a full one went well. */
const SOON_MS = 50;
const BETWEEN_ROUNDS_MS = 60_000;

/** Gives back what earlier stops left, until nothing of it waits. */
export function startGivingBack(
  kept: Pick<KeptFiles, "takeDue" | "done" | "count">,
  ledger: Pick<Ledger, "reverse">,
  complain: AppContext["logError"],
): { stop(): void } {
  let timer: NodeJS.Timeout;
  let isStopped = false;

  async function round(): Promise<void> {
    let isGoingWell = false;
    try {
      const { settled, left } = await giveBackKept(kept, ledger, Date.now(), complain);
      isGoingWell = settled > 0 && left === 0;
    } catch (cause) {
      complain("Calls that an earlier stop kept could not be given back yet", { cause });
    }
    schedule(isGoingWell ? SOON_MS : BETWEEN_ROUNDS_MS);
  }

  function schedule(ms: number): void {
    if (isStopped || kept.count() === 0) return;
    timer = setTimeout(() => void round(), ms).unref();
  }

  schedule(SOON_MS);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
