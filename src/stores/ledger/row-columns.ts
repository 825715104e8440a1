import type {
  AccountRow,
  CallKey,
  DebitRow,
  GrantRow,
  HoldRow,
  IdempotencyRow,
  KeptCallRow,
  KeyRow,
  OpenGrant,
  ReversalRow,
} from "#ledger/rules/rows.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";

/**
 * The rows of the ledger, which are the same in every database. A column has the name of its field in snake case. Stores add
 * `account_no` and, to new rows, `no`.
 */
export type StoredRow<Row> = {
  columns: string;
  read(row: SqlRow): Row;
  /** The values in the order of the columns. */
  values(row: Row): SqlValue[];
};

type Fields = Record<string, unknown>;

/** Booleans are stored as 0 and 1, objects as JSON. */
const FLAGS: ReadonlySet<string> = new Set(["isFree", "hasLapsed", "mayAct"]);
const OBJECTS: ReadonlySet<string> = new Set(["prices", "limits", "spent", "parts"]);

/** Fields whose columns are named otherwise. */
const FIELDS: Readonly<Record<string, string>> = { budget_spent: "spent", debit_at: "at" };

const fieldOf = (column: string): string =>
  FIELDS[column] ?? column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function readValue(field: string, value: SqlValue): unknown {
  if (FLAGS.has(field)) return value === 1;
  return OBJECTS.has(field) ? readJson(value) : value;
}

function writeValue(field: string, value: unknown): SqlValue {
  if (FLAGS.has(field)) return value ? 1 : 0;
  return OBJECTS.has(field) ? writeJson(value as object | null) : (value as SqlValue);
}

export const readJson = <Value>(text: SqlValue | undefined): Value | null =>
  text == null ? null : (JSON.parse(text as string) as Value);

export const writeJson = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** `also`: columns that are read and not written. `derived`: columns that are written and not read. */
function rowOf<Row extends Fields>(
  columns: string,
  also: readonly string[] = [],
  derived: Readonly<Record<string, (row: Row) => SqlValue>> = {},
): StoredRow<Row> {
  const written = columns.split(", ");
  const read = [...also, ...written.filter((column) => !Object.hasOwn(derived, column))].map(
    (column) => ({ column, field: fieldOf(column) }),
  );
  const writers = written.map((column): ((row: Row) => SqlValue) => {
    const field = fieldOf(column);
    return derived[column] ?? ((row) => writeValue(field, row[field]));
  });
  return {
    columns,
    read(row) {
      const fields: Fields = {};
      for (const { column, field } of read) fields[field] = readValue(field, row[column] ?? null);
      return fields as Row;
    },
    values: (row) => writers.map((write) => write(row)),
  };
}

export const ACCOUNT = rowOf<AccountRow>(
  "id, created_at, state, free_call, lifetime_grants, low_balance, notified_level, front_grant, rest, prices",
  ["no", "summed_until"],
);

/** The first two never change. */
export const KEY = rowOf<KeyRow>(
  "id, created_at, sha256, start, label, last_used_at, revoked_at, previous_sha256, previous_until, limits, budget_spent",
  ["no"],
);

/** The columns of a key that a call needs. */
export const CALL_KEY = rowOf<CallKey>(
  "no, id, sha256, last_used_at, revoked_at, previous_sha256, previous_until, limits, budget_spent",
);

export const GRANT = rowOf<GrantRow>(
  "id, kind, amount, remaining, spent, voided, voided_at, clawback, clawback_version, granted_at, expires_at, waived_expires_at, event_due_at",
  ["no"],
  { spent: ({ remaining }) => (remaining === 0 ? 1 : 0) },
);

/** The columns of a grant that a debit and the balance need. */
export const OPEN_GRANT = rowOf<OpenGrant>("no, id, kind, remaining, granted_at, expires_at");

export const DEBIT: StoredRow<DebitRow> = {
  ...rowOf<DebitRow>("at, call_id, key_no, tool, credits, is_free, grant_no, parts, reversed_at"),
  // As above, without looking at each field, because every call writes one.
  values: (row) => [
    row.at,
    row.callId,
    row.keyNo,
    row.tool,
    row.credits,
    row.isFree ? 1 : 0,
    row.grantNo,
    writeJson(row.parts),
    row.reversedAt,
  ],
};

export const REVERSAL = rowOf<ReversalRow>(
  "debit_at, call_id, reversed_at, credits, grant_no, parts, key_no, tool",
);

export const RECORD = rowOf<IdempotencyRow>(
  "tool, key, at, call_id, body_sha256, response_sha256, received_at, random",
);

export const HOLD = rowOf<HoldRow>(
  "at, call_id, key_no, tool, credits, is_free, grant_no, parts, key, on_crash, lease_ms, lease_until, has_lapsed",
);

/** The columns of a kept call but its response. */
export const KEPT_CALL = rowOf<KeptCallRow>(
  "tool, key, at, call_id, body_sha256, state, may_act, bytes",
);
