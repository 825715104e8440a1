import type { Concerned } from "#ledger/rules/rows.ts";
import { cache } from "../ledger/known-account.ts";
import {
  DEBIT_COLUMNS,
  GRANT_COLUMNS,
  KEY_COLUMNS,
  RECORD_COLUMNS,
  readDebit,
  readGrant,
  readKey,
  readRecord,
} from "../ledger/row-columns.ts";
import type { OrderContext } from "../ledger/working-set.ts";
import { EXPIRY_SQL } from "../sql/grant-sql.ts";
import { DATABASE_CLOCK, type NodeClock } from "./database-clock.ts";
import { arrayOf, type Column, literalOf, rowsFrom } from "./literals.ts";
import { type Call, loadCallKeys, loadCalls, loadGrants, takeAccounts } from "./load-calls.ts";
import {
  loadHeldCredits,
  loadHolds,
  loadKeptBytes,
  loadKeptCalls,
  loadKeptResponses,
} from "./load-holds.ts";
import {
  callNames,
  keyNames,
  type LoadedAccount,
  type Loading,
  type LoadOrder,
  lookUp,
  numbers,
  placesOf,
  texts,
  type Wanted,
} from "./loading.ts";
import { ACCOUNT, packed, readAccount, unpack } from "./packed-rows.ts";

/**
 * Loads and locks the accounts, in the order that schema/postgres-ledger.ts requires. Their other rows must be loaded by later
 * statements: the same statement would read them as they were before it waited for the lock.
 */
export function loadAccounts(accounts: Map<string, LoadedAccount>, isLocking: boolean): Loading {
  const ids = arrayOf(texts([...accounts.keys()]));
  const lock = isLocking ? "ORDER BY no FOR NO KEY UPDATE" : "";
  return {
    sql: packed(`SELECT ${ACCOUNT} FROM account WHERE id = ANY (${ids}) ${lock}`),
    take: (rows) => takeAccounts(accounts, unpack(rows, readAccount)),
  };
}

/** Returns the statements that load what the orders need. `callers`: the orders are calls, and their accounts are to be locked and loaded too. */
export function loadingsOf(
  orders: readonly LoadOrder[],
  clock: NodeClock,
  callers?: Map<string, LoadedAccount>,
): Loading[] {
  const calls: Call[] = [];
  const keys: Wanted<"key">[] = [];
  const callKeys: Wanted<"callKey">[] = [];
  const newKeys: Wanted<"newKey">[] = [];
  const grants: Wanted<"grants">[] = [];
  const sums: Wanted<"sum">[] = [];
  const records: Wanted<"earlier">[] = [];
  const clocks: { context: OrderContext }[] = [];
  const debits: Wanted<"debit">[] = [];
  const debitKeys: Wanted<"debitKey">[] = [];
  const concerned: Wanted<"concerned">[] = [];
  const holds: Wanted<"hold">[] = [];
  const heldCredits: Wanted<"heldCredits">[] = [];
  const keptCalls: Wanted<"keptCall">[] = [];
  const keptResponses: Wanted<"keptResponse">[] = [];
  const keptBytes: Wanted<"keptBytes">[] = [];
  for (const { of, context, load } of orders) {
    const { key, callKey } = load;
    if (callers !== undefined && callKey !== undefined && load.grants !== undefined) {
      calls.push({ of, callKey, now: context.now });
    } else {
      if (callKey !== undefined) callKeys.push({ of, context, wanted: callKey });
      if (load.grants !== undefined) grants.push({ of, context, wanted: load.grants });
    }
    if (key !== undefined) keys.push({ of, context, wanted: key });
    if (load.newKey !== undefined) newKeys.push({ of, context, wanted: load.newKey });
    if (load.sum) sums.push({ of, context, wanted: true });
    if (load.earlier !== undefined) records.push({ of, context, wanted: load.earlier });
    if (load.clock ?? (load.earlier !== undefined || load.keptCall !== undefined))
      clocks.push({ context });
    if (load.debit) debits.push({ of, context, wanted: true });
    if (load.debitKey !== undefined) debitKeys.push({ of, context, wanted: load.debitKey });
    if (load.concerned !== undefined) concerned.push({ of, context, wanted: load.concerned });
    if (load.hold) holds.push({ of, context, wanted: true });
    if (load.heldCredits) heldCredits.push({ of, context, wanted: true });
    if (load.keptCall !== undefined) keptCalls.push({ of, context, wanted: load.keptCall });
    if (load.keptResponse !== undefined)
      keptResponses.push({ of, context, wanted: load.keptResponse });
    if (load.keptBytes) keptBytes.push({ of, context, wanted: true });
  }
  const loadings = CONCERNED.map((by) => loadConcerned(concerned, by));
  if (callers !== undefined) loadings.push(loadCalls(callers, calls));
  if (keys.length > 0) loadings.push(loadKeys(keys));
  if (callKeys.length > 0) loadings.push(loadCallKeys(callKeys));
  if (newKeys.length > 0) loadings.push(loadOtherKeys(newKeys));
  if (grants.length > 0) loadings.push(loadGrants(grants));
  if (sums.length > 0) loadings.push(loadSums(sums));
  if (records.length > 0) loadings.push(loadRecords(records));
  if (clocks.length > 0 && clock === "database") loadings.push(loadClock(clocks));
  if (debits.length > 0) loadings.push(loadDebits(debits));
  if (debitKeys.length > 0) loadings.push(loadDebitKeys(debitKeys));
  if (holds.length > 0) loadings.push(loadHolds(holds));
  if (heldCredits.length > 0) loadings.push(loadHeldCredits(heldCredits));
  if (keptCalls.length > 0) loadings.push(loadKeptCalls(keptCalls));
  if (keptResponses.length > 0) loadings.push(loadKeptResponses(keptResponses));
  if (keptBytes.length > 0) loadings.push(loadKeptBytes(keptBytes));
  return loadings.filter((loading) => loading !== null);
}

function loadKeys(asked: readonly Wanted<"key">[]): Loading {
  const ids = arrayOf(texts(asked.map(({ wanted }) => wanted)));
  return {
    sql: `SELECT account_no, no, ${KEY_COLUMNS} FROM api_key WHERE id = ANY (${ids})`,
    take(rows) {
      const byId = new Map(rows.map((row) => [row["id"], row]));
      for (const { of, wanted } of asked) {
        const row = byId.get(wanted);
        const isOwn = row !== undefined && row["account_no"] === of.known.row?.no;
        cache.key(of.known, wanted, isOwn ? readKey(row) : null);
      }
    },
  };
}

function loadDebitKeys(asked: readonly Wanted<"debitKey">[]): Loading {
  const nos = asked.map(({ wanted }) => literalOf(wanted)).join(", ");
  return {
    sql: `SELECT no, ${KEY_COLUMNS} FROM api_key WHERE no IN (${nos})`,
    take(rows) {
      const byNo = new Map(rows.map((row) => [row["no"], readKey(row)]));
      for (const { context, wanted } of asked) context.debitKey = byNo.get(wanted);
    },
  };
}

function loadOtherKeys(asked: readonly Wanted<"newKey">[]): Loading {
  const named = {
    key: texts(asked.map(({ wanted }) => wanted.id)),
    sha256: texts(asked.map(({ wanted }) => wanted.sha256)),
  };
  return {
    sql: `SELECT t.place FROM ${rowsFrom("t", { ...placesOf(asked), ...named })}
      JOIN account a ON a.id = t.id WHERE EXISTS (SELECT 1 FROM api_key k
        WHERE (k.id = t.key OR k.sha256 = t.sha256 OR k.previous_sha256 = t.sha256) AND NOT (k.id = t.key AND k.account_no = a.no))`,
    take(rows) {
      const taken = new Set(rows.map((row) => row["place"]));
      for (const [place, { context }] of asked.entries()) context.isKeyTaken = taken.has(place);
    },
  };
}

function loadSums(asked: readonly Wanted<"sum">[]): Loading {
  const now = numbers(asked.map(({ context }) => context.now));
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

/**
 * Idempotency records are made and kept, and the days of budgets bounded, by the database's clock, because the nodes have clocks of their
 * own.
 */
function loadClock(asked: readonly { context: OrderContext }[]): Loading {
  return {
    sql: DATABASE_CLOCK,
    take([row]) {
      for (const { context } of asked) context.clock = row?.["clock"] as number;
    },
  };
}

const loadRecords = (asked: readonly Wanted<"earlier">[]): Loading =>
  lookUp(
    asked,
    keyNames(asked),
    `SELECT ${RECORD_COLUMNS} FROM idempotency WHERE account_no = a.no AND tool = t.tool AND key = t.key`,
    ({ of, wanted }, row) =>
      cache.record(of.known, wanted, row === undefined ? null : readRecord(row)),
  );

/** The bounds are literals, so that only the partitions between them are planned and locked. */
function loadDebits(asked: readonly Wanted<"debit">[]): Loading {
  const times = asked.map(({ context }) => context.at);
  const [first, last] = [Math.min(...times), Math.max(...times)].map(literalOf);
  return lookUp(
    asked,
    callNames(asked),
    `SELECT ${DEBIT_COLUMNS} FROM debit
      WHERE account_no = a.no AND at = t.at AND call_id = t.call AND at BETWEEN ${first} AND ${last}`,
    ({ of, context }, row) =>
      cache.debit(of.known, context, row === undefined ? null : readDebit(row)),
  );
}

const CONCERNED = ["every", "ids", "nos"] as const;
type ConcernedBy = (typeof CONCERNED)[number];

/** Loads the concerned grants of the orders that identify them in this way. */
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
      const byPlace = Map.groupBy(rows, (row) => row["place"]);
      for (const [place, { context }] of asked.entries()) {
        context.concerned = (byPlace.get(place) ?? []).map(readGrant);
        context.isEveryConcerned = by === "every";
      }
    },
  };
}

function namesOf(concerned: Concerned): readonly (string | number | null)[] {
  if (concerned === "every") return [null];
  return "ids" in concerned ? concerned.ids : concerned.nos;
}
