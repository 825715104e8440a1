import { AsyncLocalStorage } from "node:async_hooks";
import { OutcomeUnknown } from "#ledger/port.ts";

/**
 * Reports database errors to the request that caused them even if a library in between swallows them: better-auth turns
 * some into "you are signed out", or claims a sign-out that did not happen.
 */
export function createFaultWatch() {
  const watched = new AsyncLocalStorage<{ fault: Error | null }>();
  return {
    record(fault: Error): void {
      const seen = watched.getStore();
      // An unknown outcome matters more than an operation that was not carried out.
      if (seen !== undefined && !(seen.fault instanceof OutcomeUnknown)) seen.fault = fault;
    },
    async rethrowDatabaseErrors<Result>(act: () => Promise<Result>): Promise<Result> {
      const seen = { fault: null as Error | null };
      const result = await watched.run(seen, act);
      if (seen.fault !== null) throw seen.fault;
      return result;
    },
  };
}
