import type { ReverseAll } from "#jobs/reverse-calls.ts";
import type {
  CallLedger,
  CallOperation,
  CallOperations,
  CallOrder,
  CallOutcome,
  Counted,
} from "#ledger/call-ledger.ts";
import { type Ledger, NotCarriedOut } from "#ledger/port.ts";
import { WHOLE_ACCOUNT_TIMEOUT_MS } from "#limits.ts";
import {
  type BatchItem,
  type BatchResult,
  ledgerOver,
  outcomeOf,
  unwrap,
} from "../ledger/store-ledger.ts";
import { createKnownRejections } from "./known-rejections.ts";
import { type BatchStub, type LedgerStub, OtherRelease, requireKnownOutcome } from "./rpc.ts";
import { sendToObject } from "./sending.ts";

/** The ledgers of accounts that are Durable Objects, as a Worker uses them. */

/** Returns a stub of the object of an order's account. A stub that failed must not be used again, so each attempt gets a new one. */
export type FindStub = (order: { account?: string }) => LedgerStub;

/** Creates a ledger over the objects of accounts. `timeoutMs`: see sending.ts. */
export const ledgerOfObjects = (find: FindStub, timeoutMs?: number): Ledger =>
  ledgerOver((name, order) => {
    const perform = (sent: unknown) => () => find(order as { account: string }).perform(name, sent);
    if (name !== "audit") return request(perform(order), timeoutMs);
    // An object holds only its account. An audit without `account` also finds rows that belong to no account. It reads all debits.
    return requestLong(perform({ ...(order as object), account: undefined }));
  });

/**
 * Creates a call ledger over objects. An operation is one round trip, unless a call is rejected again (known-rejections.ts). The object
 * sees every other call of its account, so it counts the rate.
 *
 * `onOtherRelease`: called if a call fails because this Worker and the object are of releases that do not fit.
 */
export function callLedgerOfObjects(
  find: FindStub,
  callsPerSecond: number,
  onOtherRelease: (fault: OtherRelease) => void = () => {},
): CallLedger {
  const rejections = createKnownRejections();

  async function send(
    kind: CallOperation,
    order: CallOrder,
    rate: number | null,
  ): Promise<Counted<CallOutcome>> {
    const known = rate === null ? null : rejections.find(kind, order);
    if (known !== null) return known;
    return sendToObject(async (isAgain) => {
      const result = await find(order).call(kind, order, rate, isAgain);
      const counted = unwrap(result) as Counted<CallOutcome>;
      requireKnownOutcome(kind, counted);
      rejections.learn(kind, order, counted, "isFinal" in result);
      return counted;
    }, LEDGER);
  }

  const call = <Name extends CallOperation>(
    kind: Name,
    order: CallOperations[Name][0],
    isCounted: boolean,
  ) =>
    send(kind, order, isCounted ? null : callsPerSecond).catch((error) => {
      if (error instanceof OtherRelease) onOtherRelease(error);
      throw error;
    }) as Promise<Counted<CallOperations[Name][1]>>;
  const { settle, release, renew } = ledgerOfObjects(find);
  return {
    isRemote: true,
    settle: (order) => untilTaken(() => settle(order)),
    release: (order) => untilTaken(() => release(order)),
    renew,
    isOverRate: () => false,
    hold: (order, isCounted) => call("hold", order, isCounted),
    debit: (order, isCounted) => call("debit", order, isCounted),
    keyStatus: (order) => call("keyStatus", order, false),
  };
}

/** Half of the time that the platform allows for work after a response. */
const ENDING_FOR_MS = 15_000;
const ENDING_AGAIN_MS = 1_000;

/** Sends what ends a held call. Its work is done, and an account that is being exported takes nothing for some seconds (writes.ts). */
async function untilTaken<Outcome>(send: () => Promise<Outcome>): Promise<Outcome> {
  const until = Date.now() + ENDING_FOR_MS;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof NotCarriedOut) || Date.now() >= until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, ENDING_AGAIN_MS));
  }
}

/** Creates reversals over objects: those of an account are one round trip and one transaction. */
export function reversalsOfObjects(find: (order: { account: string }) => BatchStub): ReverseAll {
  return async (account, orders) => {
    const items = orders.map((order): BatchItem => ["reverse", order]);
    const results = await sendToObject(() => find({ account }).performAll(items), LEDGER);
    return results.map((result) => outcomeOf(result) as Error | { reversed: boolean });
  };
}

/** Sends an order to an object and returns the value of its result. */
const request = (send: () => Promise<BatchResult>, timeoutMs?: number): Promise<unknown> =>
  sendToObject(async () => unwrap(await send()), {
    ...LEDGER,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });

/** Does the same for operations on a whole account, which may take longer because no call waits for them. */
export const requestLong = (send: () => Promise<BatchResult>): Promise<unknown> =>
  request(send, WHOLE_ACCOUNT_TIMEOUT_MS);

/** Every order of a ledger identifies itself, so it may be repeated. */
const LEDGER = { target: "The account's ledger", isRepeatable: true };
