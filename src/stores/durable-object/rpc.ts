import type { CallOperation, CallOperations, CallOutcome, Counted } from "#ledger/call-ledger.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import type { MoveOperations } from "#ledger/transfer/account-moves.ts";
import {
  type BatchItem,
  type BatchResult,
  isLedgerOperation,
  type StoreOperation,
} from "../ledger/store-ledger.ts";

/**
 * The messages between a Worker and the object of an account.
 *
 * A Worker and an object may be of different releases: after a deployment or a rollback, the platform keeps the old code in an
 * active object for minutes (developers.cloudflare.com/durable-objects/deployments/durable-objects-code-updates), and the two Workers are
 * deployed one after the other. These rules keep every release compatible with the one before and the one after it:
 *
 * 1. Methods, operations, kinds of calls, fields and outcomes keep their names and meanings, and none is removed.
 * 2. What is unknown is not carried out. An object rejects an operation or a kind of call that it does not know, a Worker an outcome
 *    that it does not know, and a method that the object lacks fails alike: nothing was changed, and no reversal is queued.
 * 3. A new field of an order is optional. An object ignores a field that it does not know; without the field, the order means what it
 *    meant in the release before. If ignoring a field could be wrong, it belongs to a new operation, which an older object rejects.
 * 4. A new field of an outcome is optional. A Worker ignores a field that it does not know.
 * 5. A debit that was made says `debited`, whatever else is added. An object sends a new outcome only to an order that asks for it, by a
 *    field or an operation of the same release.
 * 6. A call uses only methods and kinds that the release before has. Whatever else is new (a page, a job) may fail until the objects
 *    run the new code.
 *
 * `test/apps/edge/releases.test.ts` runs releases against each other.
 */
export type LedgerStub = {
  perform(name: StoreOperation, order: unknown): Promise<BatchResult>;
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

/** The stub of an object that performs many operations of its account in one transaction, each as if it were alone. */
export type BatchStub = {
  /** Has a result for each item, in the same order. Rejects more than `ITEMS_MAX` items. */
  performAll(items: readonly BatchItem[]): Promise<BatchResult[]>;
};

/** The number of operations that an object performs in one transaction. Calls of the account wait for it. */
export const ITEMS_MAX = 1_000;

/** `isFinal`: the key is not good and can never become good. */
export type CallResult =
  | { value: Counted<CallOutcome>; isFinal?: true }
  | Extract<BatchResult, { error: unknown }>;

/** The stub of an object that can be exported and imported. */
export type MovingStub = {
  move(name: keyof MoveOperations, order: unknown): Promise<BatchResult>;
};

const OF_KEYS = {
  invalid_key: true,
  key_expired: true,
  account_suspended: true,
  key_not_allowed: true,
  rate_limited: true,
} as const;
const OF_PAYMENTS = {
  ...OF_KEYS,
  idempotency_key_reused: true,
  key_budget_exhausted: true,
  insufficient_credits: true,
} as const;
/** Records and not lists, so that the compiler reports an outcome that is missing here. */
const OUTCOMES: {
  [Name in CallOperation]: Record<CountedOutcome<CallOperations[Name][1]>, true>;
} = {
  debit: { ...OF_PAYMENTS, debited: true, replayed: true },
  hold: {
    ...{ ...OF_PAYMENTS, held: true, kept: true, in_progress: true },
    ...{ outcome_unknown: true, too_much_kept: true },
  },
  keyStatus: { ...OF_KEYS, good: true },
};

type CountedOutcome<Outcome> = Counted<Outcome>["outcome"] extends infer Any
  ? Any extends { outcome: infer Name extends string }
    ? Name
    : never
  : never;

/** The other side is of a release that lacks something. Nothing was changed. */
export class OtherRelease extends NotCarriedOut {}

/** In an object: throws `OtherRelease` for an operation of a later release. */
export function requireOperation(name: string): void {
  if (!isLedgerOperation(name) && name !== "sumUsage")
    throw new OtherRelease(lacks(`the operation ${name}`));
}

/** In an object: throws `OtherRelease` for a kind of call of a later release. */
export function requireCallOperation(kind: string): void {
  if (!Object.hasOwn(OUTCOMES, kind)) throw new OtherRelease(lacks(`the call ${kind}`));
}

/** In a Worker: throws `OtherRelease` for an outcome of a later release. */
export function requireKnownOutcome(
  kind: CallOperation,
  { outcome: { outcome } }: { outcome: { outcome: string } },
): void {
  if (!Object.hasOwn(OUTCOMES[kind], outcome))
    throw new OtherRelease(
      `The Worker runs a release that does not know the outcome ${outcome} of an account's object`,
    );
}

const lacks = (what: string) => `The account's object runs a release that does not know ${what}`;

/** How the platform says that an object has no such method. */
const NO_METHOD = /The RPC receiver does not implement the method "?(\w*)/;

/** In a Worker: whether the error says that the object is of a release without the method. Then the object received nothing. */
export function asMissingMethod(error: unknown): OtherRelease | null {
  const [found, method] = NO_METHOD.exec(error instanceof Error ? error.message : "") ?? [];
  return found === undefined
    ? null
    : new OtherRelease(lacks(`the method ${method}`), { cause: error });
}
