import { closeSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import * as z from "zod";
import { readTransfer } from "#ledger/transfer/lines.ts";
import { type RecordCounts, TransferError, type TransferRecord } from "#ledger/transfer/records.ts";
import { IMPORT_PAGE_BYTES_MAX } from "#limits.ts";
import { importRecords } from "#operator/data.ts";
import { text } from "#operator/members.ts";
import type { Client } from "./client.ts";
import { defineCommand } from "./command.ts";
import { CommandError, UsageError } from "./command-error.ts";
import { describeCounts } from "./downloads.ts";
import { linesOf, spoolStdin } from "./files.ts";
import { counted, integer } from "./text.ts";

/**
 * Sends the lines of an export to a server, page by page. All lines are checked before anything is sent. An account accepts calls once
 * its last page has arrived and its records reconcile. After an interruption, another run with the same lines skips complete accounts.
 */
export const IMPORT = defineCommand({
  name: importRecords.name,
  summary: importRecords.summary,
  details: [
    "The command checks all lines first. Then it sends each account, which opens when all its records have arrived and reconcile. If an import is interrupted, run it again with the same lines.",
    "The secret is not sent: set SECRET of the service to it, or add it behind a comma.",
  ],
  example: "import ledger.jsonl",
  positionals: ["file"],
  input: z.strictObject({ file: text("file").optional() }),
  async run({ connect, log }, { file }) {
    if (file === undefined && isatty(0))
      throw new UsageError("import requires a file, or the lines on standard input.");
    const fd = file === undefined ? await spoolStdin() : openSync(file, "r");
    try {
      const counts = checkLines(fd);
      const sum = await sendLines(connect(), fd);
      if (sum.openedBefore > 0)
        log(`${counted(sum.openedBefore, "account was", "accounts were")} already imported.`);
      if (sum.unknownKeys > 0)
        log(
          `${integer(sum.unknownKeys)} of ${counted(counts.key ?? 0, "key")} were made with a secret that the service does not have, so their calls get 401. To accept them, append the original service's secret to SECRET, after a comma: on every node, or for both Workers.`,
        );
      if (counts.secret !== undefined)
        log(
          "The secret in the lines was not sent. Set SECRET to it, or copy it to DATA_DIR/secret; at the edge, use wrangler secret put SECRET.",
        );
      if (sum.refused.length > 0) throw new CommandError(explainRefused(sum.refused));
      return {
        json: { counts, secretIncluded: counts.secret !== undefined },
        text: `Imported ${describeCounts(counts)}. The accounts reconcile.\n`,
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
          `Line ${line} (${record.record}) is of the account ${account}, whose records must follow each other, the account first`,
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

type Sum = {
  openedBefore: number;
  unknownKeys: number;
  refused: { account: string; by: string | null }[];
};
type Page = z.input<typeof importRecords.input>;

/** So many accounts are sent at once. */
const ACCOUNTS_AT_ONCE = 4;

async function sendLines(client: Client, fd: number): Promise<Sum> {
  const sum: Sum = { openedBefore: 0, unknownKeys: 0, refused: [] };
  const send = async (page: Page): Promise<boolean> => {
    const { outcome, unknownKeys, refused } = await client.send(importRecords, page);
    sum.unknownKeys += unknownKeys;
    sum.refused.push(...refused);
    if (outcome === "opened_before") sum.openedBefore += 1;
    return outcome !== "opened_before";
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
    if (!(await send(page)) && account !== null) skipped = account.id;
  }
  await Promise.all(sending);
  return sum;
}

/** Leaves room for the rest of the request and one more record, which is far smaller. */
const PAGE_BYTES = IMPORT_PAGE_BYTES_MAX * 0.75;
const PAGE_RECORDS = 2_000;
/** Each takes up to three statements, and a Worker may run only so many in a request. */
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
