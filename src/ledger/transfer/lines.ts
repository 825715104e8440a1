import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import * as z from "zod";
import { givenRecord } from "./older-records.ts";
import {
  type RecordCounts,
  type RecordKind,
  TransferError,
  type TransferRecord,
  transferRecord,
} from "./records.ts";

/**
 * A whole ledger as lines of JSON, from any store to any store. A header names the format, then come the records,
 * each after those that it names (an account before its keys), and a trailer counts them, so that a file that was
 * cut off is never taken for a small one.
 *
 * The same ledger gives the same lines: there is no time of writing in them. The trailer's SHA-256 covers every byte
 * before it; it may be left out by who has changed the lines on purpose.
 */
export const TRANSFER_VERSION = 1;
const FORMAT = "toolbooth-ledger";

const utf8 = new TextEncoder();
const asObject = z.looseObject({ record: z.string() });
const header = z.strictObject({
  record: z.literal("header"),
  format: z.string(),
  version: z.int(),
});
const trailer = z.strictObject({
  record: z.literal("trailer"),
  counts: z.record(z.string(), z.int().min(0)),
  sha256: z.string().optional(),
});

/** Writes header, records and trailer; every line comes with its line feed. Returns what the trailer counts. */
export function writeTransfer(
  records: Iterable<TransferRecord>,
  write: (bytes: Uint8Array) => void,
): RecordCounts {
  const lines = beginLines(write);
  for (const record of records) lines.put(record);
  return lines.end();
}

/** The same, from a store that gives its records page by page, each when it has come. */
export async function writeTransferPages(
  pages: AsyncIterable<readonly TransferRecord[]>,
  write: (bytes: Uint8Array) => void,
): Promise<RecordCounts> {
  const lines = beginLines(write);
  for await (const page of pages) for (const record of page) lines.put(record);
  return lines.end();
}

function beginLines(write: (bytes: Uint8Array) => void) {
  const digest = sha256.create();
  const counts: RecordCounts = {};
  const putLine = (value: object) => {
    const bytes = utf8.encode(`${JSON.stringify(value)}\n`);
    digest.update(bytes);
    write(bytes);
  };
  putLine({ record: "header", format: FORMAT, version: TRANSFER_VERSION });
  return {
    put(record: TransferRecord): void {
      // What an import would refuse must not be found out when the data is needed.
      const checked = transferRecord.safeParse(record);
      if (!checked.success)
        throw new TransferError(`The data holds ${describe(record, checked.error)}`);
      putLine(record);
      counts[record.record] = (counts[record.record] ?? 0) + 1;
    },
    end(): RecordCounts {
      putLine({ record: "trailer", counts, sha256: bytesToHex(digest.clone().digest()) });
      return counts;
    },
  };
}

/** Reads what `writeTransfer` wrote: gives each record with the number of its line, and throws at the first fault. */
export function* readTransfer(
  lines: Iterable<Uint8Array>,
): Generator<{ line: number; record: TransferRecord }, RecordCounts> {
  const digest = sha256.create();
  const counts: RecordCounts = {};
  let line = 0;
  let ended = false;
  for (const bytes of lines) {
    line += 1;
    if (ended)
      throw new TransferError(`Line ${line} comes after the trailer, where nothing may come`);
    const value = parseLine(bytes, line);
    if (line === 1) checkHeader(value);
    else if (value.record === "trailer") {
      checkTrailer(value, counts, bytesToHex(digest.clone().digest()), line);
      ended = true;
    } else {
      const checked = givenRecord.safeParse(value);
      if (!checked.success)
        throw new TransferError(`Line ${line} is ${describe(value, checked.error)}`);
      counts[checked.data.record] = (counts[checked.data.record] ?? 0) + 1;
      yield { line, record: checked.data };
    }
    digest.update(bytes);
    digest.update(LINE_FEED);
  }
  if (line === 0) throw new TransferError("There is nothing to read: not one line came");
  if (!ended)
    throw new TransferError(
      `The lines end after line ${line} without a trailer: they were cut off`,
    );
  return counts;
}

const LINE_FEED = Uint8Array.of(0x0a);

function parseLine(bytes: Uint8Array, line: number): { record: string } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new TransferError(
      `Line ${line} is not JSON in UTF-8: it is damaged, or the file is no export`,
    );
  }
  const parsed = asObject.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TransferError(`Line ${line} is no record: it has no member "record"`);
}

function checkHeader(value: object): void {
  const parsed = header.safeParse(value);
  if (!parsed.success || parsed.data.format !== FORMAT) {
    throw new TransferError("Line 1 is not the header of an export of Toolbooth");
  }
  if (parsed.data.version !== TRANSFER_VERSION) {
    throw new TransferError(
      `Line 1 names version ${parsed.data.version} of the format, but this version of Toolbooth reads only ${TRANSFER_VERSION}`,
    );
  }
}

function checkTrailer(value: object, counts: RecordCounts, sha: string, line: number): void {
  const parsed = trailer.safeParse(value);
  if (!parsed.success) throw new TransferError(`Line ${line} is ${describe(value, parsed.error)}`);
  const kinds = new Set([...Object.keys(parsed.data.counts), ...Object.keys(counts)]);
  for (const kind of kinds) {
    const promised = parsed.data.counts[kind] ?? 0;
    const came = counts[kind as RecordKind] ?? 0;
    if (promised !== came) {
      throw new TransferError(
        `Line ${line}: the trailer counts ${promised} records of the kind "${kind}", but ${came} came: lines are missing or doubled`,
      );
    }
  }
  if (parsed.data.sha256 !== undefined && parsed.data.sha256 !== sha) {
    throw new TransferError(
      `Line ${line}: the SHA-256 of the lines is not the one in the trailer: a line was changed. Leave "sha256" out of the trailer where the change is meant`,
    );
  }
}

/** The record's kind and its first fault, without its values: one of them may be the secret. */
function describe(value: object, error: z.ZodError): string {
  const { record } = value as { record: string };
  const [issue] = error.issues;
  if (issue === undefined || (issue.path[0] === "record" && issue.code === "invalid_union")) {
    return `of an unknown kind, "${record.slice(0, 40)}"`;
  }
  const where = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  return `not a good record of the kind "${record.slice(0, 40)}" (${where}${issue.message})`;
}
