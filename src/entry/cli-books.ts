import type { OperatorDesk } from "#accounts/operator-desk.ts";
import type { Told } from "#accounts/tell-person.ts";
import type { Comparison } from "#billing/compare-payments.ts";
import type { PurchaseBook } from "#billing/purchase-book.ts";
import type { RandomBytes } from "#ids.ts";
import type { Audit, Books as Sums, UsageRow } from "#ledger/port.ts";
import type { RecordCounts, RecordOf } from "#ledger/transfer/records.ts";
import { type Call, Refusal } from "./cli-command.ts";
import { openLocalBooks } from "./cli-local-books.ts";

/** The books as commands see them: those of a data folder, of a PostgreSQL and of a deployed service alike. */
export type Books = {
  /** Where they are, for sentences: the data folder, the database, or the address of the service. */
  place: string;
  random: RandomBytes;
  /** What is read of one account and done to it. */
  desk: OperatorDesk;
  /** The whole books, and the database that they are in. */
  audit(): Promise<Audited>;
  /** The books alone. */
  sums(): Promise<Omit<Audited, "damage">>;
  usage(from: number, to: number): AsyncIterable<readonly UsageRow[]>;
  grants(): AsyncIterable<readonly GrantMade[]>;
  /** What was bought. */
  purchases: Pick<PurchaseBook, "list" | "revenue">;
  /** Settles every payment since, as the payment provider knows it. */
  comparePayments(order: { since: number }): Promise<Comparison>;
  /** Writes all there is as lines of JSON. */
  exportLines(withSecret: boolean, write: (bytes: Uint8Array) => void): Promise<RecordCounts>;
  /** Where the links of letters lead, where that has to be said. */
  linksLead: string;
  /** What went wrong, as the operator should read it; books whose errors speak for themselves have none. */
  explain?(error: unknown): unknown;
  close(): Promise<void>;
};

/** `books` is null where the sums themselves cannot be read; `damage` is what is wrong with the database. */
export type Audited = Omit<Audit, "books" | "ok"> & { books: Sums | null; damage: string[] };

export type GrantMade = Omit<
  RecordOf<"grant">,
  "record" | "remaining" | "voided" | "voidedAt" | "clawback" | "clawbackVersion"
>;

/** Opens the books for one command. `create`: where there is no data yet, its tables are made. */
export async function withBooks<Result>(
  call: Call,
  body: (books: Books) => Promise<Result>,
  options = { create: false },
): Promise<Result> {
  const books = await openBooks(call, options.create);
  try {
    return await body(books);
  } catch (error) {
    throw books.explain?.(error) ?? error;
  } finally {
    await books.close();
  }
}

async function openBooks(call: Call, create: boolean): Promise<Books> {
  const { remote, config } = call;
  // Loaded when they are needed: a command works on one of them.
  if (remote !== null) {
    const { openRemoteBooks } = await import("./cli-remote-books.ts");
    return openRemoteBooks(call, remote);
  }
  if (config.databaseUrl === null) return openLocalBooks(call, create);
  const { openPostgresBooks } = await import("./cli-postgres-books.ts");
  return openPostgresBooks(call, config.databaseUrl, create);
}

/** Says whether the person whose account was changed knows of it. */
export function noteTold(call: Call, { linksLead }: Books, told: Told): void {
  if (told === null) return;
  const { email, fault } = told;
  call.note(
    fault === null
      ? `A letter tells ${email}; the server sends it within a minute.${linksLead}`
      : `It was done, but ${email} could not be told: ${fault}.`,
  );
}

/** An account as the ledger knows it; an address whose account never came into being is no account yet. */
export async function standingOf(call: Call, { desk }: Books, account: string) {
  const standing = await desk.findAccount({ account, now: call.now });
  if (standing !== null) return standing;
  throw new Refusal("The making of this account was interrupted. Run account create for it again.");
}
