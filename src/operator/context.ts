import type { AccountIndex } from "#accounts/account-index.ts";
import type { Directory } from "#accounts/directory.ts";
import type { NotifyDeps } from "#accounts/notify-person.ts";
import type { AccountDeps } from "#accounts/people.ts";
import type { Billing } from "#billing/billing.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { OperatorJobs } from "#jobs/operator-jobs.ts";
import type { Ledger } from "#ledger/port.ts";
import type { AccountMoves } from "#ledger/transfer/account-moves.ts";
import type { RecordOf } from "#ledger/transfer/records.ts";
import type { OperatorActs } from "./acts.ts";

/** What the operator's operations work on, whatever the store and the runtime. */
export type OperatorContext = {
  ledger: Ledger;
  directory: Directory;
  /** With the secrets, for what makes keys or hashes addresses. */
  accountDeps(): Promise<AccountDeps>;
  tell: NotifyDeps;
  purchases: Pick<PurchaseStore, "add" | "list" | "listAll" | "revenue">;
  /** Null: no payment provider is set up. */
  billing(): Promise<Pick<Billing, "listPayments" | "settle"> | null>;
  acts: OperatorActs;
  jobs: OperatorJobs;
  /** Accounts that were ever opened. */
  index: AccountIndex;
  moves: AccountMoves;
  /** Null where the ledger of each account is a database of its own, so that nothing lists the grants of all. */
  grants: GrantList | null;
  /** What is wrong with the database itself, as far as it can be asked here. */
  findDamage(): Promise<string[]>;
  /** Whether an error means that the database cannot read its own pages. */
  isDamage(error: unknown): boolean;
};

/** Grants in the order in which they were made, at most `max`, after the one at `after`. */
export type GrantList = (order: {
  after: number | null;
  max: number;
}) => Promise<{ grants: GrantMade[]; next: number | null }>;

export type GrantMade = Pick<
  RecordOf<"grant">,
  "account" | "id" | "kind" | "amount" | "grantedAt" | "expiresAt"
>;
