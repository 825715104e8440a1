import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import * as z from "zod";
import { IN_WORDS } from "#issue-text.ts";
import {
  RECORD_KINDS,
  type RecordCounts,
  type RecordKind,
  TransferError,
  type TransferRecord,
  transferRecord,
} from "./records.ts";

/**
 * The export format: a whole ledger as lines of JSON, which every store reads and writes. The first line is a header that names
 * the format. Then come the records of each account, each after the records that it refers to, and those that belong to no ledger. The
 * last line is a trailer that counts them, so that a truncated file is detected.
 *
 * The same ledger gives the same lines, because they contain no time of export. The trailer's SHA-256 covers every byte before
 * it. Someone who edits the lines on purpose may leave it out.
 */
const TRANSFER_VERSION = 1;
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

/** Writes the lines of an export, each with its line feed: the header at once, records with `put`, and the trailer with `end`. */
export function beginLines(write: (bytes: Uint8Array) => void) {
  const digest = sha256.create();
  const counts: RecordCounts = {};
  const putBytes = (bytes: Uint8Array) => {
    digest.update(bytes);
    write(bytes);
  };
  const putLine = (value: object) => putBytes(utf8.encode(`${JSON.stringify(value)}\n`));
  putLine({ record: "header", format: FORMAT, version: TRANSFER_VERSION });
  return {
    /** Writes the line of a record, which ends with a line feed. */
    put(kind: RecordKind, line: Uint8Array): void {
      putBytes(line);
      counts[kind] = (counts[kind] ?? 0) + 1;
    },
    end(): RecordCounts {
      putLine({ record: "trailer", counts, sha256: bytesToHex(digest.clone().digest()) });
      return counts;
    },
  };
}

/** Returns what is wrong with a record, in words; null if it can be imported. */
export function faultOfRecord(record: TransferRecord): string | null {
  const checked = transferRecord.safeParse(record, IN_WORDS);
  return checked.success ? null : describe(record, checked.error);
}

/** Reads the lines of an export. Yields each record with its line number, and throws `TransferError` at the first fault. */
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
      throw new TransferError(`Line ${line} comes after the trailer, which must be the last line`);
    const value = parseLine(bytes, line);
    if (line === 1) checkHeader(value);
    else if (value.record === "trailer") {
      checkTrailer(value, counts, bytesToHex(digest.clone().digest()), line);
      ended = true;
    } else {
      const checked = transferRecord.safeParse(value, IN_WORDS);
      if (!checked.success)
        throw new TransferError(`Line ${line} is ${describe(value, checked.error)}`);
      counts[checked.data.record] = (counts[checked.data.record] ?? 0) + 1;
      yield { line, record: checked.data };
    }
    digest.update(bytes);
    digest.update(LINE_FEED);
  }
  if (line === 0) throw new TransferError("The input is empty");
  if (!ended)
    throw new TransferError(`The input ends after line ${line} without a trailer: it is truncated`);
  return counts;
}

const LINE_FEED = Uint8Array.of(0x0a);

function parseLine(bytes: Uint8Array, line: number): { record: string } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new TransferError(
      `Line ${line} is not JSON in UTF-8: the file is damaged, or it is not an export`,
    );
  }
  const parsed = asObject.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TransferError(`Line ${line} is not a record: it has no member "record"`);
}

function checkHeader(value: object): void {
  const parsed = header.safeParse(value);
  if (!parsed.success || parsed.data.format !== FORMAT) {
    throw new TransferError("Line 1 is not the header of a Toolbooth export");
  }
  if (parsed.data.version !== TRANSFER_VERSION) {
    throw new TransferError(
      `The export has format version ${parsed.data.version}, but this version of Toolbooth reads only version ${TRANSFER_VERSION}`,
    );
  }
}

function checkTrailer(value: object, counts: RecordCounts, sha: string, line: number): void {
  const unknown = Object.keys((value as { counts?: object }).counts ?? {}).find(
    (kind) => !RECORD_KINDS.some((known) => known === kind),
  );
  if (unknown !== undefined)
    throw new TransferError(
      `Line ${line}: the trailer counts records of unknown kind ${spell(unknown)}`,
    );
  const parsed = trailer.safeParse(value, IN_WORDS);
  if (!parsed.success) throw new TransferError(`Line ${line} is ${describe(value, parsed.error)}`);
  const kinds = new Set([...Object.keys(parsed.data.counts), ...Object.keys(counts)]);
  for (const kind of kinds) {
    const expected = parsed.data.counts[kind] ?? 0;
    const actual = counts[kind as RecordKind] ?? 0;
    if (expected !== actual) {
      throw new TransferError(
        `Line ${line}: the trailer counts ${expected} records of kind "${kind}", but there are ${actual}: lines are missing or repeated`,
      );
    }
  }
  if (parsed.data.sha256 !== undefined && parsed.data.sha256 !== sha) {
    throw new TransferError(
      `Line ${line}: the SHA-256 in the trailer does not match the lines: a line was changed. If the change is intended, remove "sha256" from the trailer`,
    );
  }
}

/** Describes a record by its kind and its first fault. */
function describe(value: object, error: z.ZodError): string {
  const { record } = value as { record: string };
  const [issue] = error.issues;
  if (issue === undefined || (issue.path[0] === "record" && issue.code === "invalid_union")) {
    return `a record of unknown kind ${spell(record)}`;
  }
  const where = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  const given = memberAt(value, issue.path);
  // A member that is unknown or missing has no value to show, and hashes and the secret must not be shown.
  const isShown =
    issue.path.length > 0 &&
    (typeof given !== "object" || given === null) &&
    given !== undefined &&
    record !== "secret" &&
    !/sha256|hash/i.test(String(issue.path.at(-1)));
  const got = isShown ? `; got ${spell(given)}` : "";
  return `an invalid record of kind ${spell(record)} (${where}${issue.message}${got})`;
}

/** As JSON, so that line breaks show, and cut. */
const spell = (value: unknown) => {
  const text = JSON.stringify(value);
  return text.length > SPELLED_CHARS_MAX ? `${text.slice(0, SPELLED_CHARS_MAX)}…` : text;
};
const SPELLED_CHARS_MAX = 60;

const memberAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name)
        ? Reflect.get(at, name)
        : undefined,
    value,
  );
