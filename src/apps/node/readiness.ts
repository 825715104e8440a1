import { probeReadiness } from "#api/readiness.ts";
import type { Readiness } from "#calls/app-context.ts";
import type { RecentDebits } from "#ledger/call-ledger.ts";
import type { Ledger } from "#ledger/port.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import { explainLedgerFault } from "./ledger-faults.ts";

type Parts = {
  ledger: Pick<Ledger, "probe">;
  debits: Pick<RecentDebits, "verdict">;
  faults: Pick<LastingFaults, "current">;
  now(): number;
  elapsed(): number;
};

/**
 * Whether calls on this node would succeed now. In this order:
 *
 * 1. A lasting fault that stops calls makes the node unready.
 * 2. The debits of the last two seconds (`ledger/call-ledger.ts`).
 * 3. If there were none, or too few to tell, the ledger is probed, which does what a debit does.
 */
export function createNodeReadiness({ ledger, debits, faults, ...clocks }: Parts): Readiness {
  const probe = probeReadiness({ ...clocks, ledger }, explainLedgerFault);
  return async () => {
    for (const { message, stopsCalls } of faults.current().values())
      if (stopsCalls) return { message };
    const verdict = debits.verdict();
    if (verdict === "ready") return null;
    if (verdict === null) return probe();
    return { message: explainLedgerFault(verdict.fault), cause: verdict.fault };
  };
}

/** The lasting faults in spite of which calls succeed. */
export const readinessWarnings = (faults: Pick<LastingFaults, "current">): string[] =>
  [...faults.current().values()]
    .filter(({ stopsCalls }) => !stopsCalls)
    .map(({ message }) => message);
