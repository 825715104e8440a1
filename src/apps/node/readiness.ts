import { probeReadiness, type Readiness } from "#api/readiness.ts";
import type { Ledger } from "#ledger/port.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import { explainLedgerFault, isOfOneOrder } from "./ledger-faults.ts";

/**
 * Whether calls on this node would succeed now. In this order:
 *
 * 1. A lasting fault that stops calls makes the node unready.
 * 2. The debits of the last two seconds: the node is unready if at least half of them met a fault. It is ready again when one has
 *    succeeded since and none failed for a second. So a fault that lets some debits pass does not make the response alternate.
 * 3. If there were none, or too few to tell, the ledger is probed, which does what a debit does.
 */
export type DebitRecord = {
  /** The ledger, whose debits are recorded. */
  ledger: Ledger;
  /** `ready`: they succeed. Null: they do not tell. */
  verdict(): "ready" | { fault: unknown } | null;
};

/** This second and the one before: after thousands of successes, a full disk must not take long to outweigh them. */
const WINDOW_S = 2;
/** A success that is older does not tell, because those that have begun since may be waiting for a database that does not respond. */
const SUCCESS_COUNTS_MS = 2_000;
/** After a fault, the next second decides. */
const FAULT_COUNTS_MS = 1_000;

export function recordDebits(ledger: Ledger, elapsed: () => number): DebitRecord {
  const seconds = Array.from({ length: WINDOW_S }, () => ({ second: -1, good: 0, bad: 0 }));
  let goodAt = Number.NEGATIVE_INFINITY;
  let badAt = Number.NEGATIVE_INFINITY;
  let isLastGood = true;
  let fault: unknown = null;

  function current() {
    const second = Math.floor(elapsed() / 1_000);
    const slot = seconds[second % WINDOW_S] as (typeof seconds)[number];
    if (slot.second !== second) Object.assign(slot, { second, good: 0, bad: 0 });
    return slot;
  }

  function succeeded(): void {
    goodAt = elapsed();
    isLastGood = true;
    current().good += 1;
  }

  function failed(error: unknown): void {
    if (isOfOneOrder(error)) return;
    badAt = elapsed();
    isLastGood = false;
    fault = error;
    current().bad += 1;
  }

  return {
    ledger: {
      ...ledger,
      debit(order) {
        const made = ledger.debit(order);
        made.then(succeeded, failed);
        return made;
      },
    },
    verdict() {
      const since = Math.floor(elapsed() / 1_000) - WINDOW_S;
      let [good, bad] = [0, 0];
      for (const slot of seconds) {
        if (slot.second <= since) continue;
        good += slot.good;
        bad += slot.bad;
      }
      const isFailing = bad > 0 && bad >= good;
      if (isFailing && elapsed() - badAt < FAULT_COUNTS_MS) return { fault };
      return elapsed() - goodAt < SUCCESS_COUNTS_MS && (!isFailing || isLastGood) ? "ready" : null;
    },
  };
}

type Parts = {
  debits: DebitRecord;
  faults: Pick<LastingFaults, "current">;
  now(): number;
  elapsed(): number;
};

export function createNodeReadiness({ debits, faults, ...clocks }: Parts): Readiness {
  const probe = probeReadiness({ ...clocks, ledger: debits.ledger }, explainLedgerFault);
  return async () => {
    for (const { message, stopsCalls } of faults.current().values())
      if (stopsCalls) return { message };
    const verdict = debits.verdict();
    if (verdict === "ready") return null;
    if (verdict === null) return probe();
    return { message: explainLedgerFault(verdict.fault), cause: verdict.fault };
  };
}
