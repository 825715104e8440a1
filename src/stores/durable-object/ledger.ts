import type { CallLedger, CallOperation, Counted } from "#ledger/call-ledger.ts";
import { ledgerOver } from "#ledger/ledger-over.ts";
import type { DebitOrder, DebitOutcome, KeyStatus, KeyStatusOrder, Ledger } from "#ledger/port.ts";
import type { AccountMoves, MoveOperations } from "#ledger/transfer/account-moves.ts";
import { WHOLE_ACCOUNT_TIMEOUT_MS } from "#limits.ts";
import { type BatchItem, type BatchResult, unwrap } from "../sqlite/batch.ts";
import { createKnownRejections } from "./known-rejections.ts";
import { sendToObject } from "./sending.ts";

/** The ledgers of accounts that are Durable Objects, as a Worker uses them. */

/** `isFinal`: the key is not good and can never become good. */
export type CallResult =
  | { value: Counted<DebitOutcome | KeyStatus>; isFinal?: true }
  | Extract<BatchResult, { error: unknown }>;

/** The stub of an account's object (`account-object.ts`). */
export type LedgerStub = {
  perform(name: BatchItem[0], order: unknown): Promise<BatchResult>;
  /**
   * `callsPerSecond`: the rate limit of the account, null for a call that was counted before. `isAgain`: the order may have been
   * carried out before, so no rate limit rejects it.
   */
  call(
    kind: CallOperation,
    order: unknown,
    callsPerSecond: number | null,
    isAgain: boolean,
  ): Promise<CallResult>;
};

/** Returns a stub of the object of an order's account. A stub that failed must not be used again, so each attempt gets a new one. */
export type FindStub = (order: { account?: string }) => LedgerStub;

/** Creates a ledger over the objects of accounts. */
export const ledgerOfObjects = (find: FindStub): Ledger =>
  ledgerOver((name, order) => {
    const perform = (sent: unknown) => () => find(order as { account: string }).perform(name, sent);
    if (name !== "audit") return request(perform(order));
    // An object holds only its account. An audit without `account` also finds rows that belong to no account. It reads all debits.
    return requestLong(perform({ ...(order as object), account: undefined }));
  });

/**
 * Creates a call ledger over objects. An operation is one round trip, unless a call is rejected again (known-rejections.ts). The object
 * sees every other call of its account, so it counts the rate.
 */
export function callLedgerOfObjects(find: FindStub, callsPerSecond: number): CallLedger {
  const rejections = createKnownRejections();

  async function call(
    kind: CallOperation,
    order: DebitOrder | KeyStatusOrder,
    rate: number | null,
  ): Promise<Counted<DebitOutcome | KeyStatus>> {
    const known = rate === null ? null : rejections.find(kind, order);
    if (known !== null) return known;
    let isFinal = false;
    const counted = (await request(async (isAgain) => {
      const result = await find(order).call(kind, order, rate, isAgain);
      isFinal = "isFinal" in result;
      return result;
    })) as Counted<DebitOutcome | KeyStatus>;
    rejections.learn(kind, order, counted, isFinal);
    return counted;
  }

  return {
    isRemote: true,
    isOverRate: () => false,
    debit: async (order, isCounted) =>
      (await call("debit", order, isCounted ? null : callsPerSecond)) as Counted<DebitOutcome>,
    keyStatus: async (order) =>
      (await call("keyStatus", order, callsPerSecond)) as Counted<KeyStatus>,
  };
}

/** The stub of an object that can be exported and imported. */
export type MovingStub = {
  [Name in keyof MoveOperations]: (order: MoveOperations[Name][0]) => Promise<BatchResult>;
};

/** Creates the export and import of accounts over their objects. */
export function movesOfObjects(find: (order: { account: string }) => MovingStub): AccountMoves {
  type Outcome<Name extends keyof MoveOperations> = Promise<MoveOperations[Name][1]>;
  return {
    openSnapshot: async () => ({ snapshot: null }),
    exportRecords: (order) =>
      requestLong(() => find(order).exportRecords(order)) as Outcome<"exportRecords">,
    beginImport: (order) =>
      requestLong(() => find(order).beginImport(order)) as Outcome<"beginImport">,
    importRecords: (order) =>
      requestLong(() => find(order).importRecords(order)) as Outcome<"importRecords">,
    finishImport: (order) =>
      requestLong(() => find(order).finishImport(order)) as Outcome<"finishImport">,
  };
}

/** Sends an order to an object and returns the value of its result. */
const request = (send: (isAgain: boolean) => Promise<BatchResult>): Promise<unknown> =>
  sendToObject(async (isAgain) => unwrap(await send(isAgain)), LEDGER);

/** Does the same for operations on a whole account, which may take longer because no call waits for them. */
const requestLong = (send: () => Promise<BatchResult>): Promise<unknown> =>
  sendToObject(async () => unwrap(await send()), {
    ...LEDGER,
    timeoutMs: WHOLE_ACCOUNT_TIMEOUT_MS,
  });

/** Every order of a ledger identifies itself, so it may be repeated. */
const LEDGER = { target: "The account's ledger", isRepeatable: true };
