import type { AccountIndex } from "#accounts/account-index.ts";
import type { AccountDeps } from "#accounts/accounts.ts";
import type { Directory } from "#accounts/directory.ts";
import type { KeyBounds } from "#accounts/key-limits.ts";
import type { NotifyDeps } from "#accounts/notify-owner.ts";
import type { RequestLogReads } from "#accounts/request-log.ts";
import type { Billing } from "#billing/billing.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { OperatorJobs } from "#jobs/operator-jobs.ts";
import { type Ledger, NotCarriedOut } from "#ledger/port.ts";
import type { AccountMoves } from "#ledger/transfer/account-moves.ts";
import type { RecordOf } from "#ledger/transfer/records.ts";
import type { OperatorActions } from "./actions.ts";

/** The stores and services that operations use, for every store and runtime. */
export type OperatorContext = {
  ledger: Ledger;
  directory: Directory;
  /** Dependencies with the secrets, which creating keys and hashing addresses require. */
  accountDeps(): Promise<AccountDeps>;
  /** What the limits of a key can name. */
  keyBounds(): Promise<KeyBounds>;
  notify: NotifyDeps;
  purchases: Pick<PurchaseStore, "add" | "list" | "listAll" | "revenue">;
  /** Resolves to null if no payment provider is configured. */
  billing(): Promise<Pick<Billing, "listPayments" | "settle"> | null>;
  actions: OperatorActions;
  jobs: OperatorJobs;
  /** Lists every account that was ever opened. */
  index: AccountIndex;
  moves: AccountMoves;
  /** Null without a request log. */
  requests: Pick<RequestLogReads, "list"> | null;
  /** Null if each account has its own database, so that no query lists the grants of all accounts. */
  grants: GrantList | null;
  /** Returns a sentence for each sign of damage that the database reports. */
  findDamage(): Promise<string[]>;
  /** Returns whether an error means that the database is damaged and cannot be read. */
  isDamage(error: unknown): boolean;
};

/** Lists at most `max` grants in the order of creation, after the cursor `after`. */
export type GrantList = (page: {
  after: number | null;
  max: number;
}) => Promise<{ grants: GrantMade[]; next: number | null }>;

export type GrantMade = Pick<
  RecordOf<"grant">,
  "account" | "id" | "kind" | "amount" | "grantedAt" | "expiresAt"
>;

/**
 * The payment provider did not respond. Purchases that were already settled stay settled, and settling again is safe.
 */
export class ProviderUnreachable extends NotCarriedOut {}
