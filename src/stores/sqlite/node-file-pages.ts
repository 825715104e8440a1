import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { SqlValue } from "./driver.ts";

/**
 * Reads the pages of a SQLite file without SQLite, which stops at the first page that it cannot read and does not notice rows that
 * are missing on a page. Sections in comments are of sqlite.org/fileformat2.html.
 */
export type PageFile = {
  /** The number of pages. */
  count: number;
  /** Returns null for a number that the file does not have. The bytes are the caller's. */
  page(number: number): Buffer | null;
  close(): void;
};

export const PAGE_BYTES = 4_096;

export function openPageFile(file: string): PageFile {
  const fd = openSync(file, "r");
  const count = Math.floor(fstatSync(fd).size / PAGE_BYTES);
  return {
    count,
    page(number) {
      if (number < 1 || number > count) return null;
      const bytes = Buffer.alloc(PAGE_BYTES);
      readSync(fd, bytes, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES);
      return bytes;
    },
    close: () => closeSync(fd),
  };
}

/** How rows are stored: by their number (`rowid`), or by their first columns in an index or a table WITHOUT ROWID. */
export type TreeKind = "rowid" | "key";

/** `left`: the page with the rows before this cell. `rowid`: in trees of that kind. `payload`: null if the cell has none or cannot be read. */
export type Cell = { left: number; rowid: number; payload: Buffer | null };

/**
 * `isSound`: every byte of the page belongs to a cell, to free space or to a fragment, as the header says. A page that is not may
 * have lost cells, though those that are left can be read.
 */
export type Page = { isInner: boolean; cells: Cell[]; right: number; isSound: boolean };

const INNER: Readonly<Record<TreeKind, number>> = { rowid: 5, key: 2 };
const LEAF: Readonly<Record<TreeKind, number>> = { rowid: 13, key: 10 };

/** Reads a page of a tree (section 1.6). Returns null if it is of another kind. `onOverflow`: called with the pages that continue it. */
export function readPage(
  file: PageFile,
  number: number,
  kind: TreeKind,
  onOverflow: (page: number) => void,
): Page | null {
  const bytes = file.page(number);
  if (bytes === null) return null;
  const isInner = bytes[0] === INNER[kind];
  if (!isInner && bytes[0] !== LEAF[kind]) return null;
  const count = bytes.readUInt16BE(3);
  const pointers = isInner ? 12 : 8;
  const content = bytes.readUInt16BE(5);
  const used: [from: number, to: number][] = [];
  const page = { isInner, cells: [] as Cell[], right: isInner ? bytes.readUInt32BE(8) : 0 };
  let isSound = content >= pointers + 2 * count;
  for (let index = 0; index < count && pointers + 2 * index + 2 <= PAGE_BYTES; index++) {
    const at = bytes.readUInt16BE(pointers + 2 * index);
    const cell = at < content ? null : readCell(file, bytes, at, kind, isInner, onOverflow);
    if (cell === null) isSound = false;
    else {
      page.cells.push(cell);
      used.push([at, Math.max(cell.end, at + 4)]);
    }
  }
  return { ...page, isSound: isSound && isCovered(bytes, content, used) };
}

/** Whether cells and free blocks fill the content of a page but for its fragments, and nothing overlaps. */
function isCovered(bytes: Buffer, content: number, used: [from: number, to: number][]): boolean {
  for (let at = bytes.readUInt16BE(1), last = 0; at !== 0; last = at, at = bytes.readUInt16BE(at)) {
    if (at <= last || at > PAGE_BYTES - 4) return false;
    used.push([at, at + bytes.readUInt16BE(at + 2)]);
  }
  used.sort(([one], [other]) => one - other);
  let [end, fragments] = [content, 0];
  for (const [from, to] of used) {
    if (from < end) return false;
    fragments += from - end;
    end = to;
  }
  return end <= PAGE_BYTES && fragments + PAGE_BYTES - end === bytes[7];
}

function readCell(
  file: PageFile,
  bytes: Buffer,
  from: number,
  kind: TreeKind,
  isInner: boolean,
  onOverflow: (page: number) => void,
): (Cell & { end: number }) | null {
  let at = from;
  const left = isInner && at + 4 <= PAGE_BYTES ? bytes.readUInt32BE(at) : 0;
  if (isInner) at += 4;
  const isPointer = isInner && kind === "rowid";
  const length = isPointer ? 0 : readVarint(bytes, at);
  if (typeof length !== "number") {
    at = length.end;
    if (length.value > PAYLOAD_MAX) return null;
  }
  const rowid = kind === "rowid" ? readVarint(bytes, at) : null;
  at = rowid?.end ?? at;
  const cell = { left, rowid: rowid?.value ?? 0 };
  if (at > PAGE_BYTES || !Number.isSafeInteger(cell.rowid)) return null;
  if (typeof length === "number") return { ...cell, payload: null, end: at };
  const local = localBytes(length.value, kind);
  const end = at + local + (local < length.value ? 4 : 0);
  if (end > PAGE_BYTES) return null;
  const parts = [bytes.subarray(at, at + local)];
  let missing = length.value - local;
  for (let next = missing > 0 ? bytes.readUInt32BE(end - 4) : 0; missing > 0; ) {
    onOverflow(next);
    const more = file.page(next);
    if (more === null) return { ...cell, payload: null, end };
    parts.push(more.subarray(4, 4 + Math.min(missing, PAGE_BYTES - 4)));
    missing -= PAGE_BYTES - 4;
    next = more.readUInt32BE(0);
  }
  return { ...cell, payload: Buffer.concat(parts), end };
}

/** Longer than any row, so that damage cannot make a row of the whole file. */
const PAYLOAD_MAX = 4 * 1024 * 1024;

/** The bytes of a payload that are on its page; the rest is on overflow pages. */
function localBytes(length: number, kind: TreeKind): number {
  const most = kind === "rowid" ? PAGE_BYTES - 35 : KEY_LOCAL_MAX;
  if (length <= most) return length;
  const local = LOCAL_MIN + ((length - LOCAL_MIN) % (PAGE_BYTES - 4));
  return local <= most ? local : LOCAL_MIN;
}

const KEY_LOCAL_MAX = Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23;
const LOCAL_MIN = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;

/** Beyond the end of the bytes, zeros are read. Numbers beyond 2^53 are not exact; their rows are damaged. */
function readVarint(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from; at < from + 8; at++) {
    const byte = bytes[at] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) return { value, end: at + 1 };
  }
  return { value: Number.POSITIVE_INFINITY, end: from + 9 };
}

/** Decodes a record (section 2.1). Returns null if it has not exactly `columns` values, or one that no column of ours can have. */
export function readRecord(payload: Buffer, columns: number): SqlValue[] | null {
  const header = readVarint(payload, 0);
  const values: SqlValue[] = [];
  let body = header.value;
  let at = header.end;
  for (; at < header.value && values.length < columns; ) {
    const type = readVarint(payload, at);
    at = type.end;
    const length = lengthOf(type.value);
    if (length === null || body + length > payload.length) return null;
    const value = decodeValue(payload, type.value, body, length);
    if (value === undefined) return null;
    values.push(value);
    body += length;
  }
  return at === header.value && body === payload.length && values.length === columns
    ? values
    : null;
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8];

function lengthOf(type: number): number | null {
  if (type >= 13 && type % 2 === 1 && type < PAYLOAD_MAX) return (type - 13) / 2;
  if (type === 8 || type === 9) return 0;
  return INTEGER_BYTES[type] ?? null;
}

function decodeValue(
  bytes: Buffer,
  type: number,
  at: number,
  length: number,
): SqlValue | undefined {
  if (type === 0) return null;
  if (type >= 13) return bytes.toString("utf8", at, at + length);
  if (type >= 8) return type - 8;
  if (length < 8) return bytes.readIntBE(at, length);
  const value = Number(bytes.readBigInt64BE(at));
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Returns the free pages (section 1.5), whose rows are old; null if their list is damaged. */
export function freePages(file: PageFile): Set<number> | null {
  const header = file.page(1);
  if (header === null) return null;
  const free = new Set<number>();
  for (let trunk = header.readUInt32BE(32); trunk !== 0; ) {
    const bytes = file.page(trunk);
    if (bytes === null || free.has(trunk)) return null;
    free.add(trunk);
    const leaves = bytes.readUInt32BE(4);
    if (leaves > PAGE_BYTES / 4 - 2) return null;
    for (let leaf = 0; leaf < leaves; leaf++) free.add(bytes.readUInt32BE(8 + 4 * leaf));
    trunk = bytes.readUInt32BE(0);
  }
  return free.size === header.readUInt32BE(36) ? free : null;
}
