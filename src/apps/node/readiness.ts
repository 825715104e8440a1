import { probeReadiness, type Readiness } from "#api/health.ts";
import type { Ledger } from "#ledger/port.ts";
import type { LastingFaults } from "./lasting-faults.ts";

type Parts = {
  ledger: Ledger;
  faults: Pick<LastingFaults, "current">;
  now(): number;
  elapsed(): number;
};

/** Whether calls on this node would succeed now: unless a lasting fault stops them, the ledger is asked. */
export function createNodeReadiness({ faults, ...parts }: Parts): Readiness {
  const probe = probeReadiness(parts);
  return async () => {
    for (const { message, stopsCalls } of faults.current().values())
      if (stopsCalls) return { message };
    return probe();
  };
}
