import { type AccountDeps, AccountError, readEmail } from "#accounts/accounts.ts";
import type { AccountIndex, Directory, IndexedAccount } from "#accounts/directory.ts";
import type { KeyBounds } from "#accounts/key-limits.ts";
import type { NotifyDeps } from "#accounts/notify-owner.ts";
import type { RequestLogReads } from "#accounts/request-log.ts";
import type { Billing } from "#billing/billing.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import { quotedCommand } from "#command-line.ts";
import { isAccountId } from "#ids.ts";
import type { OperatorJobs } from "#jobs/operator-jobs.ts";
import type { Audit, Ledger } from "#ledger/port.ts";
import type { AccountImports } from "#ledger/transfer/account-moves.ts";
import type { RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import type { OperatorActions } from "./actions.ts";

/** The stores and services that operations use, on every store and runtime. */
export type OperatorContext = {
  ledger: Ledger;
  directory: Directory;
  accountDeps: AccountDeps;
  /** What the limits of a key can name. */
  keyBounds: KeyBounds;
  notify: NotifyDeps;
  purchases: Pick<PurchaseStore, "add" | "list" | "listAll" | "revenue">;
  /** Null if no payment provider is configured. */
  billing: Pick<Billing, "compare"> | null;
  actions: OperatorActions;
  jobs: OperatorJobs;
  /** Lists every account that was ever opened. */
  index: AccountIndex;
  imports: AccountImports;
  /** Null without a request log. */
  requests: Pick<RequestLogReads, "list"> | null;
  /** Null if each account has a database of its own. */
  whole: WholeLedger | null;
  /**
   * Yields the records of accounts after the given one, as of one moment each, and at the end those that belong to none. Returns the
   * account after which the next request continues; null at the end.
   */
  exportRecords(
    after: IndexedAccount | null,
  ): AsyncGenerator<readonly TransferRecord[], IndexedAccount | null>;
  /** Copies the database; a sentence that says what to do instead where it has its own tools. */
  backup: ((order: { withSecret: boolean }) => Promise<Backup>) | string;
  /** The secrets that the service keeps itself; null if they are in SECRET. */
  keptSecrets(): Promise<readonly string[] | null>;
  /** Lets the other requests of the thread run in between. */
  pause(): Promise<void>;
};

/** What one database that holds all accounts can answer at once. */
export type WholeLedger = {
  /** Audits all accounts, and checks the database for damage: a sentence for each sign of it. `audit` is null if it cannot be read. */
  check(order: { now: number }): Promise<{ audit: Audit | null; damage: string[] }>;
  /** Lists at most `max` grants in the order of creation, after the cursor `after`. */
  grants(page: {
    after: number | null;
    max: number;
  }): Promise<{ grants: GrantMade[]; next: number | null }>;
};

export type GrantMade = Pick<
  RecordOf<"grant">,
  "account" | "id" | "kind" | "amount" | "grantedAt" | "expiresAt"
>;

export type Backup = {
  audit: Audit | null;
  damage: string[];
  schemaVersion: number;
  secretIncluded: boolean;
  bytes: number;
  pieces: AsyncIterable<Uint8Array>;
};

/**
 * A Worker may send only so many requests within one of its own. Where each account has a database, a request covers so many accounts,
 * and the client continues with `next`.
 */
const ACCOUNTS_A_REQUEST = 50;

/** How many accounts a request covers. */
export const accountsAtOnce = ({ whole }: Pick<OperatorContext, "whole">): number =>
  whole === null ? ACCOUNTS_A_REQUEST : Number.MAX_SAFE_INTEGER;

/** `email`: the id of the account, if it has no address: one that was imported, whose address is another account's here. */
export type FoundAccount = { account: string; email: string };

/** Returns the account of an email address, or of an account's id. Throws `AccountError` if there is none. */
export async function accountOf(
  { directory, ledger }: Pick<OperatorContext, "directory" | "ledger">,
  { email: text }: { email: string },
  { now }: { now: number },
  /** Whether an id may be that of a closed account. */
  isClosedFound = false,
): Promise<FoundAccount> {
  const isId = isAccountId(text);
  const email = isId ? "" : readEmail(text);
  const found = await (isId
    ? directory.findByAccount({ account: text })
    : directory.findByEmail({ email }));
  if (found !== null) return { account: found.account, email: found.email };
  const state = isId ? (await ledger.findAccount({ account: text, now }))?.state : undefined;
  if (state !== undefined && (state !== "closed" || isClosedFound))
    return { account: text, email: text };
  throw new AccountError(
    isId
      ? `There is no open account ${text}. ${TO_SEE_ACCOUNTS}`
      : `There is no account for ${email}. It was never created, or it is closed. ${TO_SEE_ACCOUNTS} To create it, run ${quotedCommand("account create", email)}.`,
  );
}

const TO_SEE_ACCOUNTS = `To see all accounts, run ${quotedCommand("account list")}.`;

/** Returns the state of an account in the ledger. Throws `AccountError` if its creation was interrupted. */
export async function statusOf(
  { ledger }: Pick<OperatorContext, "ledger">,
  account: string,
  now: number,
) {
  const status = await ledger.findAccount({ account, now });
  if (status !== null) return status;
  throw new AccountError(
    "The creation of this account was interrupted. To complete it, create the account again: with account create, or by signing in.",
  );
}
