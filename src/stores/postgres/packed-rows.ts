import type { Level } from "#ledger/events.ts";
import type { AccountState, FreeCall, GrantKind } from "#ledger/port.ts";
import type { AccountRow, CallKey, OpenGrant } from "#ledger/rules/rows.ts";
import { ACCOUNT, CALL_KEY, OPEN_GRANT } from "../ledger/row-columns.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { readJson } from "../stored-row.ts";

/**
 * Packs all rows of a query into one value, in PostgreSQL's text format of composite values, one row per line. Otherwise each row
 * costs the client a message, and each column a string and a property, which is three times what the packing costs the server.
 */
export const packed = (sql: string): string =>
  `SELECT string_agg(x::text, E'\\n') AS packed FROM (${sql}) x`;

/** Reads the rows of a `packed` query, or of a column that is like one. `read` reads the columns of one row in their order. */
export function unpack<Row>(
  rows: readonly SqlRow[],
  read: (row: PackedRow) => Row,
  column = "packed",
): Row[] {
  const text = rows[0]?.[column] as string | null | undefined;
  const unpacked: Row[] = [];
  if (text == null) return unpacked;
  const row = new PackedRow(text);
  while (row.begin()) unpacked.push(read(row));
  return unpacked;
}

const [QUOTE, COMMA, BRACKET, BACKSLASH, ZERO, NINE] = [34, 44, 41, 92, 48, 57];
const DOUBLED = /""|\\\\/g;

/** Reads columns one after the other. Numbers are parsed without creating a string, which halves the cost of reading. */
export class PackedRow {
  readonly #text: string;
  /** The position of the next column. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Moves to the next row; returns false at the end. All columns of the previous row must have been read. */
  begin(): boolean {
    // Skip the opening bracket, and the line break before it.
    this.#at += this.#at === 0 ? 1 : 2;
    return this.#at < this.#text.length;
  }

  isNull(): boolean {
    const code = this.#text.charCodeAt(this.#at);
    return code === COMMA || code === BRACKET;
  }

  /** Reads a whole number. */
  number(): number {
    const text = this.#text;
    let at = this.#at;
    let value = 0;
    let code = text.charCodeAt(at);
    for (; code >= ZERO && code <= NINE; code = text.charCodeAt(at)) {
      value = value * 10 + (code - ZERO);
      at += 1;
    }
    if (code !== COMMA && code !== BRACKET) return Number(this.text());
    this.#at = at + 1;
    return value;
  }

  numberOrNull(): number | null {
    return this.isNull() ? this.#skip() : this.number();
  }

  text(): string {
    const text = this.#text;
    const from = this.#at;
    let at = from;
    let code = text.charCodeAt(at);
    if (code === QUOTE) return this.#quoted();
    while (at < text.length && code !== COMMA && code !== BRACKET) {
      at += 1;
      code = text.charCodeAt(at);
    }
    this.#at = at + 1;
    return text.slice(from, at);
  }

  textOrNull(): string | null {
    return this.isNull() ? this.#skip() : this.text();
  }

  #skip(): null {
    this.#at += 1;
    return null;
  }

  /** Reads a quoted text, in which quotes and backslashes are doubled. */
  #quoted(): string {
    const text = this.#text;
    const from = this.#at + 1;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) {
        if (text.charCodeAt(at + 1) !== QUOTE) break;
        at += 1;
      }
    }
    this.#at = at + 2;
    return text.slice(from, at).replace(DOUBLED, (two) => two.charAt(0));
  }
}

export const ACCOUNT_COLUMNS = `no, ${ACCOUNT.columns}, summed_until`;
export const readAccount = (row: PackedRow): AccountRow => ({
  no: row.number(),
  id: row.text(),
  createdAt: row.number(),
  state: row.text() as AccountState,
  freeCall: row.text() as FreeCall,
  lifetimeGrants: row.number(),
  lowBalance: row.number(),
  notifiedLevel: row.text() as Level,
  frontGrant: row.textOrNull(),
  rest: row.number(),
  prices: readJson(row.textOrNull()),
  summedUntil: row.number(),
});

export const CALL_KEY_COLUMNS = `account_no, ${CALL_KEY.columns}`
  .split(", ")
  .map((column) => `k.${column}`)
  .join(", ");
export type LoadedKey = CallKey & { accountNo: number };
export const readCallKey = (row: PackedRow): LoadedKey => ({
  accountNo: row.number(),
  no: row.number(),
  id: row.text(),
  sha256: row.text(),
  lastUsedAt: row.numberOrNull(),
  revokedAt: row.numberOrNull(),
  previousSha256: row.textOrNull(),
  previousUntil: row.numberOrNull(),
  limits: readJson(row.textOrNull()),
  spent: readJson(row.textOrNull()),
});

export const readOpenGrant = (row: PackedRow): OpenGrant => ({
  no: row.number(),
  id: row.text(),
  kind: row.text() as GrantKind,
  remaining: row.number(),
  grantedAt: row.number(),
  expiresAt: row.numberOrNull(),
});

/** Returns null if the key has no grant. */
export function readGrantOfKey(row: PackedRow): OpenGrant | null {
  if (!row.isNull()) return readOpenGrant(row);
  for (const _ of OPEN_GRANT.columns.split(",")) row.textOrNull();
  return null;
}
