import path from "node:path";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import * as z from "zod";
import { quotedCommand } from "#command-line.ts";
import { counted, formatNumber } from "#counted.ts";
import { beginLines } from "#ledger/transfer/lines.ts";
import { RECORD_KINDS, type RecordCounts, type RecordKind } from "#ledger/transfer/records.ts";
import { backupData, exportAccount, exportEntries, exportLedger } from "#operator/data.ts";
import { email, text } from "#operator/members.ts";
import type { Client } from "./client.ts";
import { defineCommand } from "./command.ts";
import { CommandError, UsageError } from "./command-error.ts";
import { checkOutputFile, fileNamed, linesIn, writeFile, writeStdout } from "./files.ts";

/** Commands that write what the server sends to a file: backups, exports, and the export of one person's data. */

const force = z.boolean().optional();

const withSecret = z.boolean().optional();

export const BACKUP = defineCommand({
  name: backupData.name,
  summary: backupData.summary,
  details: [
    "The server makes a consistent snapshot and checks it. The backup contains hashes of keys and email addresses, so keep it safe. --force replaces an existing file.",
    "The secret is included only with --with-secret, which works on the server's own machine. Without it, keep DATA_DIR/secret or the value of SECRET in another place: a restored service needs it to accept its keys.",
    "With DATABASE_URL, and on Cloudflare, the database has its own backups: see docs/backup.md.",
  ],
  example: "backup /backups/toolbooth.sqlite",
  positionals: ["file"],
  input: z.strictObject({ file: text("file"), withSecret, force }),
  async run({ connect, config, log }, { file, withSecret = false, force = false }) {
    checkOutputFile(file, force, config);
    const { result, body } = await connect().open(backupData, { withSecret });
    const { ok, accounts, totals, faults, secretIncluded, bytes } = result;
    await writeFile(file, force, config, body);
    const sums = Object.entries(totals ?? {})
      .filter(([name, sum]) => name === "granted" || sum !== 0)
      .map(([name, sum]) => `${formatNumber(sum)} ${name}`);
    const content = !ok
      ? faults.map((fault) => `- ${fault}`).join("\n")
      : accounts === null
        ? "Its ledger was not checked."
        : `It contains ${counted(accounts, "account")}, and the ledger reconciles: ${sums.join(", ")}.`;
    if (!ok)
      log(
        `The backup was written, but it is damaged or does not reconcile, so restore will reject it. For details, run ${quotedCommand("audit")}.`,
      );
    return {
      json: { ...result, file },
      text: `Copied the data to ${file} (${counted(bytes, "byte")}).\n${content}\n${secretIncluded ? "The secret is included, so keep the file safe.\n" : ""}`,
      exitCode: ok ? 0 : 1,
    };
  },
});

export const ACCOUNT_EXPORT = defineCommand({
  name: exportAccount.name,
  summary: exportAccount.summary,
  details: [
    "It has the profile, logins, sessions, keys, grants, purchases, usage by hour and the activity list, but no hashes and no secrets. With a file it is written there; without one, or with - in its place, it is printed. --entries FILE also writes every ledger entry as JSON lines. --force replaces existing files.",
    "The owner sees in the activity list that the operator exported the data.",
  ],
  example: "account export you@example.com you.json --entries you-entries.jsonl",
  positionals: ["email", "file"],
  input: z.strictObject({
    ...{ email, file: text("file").optional(), entries: text("FILE").optional(), force },
  }),
  async run({ connect, config }, { email, file: named, entries, force = false }) {
    const client = connect();
    const file = fileNamed(named);
    if (file !== undefined && entries !== undefined && path.resolve(file) === path.resolve(entries))
      throw new UsageError("--entries needs another file than the document.");
    for (const each of [file, entries])
      if (each !== undefined) checkOutputFile(each, force, config);
    if (entries !== undefined)
      await writeFile(entries, force, config, (await client.open(exportEntries, { email })).body);
    const { result, body } = await client.open(exportAccount, { email });
    if (file === undefined) {
      const document = await readText(Readable.from(body));
      return { json: JSON.parse(document) as object, text: document };
    }
    await writeFile(file, force, config, body);
    return {
      json: { ...result, file, entries: entries ?? null },
      text: `Exported the data of ${result.email} to ${file}. It contains personal data, so keep it safe.\n`,
    };
  },
});

export const EXPORT = defineCommand({
  name: exportLedger.name,
  summary: exportLedger.summary,
  details: [
    "The export is one consistent snapshot, and the server can keep running. The same ledger always gives the same lines. Without a file, or with - in its place, they go to standard output; --json requires a file.",
    "The secret is included only with --with-secret, which works on the server's own machine. At the edge, each account is a separate snapshot.",
  ],
  example: "export ledger.jsonl",
  positionals: ["file"],
  input: z.strictObject({ file: text("file").optional(), withSecret, force }),
  async run({ connect, config, json, log }, { file: named, withSecret = false, force = false }) {
    const file = fileNamed(named);
    if (file === undefined && json)
      throw new UsageError(
        "export --json requires a file for the lines, because standard output has the JSON object.",
      );
    if (file !== undefined) checkOutputFile(file, force, config);
    const counts: RecordCounts = {};
    const lines = exportedLines(connect(), withSecret, counts);
    if (file === undefined) await writeStdout(lines);
    else await writeFile(file, force, config, lines);
    const secretIncluded = counts.secret !== undefined;
    const summary = `Exported ${describeCounts(counts)}. ${secretIncluded ? "The secret is included, so keep the export safe." : "The secret is not included."}`;
    // Standard output contains only the lines.
    if (file === undefined) log(summary);
    return {
      json: { file: file ?? null, counts, secretIncluded },
      text: file === undefined ? "" : `${summary}\nThe lines are in ${file}.\n`,
    };
  },
});

export const describeCounts = (counts: RecordCounts) => {
  const parts = Object.entries(counts).map(([kind, count]) => `${kind} ${formatNumber(count)}`);
  return parts.length === 0 ? "no records" : `records (${parts.join(", ")})`;
};

/** Yields the lines of an export, and fills `counts`. Where each account has a database of its own, a response covers only some. */
async function* exportedLines(
  client: Client,
  withSecret: boolean,
  counts: RecordCounts,
): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  const lines = beginLines((bytes) => void chunks.push(bytes));
  for (let after: string | null | undefined; after !== null; ) {
    const order: { withSecret: boolean; after?: string } = { withSecret, ...(after && { after }) };
    const { body } = await client.open(exportLedger, order);
    let last: PageLine | null = null;
    for await (const line of linesIn(body)) {
      const kind = kindOf(line);
      if (kind === "page" || kind === "fault") last = JSON.parse(line.toString());
      else lines.put(kind, line);
      if (chunks.length < LINES_A_CHUNK) continue;
      yield Buffer.concat(chunks);
      chunks = [];
    }
    if (last === null) throw new CommandError(INCOMPLETE);
    if (last.record === "fault")
      throw new CommandError(
        `The data contains ${last.fault}. No file was written. For details, run ${quotedCommand("audit")}.`,
      );
    after = last.next;
  }
  Object.assign(counts, lines.end());
  yield Buffer.concat(chunks);
}

const LINES_A_CHUNK = 500;
const INCOMPLETE =
  "The server's response ended before the last line. No file was written. Run the command again.";

type PageLine = { record: "page"; next: string | null } | { record: "fault"; fault: string };

/** The server writes the kind first. */
function kindOf(line: Buffer): RecordKind | "page" | "fault" {
  const [, kind = ""] = /^\{"record":"(\w+)"/.exec(line.toString("latin1", 0, 40)) ?? [];
  const known = [...RECORD_KINDS, "page", "fault"] as const;
  const found = known.find((each) => each === kind);
  if (found !== undefined) return found;
  throw new CommandError(`The server sent a record of unknown kind "${kind}". Use its version.`);
}
