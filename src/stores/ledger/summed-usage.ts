import { type Ledger, UsageNotSummed } from "#ledger/port.ts";
import { SUM_STEP_DEBITS_MAX } from "#limits.ts";

/** Nobody waits longer for sums. What was summed until then is kept, so a later attempt has less to do. */
const SUM_FOR_MS = 2_000;

type Options = {
  /** After this time, `usage` rejects with `UsageNotSummed`. */
  forMs?: number;
  /** Whether several readers of an account share the steps. False where a request may not wait for another one's promise. */
  isShared?: boolean;
};

/**
 * Wraps a ledger so that reading the usage of an account, or its balance in the past, first sums its debits, if too many are not summed. It sums in steps, and
 * other work of the process runs between them.
 */
export function withSummedUsage(
  ledger: Ledger,
  { forMs = SUM_FOR_MS, isShared = true }: Options = {},
): Ledger {
  /** By account. */
  const underWay = new Map<string, Promise<void>>();

  async function sumSteps(account: string): Promise<void> {
    const deadline = performance.now() + forMs;
    for (;;) {
      const started = performance.now();
      const { more } = await ledger.sumUsage({ account, max: SUM_STEP_DEBITS_MAX });
      const now = performance.now();
      if (!more || now >= deadline) return;
      // As long as the step took, so that a request of many queries does not wait for a step before each.
      await pause(now - started);
    }
  }

  function sum(account: string): Promise<void> {
    if (!isShared) return sumSteps(account);
    const steps =
      underWay.get(account) ?? sumSteps(account).finally(() => underWay.delete(account));
    underWay.set(account, steps);
    return steps;
  }

  return {
    ...ledger,
    async usage(order) {
      // Between the pages of a long list too, because a synchronous database blocks its thread for each.
      if (order.after != null) await pause(0);
      const rows = await ledger.usage(order).catch((error) => {
        if (!(error instanceof UsageNotSummed)) throw error;
        if (order.isQuick !== true) return null;
        // So that a later attempt succeeds. The fault of a step concerns nobody who waits.
        if (isShared) sum(order.account).catch(() => {});
        throw error;
      });
      if (rows !== null) return rows;
      await sum(order.account);
      return ledger.usage(order);
    },
    async entryBalances(order) {
      const balances = await ledger.entryBalances(order).catch((error) => {
        if (!(error instanceof UsageNotSummed)) throw error;
        return null;
      });
      if (balances !== null) return balances;
      await sum(order.account);
      return ledger.entryBalances(order);
    },
  };
}

/** Lets other work of this thread run. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
