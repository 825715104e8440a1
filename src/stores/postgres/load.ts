import type { Concerned } from "#ledger/rules/rows.ts";
import {
  ACCOUNT_COLUMNS,
  DEBIT_COLUMNS,
  GRANT_COLUMNS,
  KEY_COLUMNS,
  RECORD_COLUMNS,
  readAccount,
  readDebit,
  readGrant,
  readKey,
  readRecord,
} from "../ledger/row-columns.ts";
import {
  debitName,
  GRANTS_AT_FIRST,
  type KnownAccount,
  keyName,
  type LoadRequest,
  type OrderContext,
  recordName,
} from "../ledger/working-set.ts";
import { EXPIRY_SQL } from "../sql/grant-sql.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { arrayOf, type Column, literalOf, rowsFrom } from "./literals.ts";

/**
 * What the rules ask for, for all accounts of a batch together: a statement for each kind of row, and what takes its rows
 * up. Each row is looked up by itself (LATERAL with a LIMIT), so that the plan is a lookup whatever the tables hold.
 */
export type Loading = { sql: string; take(rows: SqlRow[]): void };

/** `grantsMax`: so many grants were loaded at most. */
export type LoadedAccount = { known: KnownAccount; grantsMax: number };

export type LoadOrder = { of: LoadedAccount; context: OrderContext; load: LoadRequest };

/** One thing that an order asks for. */
type Wanted<Name extends keyof LoadRequest> = Omit<LoadOrder, "load"> & {
  wanted: NonNullable<LoadRequest[Name]>;
};

/**
 * The accounts, locked in the order in which everybody locks them. What else is loaded of them is read by statements after
 * this one: within one, rows would be read as they were before it waited for a lock.
 */
export function loadAccounts(accounts: Map<string, LoadedAccount>, isLocking: boolean): Loading {
  const ids = arrayOf(texts([...accounts.keys()]));
  const lock = isLocking ? "ORDER BY no FOR NO KEY UPDATE" : "";
  return {
    sql: `SELECT no, ${ACCOUNT_COLUMNS} FROM account WHERE id = ANY (${ids}) ${lock}`,
    take(rows) {
      for (const row of rows) {
        const account = accounts.get(row["id"] as string);
        if (account !== undefined) account.known.row = readAccount(row);
      }
    },
  };
}

export function loadingsOf(orders: readonly LoadOrder[]): Loading[] {
  const keys: Wanted<"key">[] = [];
  const grants: Wanted<"grants">[] = [];
  const sums: Wanted<"sum">[] = [];
  const records: Wanted<"earlier">[] = [];
  const debits: Wanted<"debit">[] = [];
  const concerned: Wanted<"concerned">[] = [];
  for (const { of, context, load } of orders) {
    if (load.key !== undefined) keys.push({ of, context, wanted: load.key });
    if (load.grants !== undefined) grants.push({ of, context, wanted: load.grants });
    if (load.sum !== undefined) sums.push({ of, context, wanted: load.sum });
    if (load.earlier !== undefined) records.push({ of, context, wanted: load.earlier });
    if (load.debit !== undefined) debits.push({ of, context, wanted: load.debit });
    if (load.concerned !== undefined) concerned.push({ of, context, wanted: load.concerned });
  }
  const loadings = CONCERNED.map((by) => loadConcerned(concerned, by));
  if (keys.length > 0) loadings.push(loadKeys(keys, "sha256"), loadKeys(keys, "id"));
  if (grants.length > 0) loadings.push(loadGrants(grants));
  if (sums.length > 0) loadings.push(loadSums(sums));
  if (records.length > 0) loadings.push(loadRecords(records));
  if (debits.length > 0) loadings.push(loadDebits(debits));
  return loadings.filter((loading) => loading !== null);
}

const texts = (values: readonly string[]): Column => ({ type: "text", values });
const numbers = (values: readonly number[]): Column => ({ type: "bigint", values });

function loadKeys(all: readonly Wanted<"key">[], column: "sha256" | "id"): Loading | null {
  const asked = all.filter(({ wanted }) => column in wanted);
  if (asked.length === 0) return null;
  const names = new Set(asked.map(({ wanted }) => keyName(wanted)));
  return {
    sql: `SELECT account_no, no, ${KEY_COLUMNS} FROM api_key WHERE ${column} = ANY (${arrayOf(texts([...names]))})`,
    take(rows) {
      const found = new Map(rows.map((row) => [row[column] as string, row]));
      for (const { of, wanted } of asked) {
        const { known } = of;
        const name = keyName(wanted);
        if (known.keys.has(name)) continue;
        const row = found.get(name);
        const isOwn = row !== undefined && row["account_no"] === known.row?.no;
        known.keys.set(name, isOwn ? readKey(row) : null);
      }
    },
  };
}

/** The first ones in burn order, as of the earliest of the orders: they are some milliseconds apart. */
function loadGrants(asked: readonly Wanted<"grants">[]): Loading {
  const accounts = new Set<LoadedAccount>();
  let now = Number.MAX_SAFE_INTEGER;
  let limit = GRANTS_AT_FIRST;
  for (const { of, wanted } of asked) {
    accounts.add(of);
    now = Math.min(now, wanted.now);
    limit = Math.max(limit, of.grantsMax);
  }
  const ids = arrayOf(texts(Array.from(accounts, ({ known }) => known.id)));
  return {
    sql: `SELECT g.* FROM account a CROSS JOIN LATERAL (
        SELECT account_no, no, ${GRANT_COLUMNS} FROM credit_grant
        WHERE account_no = a.no AND spent = 0 AND ${EXPIRY_SQL} > ${literalOf(now)}
        ORDER BY ${EXPIRY_SQL}, granted_at, no LIMIT ${limit}) g
      WHERE a.id = ANY (${ids})`,
    take(rows) {
      const found = Map.groupBy(rows, (row) => row["account_no"]);
      for (const of of accounts) {
        const grants = found.get(of.known.row?.no ?? 0) ?? [];
        of.known.grants = grants.map(readGrant);
        of.known.areAll = grants.length < limit;
        of.known.grantsFrom = now;
        of.grantsMax = limit;
      }
    },
  };
}

/** For rows that are found by the place of what asked for them. */
const placesOf = (asked: readonly Omit<LoadOrder, "load">[]) => ({
  place: numbers(asked.map((_, place) => place)),
  id: texts(asked.map(({ of }) => of.known.id)),
});

function loadSums(asked: readonly Wanted<"sum">[]): Loading {
  const now = numbers(asked.map(({ wanted }) => wanted.now));
  return {
    sql: `SELECT t.place, (SELECT coalesce(sum(remaining), 0)::bigint FROM credit_grant
        WHERE account_no = a.no AND spent = 0 AND ${EXPIRY_SQL} > t.now) AS balance
      FROM ${rowsFrom("t", { ...placesOf(asked), now })} JOIN account a ON a.id = t.id`,
    take(rows) {
      for (const row of rows) {
        const order = asked[row["place"] as number];
        if (order !== undefined) order.context.sum = row["balance"] as number;
      }
    },
  };
}

function loadRecords(asked: readonly Wanted<"earlier">[]): Loading {
  const named = {
    tool: texts(asked.map(({ wanted }) => wanted.tool)),
    key: texts(asked.map(({ wanted }) => wanted.key)),
  };
  return {
    sql: `SELECT t.place, i.* FROM ${rowsFrom("t", { ...placesOf(asked), ...named })}
      JOIN account a ON a.id = t.id CROSS JOIN LATERAL (
        SELECT ${RECORD_COLUMNS} FROM idempotency
        WHERE account_no = a.no AND tool = t.tool AND key = t.key LIMIT 1) i`,
    take(rows) {
      const found = new Map(rows.map((row) => [row["place"], row]));
      for (const [place, { of, wanted }] of asked.entries()) {
        const row = found.get(place);
        const record = row === undefined ? null : readRecord(row);
        of.known.records.set(recordName(wanted.tool, wanted.key), record);
      }
    },
  };
}

/** The bounds are literals: so the days between them alone are looked at and locked, however many there are. */
function loadDebits(asked: readonly Wanted<"debit">[]): Loading {
  const times = asked.map(({ wanted }) => wanted.at);
  const named = { at: numbers(times), call: texts(asked.map(({ wanted }) => wanted.callId)) };
  const [first, last] = [Math.min(...times), Math.max(...times)].map(literalOf);
  return {
    sql: `SELECT t.place, d.* FROM ${rowsFrom("t", { ...placesOf(asked), ...named })}
      JOIN account a ON a.id = t.id CROSS JOIN LATERAL (
        SELECT ${DEBIT_COLUMNS} FROM debit
        WHERE account_no = a.no AND at = t.at AND call_id = t.call AND at BETWEEN ${first} AND ${last} LIMIT 1) d`,
    take(rows) {
      const found = new Map(rows.map((row) => [row["place"], row]));
      for (const [place, { of, wanted }] of asked.entries()) {
        const row = found.get(place);
        const debit = row === undefined ? null : readDebit(row);
        of.known.debits.set(debitName(wanted.at, wanted.callId), debit);
      }
    },
  };
}

const CONCERNED = ["every", "ids", "nos"] as const;
type ConcernedBy = (typeof CONCERNED)[number];

/** The names of grants in one column, with the places of who asked: each as often as it names grants. */
function loadConcerned(all: readonly Wanted<"concerned">[], by: ConcernedBy): Loading | null {
  const asked = all.filter(({ wanted }) => (wanted === "every" ? by === "every" : by in wanted));
  if (asked.length === 0) return null;
  const named = asked.flatMap(({ of, wanted }, place) =>
    namesOf(wanted).map((name) => ({ place, id: of.known.id, name })),
  );
  const columns = {
    place: numbers(named.map(({ place }) => place)),
    id: texts(named.map(({ id }) => id)),
    name: { type: by === "nos" ? "bigint" : "text", values: named.map(({ name }) => name) },
  } satisfies Record<string, Column>;
  const is = { every: "", ids: "AND g.id = t.name", nos: "AND g.no = t.name" }[by];
  return {
    sql: `SELECT t.place, g.no, ${GRANT_COLUMNS.replace(/^|(?<=, )/g, "g.")} FROM ${rowsFrom("t", columns)}
      JOIN account a ON a.id = t.id JOIN credit_grant g ON g.account_no = a.no ${is}`,
    take(rows) {
      const found = Map.groupBy(rows, (row) => row["place"]);
      for (const [place, { context }] of asked.entries()) {
        context.concerned = (found.get(place) ?? []).map(readGrant);
        context.isEveryConcerned = by === "every";
      }
    },
  };
}

function namesOf(concerned: Concerned): readonly (string | number | null)[] {
  if (concerned === "every") return [null];
  return "ids" in concerned ? concerned.ids : concerned.nos;
}
