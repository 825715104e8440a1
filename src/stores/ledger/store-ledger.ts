import {
  type Ledger,
  type LedgerOperation,
  NotCarriedOut,
  OrderRejected,
  OutcomeUnknown,
  UsageNotSummed,
} from "#ledger/port.ts";
import { SUM_STEP_DEBITS, SUM_STEP_DEBITS_MAX } from "#limits.ts";

const READ_NAMES = [
  ...(["findAccount", "listKeys", "credits", "findCall", "usage", "entries", "audit"] as const),
] satisfies LedgerOperation[];

const NAMES = [
  ...READ_NAMES,
  ...(["openAccount", "changeAccount", "createKey", "changeKey", "rotateKey"] as const),
  ...(["revokeKey", "keyStatus", "grant", "clawback", "debit", "reverse"] as const),
  ...(["hold", "settle", "release", "renew", "expireHolds", "maintain", "probe"] as const),
] satisfies LedgerOperation[];

type Operation = (order: unknown) => Promise<never>;

/** Creates a ledger that submits every operation through one function: to a thread, a transaction or another process. */
export function ledgerOver(
  submit: (name: LedgerOperation, order: unknown) => Promise<unknown>,
): Ledger {
  const operations = NAMES.map((name) => [name, (order: unknown) => submit(name, order)]);
  return Object.fromEntries(operations) as Record<(typeof NAMES)[number], Operation>;
}

/** Whether the text, which may come from a newer release, names an operation. */
export const isLedgerOperation = (name: string): name is LedgerOperation =>
  (NAMES as readonly string[]).includes(name);

/** The operations that only read. */
export type ReadName = (typeof READ_NAMES)[number];

export const isReadName = (name: string): name is ReadName =>
  (READ_NAMES as readonly string[]).includes(name);

/** A reader waits for sums no longer than this. What was summed until then is kept, so a later attempt has less to do. */
const SUM_FOR_MS = 2_000;

/**
 * What a store does besides the ledger's operations: sums the account's oldest debits that are not summed yet, so that `usage` need
 * not read them: `max` debits in one transaction, SUM_STEP_DEBITS by default and at most SUM_STEP_DEBITS_MAX. Fewer are left for later.
 * `more`: there were enough, so there may be more.
 */
export type SumUsage = (order: SumOrder) => Promise<{ more: boolean }>;
/** An operation of the ledger, or this one. */
export type StoreOperation = LedgerOperation | "sumUsage";
export type SumOrder = { account: string; max?: number };

/** One order as it is sent to a thread or an object: plain JSON data. */
export type BatchItem = [name: StoreOperation, order: unknown];
export type BatchResult = { value: unknown } | { error: BatchError };
/** `errcode`: SQLite's extended result code, if the error has one. */
export type BatchError = { kind: ErrorKind; message: string; errcode?: number };
type ErrorKind = "rejected" | "not_summed" | "not_carried_out" | "unknown";

/** Returns the value of a result that came from a thread or an object, or its error. */
export function outcomeOf(result: BatchResult): unknown {
  if ("value" in result) return result.value;
  const { kind, message, errcode } = result.error;
  if (kind === "rejected") return new OrderRejected(message);
  if (kind === "not_summed") return new UsageNotSummed(message);
  const error =
    kind === "not_carried_out" ? new NotCarriedOut(message) : new OutcomeUnknown(message);
  return errcode === undefined ? error : Object.assign(error, { errcode });
}

/** Returns the value of a result that came from a thread or an object, or throws its error. */
export function unwrap(result: BatchResult): unknown {
  const outcome = outcomeOf(result);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** After this number of debits of an account, a step of sums finds enough. */
export const UNSUMMED_FROM = 2 * SUM_STEP_DEBITS;

/**
 * Wraps a ledger so that reading the usage of an account, or its balance in the past, first sums its debits, if too many are not summed.
 * It sums in steps, and other work of the process runs between them. After `forMs`, reading rejects with `UsageNotSummed`.
 */
export function withSummedUsage(
  ledger: Ledger,
  sumUsage: SumUsage,
  forMs: number = SUM_FOR_MS,
): Ledger {
  /** By account. */
  const underWay = new Map<string, Promise<void>>();

  async function sumSteps(account: string): Promise<void> {
    const deadline = performance.now() + forMs;
    for (;;) {
      const started = performance.now();
      const { more } = await sumUsage({ account, max: SUM_STEP_DEBITS_MAX });
      const now = performance.now();
      if (!more || now >= deadline) return;
      // As long as the step took, so that a request of many queries does not wait for a step before each.
      await pause(now - started);
    }
  }

  function sum(account: string): Promise<void> {
    const steps =
      underWay.get(account) ?? sumSteps(account).finally(() => underWay.delete(account));
    underWay.set(account, steps);
    return steps;
  }

  async function readSummed<Outcome>(account: string, read: () => Promise<Outcome>) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UsageNotSummed)) throw error;
    }
    await sum(account);
    return read();
  }

  return {
    ...ledger,
    async usage(order) {
      // Between the pages of a long list too, because a synchronous database blocks its thread for each.
      if (order.after != null) await pause(0);
      if (order.isQuick !== true) return readSummed(order.account, () => ledger.usage(order));
      return ledger.usage(order).catch((error) => {
        // So that a later attempt succeeds. No reader waits for this step, so none gets its error.
        if (error instanceof UsageNotSummed) sum(order.account).catch(() => {});
        throw error;
      });
    },
    entries: (order) => readSummed(order.account, () => ledger.entries(order)),
  };
}

/** For readers who wait as long as there is something to sum. */
export const patientReads = (ledger: Ledger): Ledger => ({
  ...ledger,
  usage: (order) => untilSummed(() => ledger.usage(order)),
  entries: (order) => untilSummed(() => ledger.entries(order)),
});

async function untilSummed<Outcome>(read: () => Promise<Outcome>): Promise<Outcome> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UsageNotSummed)) throw error;
    }
  }
}

/** Lets other work of this thread run. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
