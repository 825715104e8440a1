import type { Counted, FarLedger } from "#credits/far-ledger.ts";
import {
  type DebitOutcome,
  type Ledger,
  ledgerOver,
  NotCarriedOut,
  type Standing,
} from "#credits/ledger.ts";
import type { CallResult } from "./durable-object.ts";
import { type BatchItem, type BatchResult, unwrap } from "./sqlite-batch.ts";

/** An object that holds a ledger, as a Worker reaches it. */
export type LedgerStub = {
  perform(name: BatchItem[0], order: unknown): Promise<BatchResult>;
  call(kind: keyof FarLedger, order: unknown, callsPerSecond: number): Promise<CallResult>;
};

/** The object of an order's account. A stub that has failed is not used again, so each try asks for a fresh one. */
export type FindStub = (order: { account?: string }) => LedgerStub;

/** The ledger's port over objects. */
export const ledgerOfObjects = (find: FindStub): Ledger =>
  ledgerOver(async (name, order) =>
    unwrap(await ask(() => find(order as { account: string }).perform(name, order))),
  );

/** What the corridor asks about a call: one journey each. */
export function farLedgerOfObjects(find: FindStub, callsPerSecond: number): FarLedger {
  const call = async (kind: keyof FarLedger, order: { account: string }) =>
    unwrap(await ask(() => find(order).call(kind, order, callsPerSecond)));
  return {
    debit: async (order) => (await call("debit", order)) as Counted<DebitOutcome>,
    standing: async (order) => (await call("standing", order)) as Counted<Standing>,
  };
}

const TRIES = 3;

/**
 * An order names itself, so it may be sent again where its answer was lost (the object moved, or was started anew). An
 * object that is overloaded has not taken it, and asking again would only add to its load.
 */
async function ask<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const fault = error as { overloaded?: boolean; message?: string };
      if (fault.overloaded === true) throw new NotCarriedOut("The account's ledger is overloaded");
      if (tries >= TRIES) throw error;
    }
  }
}
