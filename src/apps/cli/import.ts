import { closeSync } from "node:fs";
import { isatty } from "node:tty";
import * as z from "zod";
import { counted, formatNumber } from "#counted.ts";
import { readTransfer } from "#ledger/transfer/lines.ts";
import { type RecordCounts, TransferError, type TransferRecord } from "#ledger/transfer/records.ts";
import { IMPORT_PAGE_BYTES_MAX } from "#limits.ts";
import { importRecords } from "#operator/data.ts";
import { text } from "#operator/members.ts";
import { DEMO_EMAIL } from "../node/demo-account.ts";
import type { Client } from "./client.ts";
import { defineCommand } from "./command.ts";
import { CommandError, UsageError } from "./command-error.ts";
import { describeCounts } from "./downloads.ts";
import { fileNamed, linesOf, openToReadTwice } from "./files.ts";
import { shortList } from "./text.ts";

/**
 * Sends the lines of an export to a server, page by page. All lines are checked before anything is sent. An account accepts calls once
 * its last page has arrived and its records reconcile. Accounts that the service has are skipped, so after an interruption another run
 * with the same lines continues.
 */
export const IMPORT = defineCommand({
  name: importRecords.name,
  summary: importRecords.summary,
  details: [
    "Without a file, or with - in its place, the lines come from standard input. The command checks all of them first. Then it sends each account, which opens when all its records have arrived and reconcile. Accounts that the service already has are skipped, and the command says how many. If an import is interrupted, run it again with the same lines.",
    "The secret is not sent: set the service's SECRET to it, or append it after a comma.",
  ],
  example: "import ledger.jsonl",
  positionals: ["file"],
  input: z.strictObject({ file: text("file").optional() }),
  async run({ connect, log }, { file: named }) {
    const file = fileNamed(named);
    if (file === undefined && isatty(0))
      throw new UsageError("import requires a file, or the lines on standard input.");
    const fd = await openToReadTwice(file);
    try {
      const counts = checkLines(fd);
      const sum = await sendLines(connect(), fd);
      logSkipped(sum, log);
      if (sum.unknownKeys > 0)
        log(
          `${formatNumber(sum.unknownKeys)} of ${counted(counts.key ?? 0, "key")} were made with a secret that the service does not have, so their calls get 401. To accept them, append the original service's secret to SECRET, after a comma: on every node, or for both Workers.`,
        );
      if (counts.secret !== undefined)
        log(
          "The secret in the lines was not sent. Set SECRET to it, or copy it to DATA_DIR/secret; at the edge, use wrangler secret put SECRET.",
        );
      const refused = sum.refused.filter(({ account }) => account !== sum.demo);
      if (refused.length < sum.refused.length)
        log(
          `The demo account in the lines (${sum.demo}) has no address now, because the service has its own demo account. Its keys work.`,
        );
      if (refused.length > 0) throw new CommandError(explainRefused(refused));
      const skipped = { importedBefore: sum.openedBefore, existing: sum.existing.size };
      const but = skipped.importedBefore + skipped.existing > 0 ? ", but for skipped accounts" : "";
      return {
        json: { counts, skipped, secretIncluded: counts.secret !== undefined },
        text: `Imported ${describeCounts(counts)}${but}. The accounts reconcile.\n`,
      };
    } finally {
      closeSync(fd);
    }
  },
});

/** Reads all lines, so that nothing is sent of a file that is damaged or cut off. */
function checkLines(fd: number): RecordCounts {
  const finished = new Set<string>();
  let current: string | null = null;
  try {
    const records = readTransfer(linesOf(fd));
    let step = records.next();
    for (; !step.done; step = records.next()) {
      const { line, record } = step.value;
      const account = accountOf(record);
      if (account === current) continue;
      const isNew = record.record === "account" && !finished.has(record.id);
      if (account !== null && !isNew)
        throw new TransferError(
          `Line ${line} (${record.record}) belongs to the account ${account}, whose records must follow each other, the account first`,
        );
      if (current !== null) finished.add(current);
      current = account;
    }
    return step.value;
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    throw new CommandError(`${error.message}. Nothing was imported.`);
  }
}

/** The account whose ledger has the record; null if it belongs to none. */
const accountOf = (record: TransferRecord): string | null => {
  if (record.record === "account") return record.id;
  const isOther = ["address", "closedAddress", "starterClaim", "purchase", "secret"].includes(
    record.record,
  );
  return isOther ? null : (record as { account: string }).account;
};

function logSkipped({ openedBefore, existing }: Sum, log: (line: string) => void): void {
  if (openedBefore > 0)
    log(
      `Skipped ${counted(openedBefore, "account")}: an earlier run of this command imported ${openedBefore === 1 ? "it" : "them"}.`,
    );
  if (existing.size > 0)
    log(
      `Skipped ${counted(existing.size, "account")} that the service already had, with ${existing.size === 1 ? "its" : "their"} keys, credits and purchases in the lines: ${shortList([...existing])}.`,
    );
}

type Sum = {
  openedBefore: number;
  /** Accounts of the service that were not imported. */
  existing: Set<string>;
  /** The demo account in the lines: every default installation has one, under the same address. */
  demo: string | null;
  unknownKeys: number;
  refused: { account: string; by: string | null }[];
};
type Page = z.input<typeof importRecords.input>;

/** So many accounts are sent at once. */
const ACCOUNTS_AT_ONCE = 4;

async function sendLines(client: Client, fd: number): Promise<Sum> {
  const sum: Sum = {
    openedBefore: 0,
    existing: new Set(),
    demo: null,
    unknownKeys: 0,
    refused: [],
  };
  const send = async (page: Page): Promise<boolean> => {
    const { outcome, unknownKeys, refused } = await client.send(importRecords, page);
    sum.unknownKeys += unknownKeys;
    sum.refused.push(...refused);
    if (outcome === "opened_before") sum.openedBefore += 1;
    if (outcome === "exists" && page.account !== null) sum.existing.add(page.account.id);
    return outcome === "taken" || outcome === "opened";
  };
  const sending = new Set<Promise<unknown>>();
  let skipped: string | null = null;
  for (const page of pagesOf(linesOf(fd))) {
    const { account } = page;
    if (account !== null && account.id === skipped) continue;
    // Pages of one account follow each other; accounts that fit in a page are sent together.
    if (account?.begin && account.finish) {
      const sent: Promise<unknown> = send(page).finally(() => sending.delete(sent));
      sending.add(sent);
      if (sending.size >= ACCOUNTS_AT_ONCE) await Promise.race(sending);
      continue;
    }
    await Promise.all(sending);
    if (account === null) {
      sum.demo ??= demoAccountOf(page);
      await send(withoutAccounts(page, sum.existing));
    } else if (!(await send(page))) skipped = account.id;
  }
  await Promise.all(sending);
  return sum;
}

/** A purchase without its grant would not reconcile, and a closed account gets no address. */
const withoutAccounts = ({ records, ...page }: Page, accounts: ReadonlySet<string>): Page => ({
  ...page,
  records: records.filter(
    (record) =>
      (record.record !== "address" && record.record !== "purchase") ||
      !accounts.has(record.account),
  ),
});

function demoAccountOf({ records }: Page): string | null {
  const found = records.find((one) => one.record === "address" && one.email === DEMO_EMAIL);
  return found?.record === "address" ? found.account : null;
}

/** Leaves room for the rest of the request and one more record, which is far smaller. */
const PAGE_BYTES = IMPORT_PAGE_BYTES_MAX * 0.75;
const PAGE_RECORDS = 2_000;
/** Each takes up to four round trips, and a Worker may run only so many in a request. */
const OTHERS_A_PAGE = 50;

/** Pages of the records of one account, or of those that belong to none. */
function* pagesOf(lines: Iterable<Uint8Array>): Generator<Page> {
  let records: TransferRecord[] = [];
  let bytes = 0;
  let account: { id: string; createdAt: number } | null = null;
  let begin = true;
  const take = (finish: boolean): Page => {
    const page = { account: account && { ...account, begin, finish }, records };
    begin = finish;
    records = [];
    bytes = 0;
    return page;
  };
  for (const { record } of readTransfer(lines)) {
    const id = accountOf(record);
    if (id !== (account?.id ?? null)) {
      if (records.length > 0 || account !== null) yield take(true);
      account = record.record === "account" ? { id: record.id, createdAt: record.createdAt } : null;
    }
    if (record.record === "secret") continue;
    const size = JSON.stringify(record).length * 2;
    const max = account === null ? OTHERS_A_PAGE : PAGE_RECORDS;
    if (records.length === max || bytes + size > PAGE_BYTES) yield take(false);
    records.push(record);
    bytes += size;
  }
  if (records.length > 0) yield take(true);
}

function explainRefused(refused: Sum["refused"]): string {
  const list = refused
    .slice(0, 3)
    .map(({ account, by }) =>
      by === null ? `${account} has another address` : `${account}: taken by ${by}`,
    );
  return `The records were imported and reconcile, but ${counted(refused.length, "address belongs", "addresses belong")} to another account on the service, or the account has another one (${list.join(", ")}${refused.length > 3 ? ", …" : ""}). To give an address to the imported account, close the other one with account close and run the import again.`;
}
