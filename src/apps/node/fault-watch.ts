import { AsyncLocalStorage } from "node:async_hooks";
import { OutcomeUnknown } from "#ledger/port.ts";

/**
 * Tells faults of a database to whoever began what they happened in, though something between them kept them to itself:
 * better-auth answers some with "you are signed out", or with a sign-out that was none.
 */
export function createFaultWatch() {
  const watched = new AsyncLocalStorage<{ fault: Error | null }>();
  return {
    note(fault: Error): void {
      const seen = watched.getStore();
      // What may have been done says more than what was not.
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
