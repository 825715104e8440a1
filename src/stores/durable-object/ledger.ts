import type { CallLedger, Counted } from "#ledger/call-ledger.ts";
import { ledgerOver } from "#ledger/ledger-over.ts";
import type { DebitOutcome, KeyStatus, Ledger, LedgerOperation } from "#ledger/port.ts";
import { WHOLE_ACCOUNT_TIMEOUT_MS } from "#limits.ts";
import { type BatchItem, type BatchResult, unwrap } from "../sqlite/batch.ts";
import type { CallResult } from "./account-object.ts";
import { sendToObject } from "./sending.ts";

/** What is asked about a call. */
export type CallQuestion = "debit" | "keyStatus";

/** An object that holds a ledger, as a Worker reaches it. */
export type LedgerStub = {
  perform(name: BatchItem[0], order: unknown): Promise<BatchResult>;
  /** `isAgain`: the order may have been carried out before, so it is not refused for the rate. */
  call(
    kind: CallQuestion,
    order: unknown,
    callsPerSecond: number,
    isAgain: boolean,
  ): Promise<CallResult>;
};

/** The object of an order's account. A stub that has failed is not used again, so each try asks for a fresh one. */
export type FindStub = (order: { account?: string }) => LedgerStub;

/** The ledger's port over objects. */
export const ledgerOfObjects = (find: FindStub): Ledger =>
  ledgerOver((name, order) => {
    // All that an object holds is of its account, and an audit looks for rows that belong to none as well.
    const asked = name === "audit" ? { ...(order as object), account: undefined } : order;
    const send = () => find(order as { account: string }).perform(name, asked);
    return READS_ALL.has(name) ? askForAll(send) : ask(send);
  });

/** These go through all the debits that are kept. */
const READS_ALL: ReadonlySet<LedgerOperation> = new Set(["audit", "usage"]);

/** What is asked about calls, one round trip each. The object sees every call of its account, so it counts the rate. */
export function callLedgerOfObjects(find: FindStub, callsPerSecond: number): CallLedger {
  const call = (kind: CallQuestion, order: { account: string }, rate = callsPerSecond) =>
    ask((isAgain) => find(order).call(kind, order, rate, isAgain));
  return {
    isRemote: true,
    isOverRate: () => false,
    debit: async (order, isCounted) =>
      (await call("debit", order, isCounted ? UNCOUNTED : undefined)) as Counted<DebitOutcome>,
    keyStatus: async (order) => (await call("keyStatus", order)) as Counted<KeyStatus>,
  };
}

/** No limit, and no other bucket is touched. */
const UNCOUNTED = 0;

/** The value of an object's answer. Every order of a ledger names itself. */
export const ask = (send: (isAgain: boolean) => Promise<BatchResult>): Promise<unknown> =>
  sendToObject(async (isAgain) => unwrap(await send(isAgain)), LEDGER);

/** The same for what takes its time: nobody's call waits for it. */
export const askForAll = (send: () => Promise<BatchResult>): Promise<unknown> =>
  sendToObject(async () => unwrap(await send()), {
    ...LEDGER,
    timeoutMs: WHOLE_ACCOUNT_TIMEOUT_MS,
  });

const LEDGER = { whom: "The account's ledger", isRepeatable: true };
