import type { Concerned, Needs } from "#ledger/rules/rows.ts";
import { cache } from "../ledger/known-account.ts";
import { DEBIT, GRANT, HOLD, KEPT_CALL, KEY, RECORD } from "../ledger/row-columns.ts";
import type { OrderContext } from "../ledger/working-set.ts";
import { EXPIRY_SQL } from "../sql/grant-sql.ts";
import { HELD_SUMS, heldSumOf } from "../sql/held-sums.ts";
import { DATABASE_CLOCK, type NodeClock } from "./database-clock.ts";
import { arrayOf, literalOf } from "./literals.ts";
import { type Call, loadCallKeys, loadCalls, loadGrants, takeAccounts } from "./load-calls.ts";
import {
  callNames,
  keyNames,
  type LoadedAccount,
  type Loading,
  type LoadOrder,
  lookUp,
  numbers,
  texts,
  type Wanted,
} from "./loading.ts";
import { ACCOUNT_COLUMNS, packed, readAccount, unpack } from "./packed-rows.ts";

/**
 * Loads and locks the accounts, in the order that schema/postgres-ledger.ts requires. Their other rows must be loaded by later
 * statements: the same statement would read them as they were before it waited for the lock.
 */
export function loadAccounts(accounts: Map<string, LoadedAccount>, isLocking: boolean): Loading {
  const ids = arrayOf(texts([...accounts.keys()]));
  const lock = isLocking ? "ORDER BY no FOR NO KEY UPDATE" : "";
  return {
    sql: packed(`SELECT ${ACCOUNT_COLUMNS} FROM account WHERE id = ANY (${ids}) ${lock}`),
    take: (rows) => takeAccounts(accounts, unpack(rows, readAccount)),
  };
}

/** The rows that a rule asks for by the names of `Needs`. Calls get some of them with their accounts, and all orders the clock. */
const LOADERS: {
  [Name in Exclude<keyof Needs, "clock">]-?: (
    asked: readonly Wanted<Name>[],
  ) => Loading | Loading[];
} = {
  key: loadKeys,
  callKey: loadCallKeys,
  newKey: loadOtherKeys,
  grants: loadGrants,
  sum: loadSums,
  concerned: loadConcerned,
  earlier: loadRecords,
  debit: loadDebits,
  debitKey: loadDebitKeys,
  hold: loadHolds,
  held: loadHeld,
  keptCall: loadKeptCalls,
  keptResponse: loadKeptResponses,
  keptBytes: loadKeptBytes,
};

/** Returns the statements that load what the orders need. `callers`: the orders are calls, and their accounts are to be locked and loaded too. */
export function loadingsOf(
  orders: readonly LoadOrder[],
  clock: NodeClock,
  callers?: Map<string, LoadedAccount>,
): Loading[] {
  const calls: Call[] = [];
  const wanted = new Map<keyof typeof LOADERS, object[]>();
  const clocks: { context: OrderContext }[] = [];
  for (const { of, context, load } of orders) {
    const { callKey, grants } = load;
    const isCall = callers !== undefined && callKey !== undefined && grants !== undefined;
    if (isCall) calls.push({ of, callKey, now: context.now });
    if (load.clock ?? (load.earlier !== undefined || load.keptCall !== undefined))
      clocks.push({ context });
    for (const key in load) {
      const name = key as keyof Needs;
      if (name === "clock" || (isCall && (name === "callKey" || name === "grants"))) continue;
      const one = { of, context, wanted: load[name] };
      const asked = wanted.get(name);
      if (asked === undefined) wanted.set(name, [one]);
      else asked.push(one);
    }
  }
  const loadings = callers === undefined ? [] : [loadCalls(callers, calls)];
  if (clocks.length > 0 && clock === "database") loadings.push(loadClock(clocks));
  for (const [name, asked] of wanted) loadings.push(...[LOADERS[name](asked as never)].flat());
  return loadings;
}

function loadKeys(asked: readonly Wanted<"key">[]): Loading {
  return lookUp(
    asked,
    { key: texts(asked.map(({ wanted }) => wanted)) },
    `SELECT no, ${KEY.columns} FROM api_key WHERE id = t.key AND account_no = a.no LIMIT 1`,
    ({ of, wanted }, [row]) => cache.key(of.known, wanted, KEY.find(row)),
  );
}

function loadDebitKeys(asked: readonly Wanted<"debitKey">[]): Loading {
  return lookUp(
    asked,
    { key_no: numbers(asked.map(({ wanted }) => wanted)) },
    `SELECT no, ${KEY.columns} FROM api_key WHERE no = t.key_no LIMIT 1`,
    ({ context }, [row]) => {
      context.debitKey = KEY.find(row) ?? undefined;
    },
  );
}

function loadOtherKeys(asked: readonly Wanted<"newKey">[]): Loading {
  const named = {
    key: texts(asked.map(({ wanted }) => wanted.id)),
    sha256: texts(asked.map(({ wanted }) => wanted.sha256)),
  };
  return lookUp(
    asked,
    named,
    `SELECT 1 FROM api_key k WHERE (k.id = t.key OR k.sha256 = t.sha256 OR k.previous_sha256 = t.sha256)
      AND NOT (k.id = t.key AND k.account_no = a.no) LIMIT 1`,
    ({ context }, [other]) => {
      context.isKeyTaken = other !== undefined;
    },
  );
}

function loadSums(asked: readonly Wanted<"sum">[]): Loading {
  return lookUp(
    asked,
    { now: numbers(asked.map(({ context }) => context.now)) },
    `SELECT coalesce(sum(remaining), 0)::bigint AS balance FROM credit_grant
      WHERE account_no = a.no AND spent = 0 AND ${EXPIRY_SQL} > t.now`,
    ({ context }, [row]) => {
      context.sum = row?.["balance"] as number | undefined;
    },
  );
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

function loadRecords(asked: readonly Wanted<"earlier">[]): Loading {
  return lookUp(
    asked,
    keyNames(asked),
    `SELECT ${RECORD.columns} FROM idempotency WHERE account_no = a.no AND tool = t.tool AND key = t.key LIMIT 1`,
    ({ of, wanted }, [row]) => cache.record(of.known, wanted, RECORD.find(row)),
  );
}

/** The bounds are literals, so that only the partitions between them are planned and locked. */
function loadDebits(asked: readonly Wanted<"debit">[]): Loading {
  const times = asked.map(({ context }) => context.at);
  const [first, last] = [Math.min(...times), Math.max(...times)].map(literalOf);
  return lookUp(
    asked,
    callNames(asked),
    `SELECT ${DEBIT.columns} FROM debit
      WHERE account_no = a.no AND at = t.at AND call_id = t.call AND at BETWEEN ${first} AND ${last} LIMIT 1`,
    ({ of, context }, [row]) => cache.debit(of.known, context, DEBIT.find(row)),
  );
}

type ConcernedBy = "every" | "ids" | "nos";

/** Loads the concerned grants, which orders identify in three ways. */
function loadConcerned(all: readonly Wanted<"concerned">[]): Loading[] {
  const byWay = Map.groupBy(all, ({ wanted }): ConcernedBy => {
    if (wanted === "every") return wanted;
    return "ids" in wanted ? "ids" : "nos";
  });
  return [...byWay].map(([by, asked]) => loadConcernedBy(by, asked));
}

function loadConcernedBy(by: ConcernedBy, asked: readonly Wanted<"concerned">[]): Loading {
  const named = asked.flatMap(({ of, context, wanted }) => {
    context.concerned = [];
    context.isEveryConcerned = by === "every";
    return namesOf(wanted).map((name) => ({ of, context, name }));
  });
  const is = { every: "", ids: "AND id = t.name", nos: "AND no = t.name" }[by];
  return lookUp(
    named,
    { name: { type: by === "nos" ? "bigint" : "text", values: named.map(({ name }) => name) } },
    `SELECT no, ${GRANT.columns} FROM credit_grant WHERE account_no = a.no ${is}`,
    ({ context }, rows) => {
      context.concerned = [...(context.concerned ?? []), ...rows.map(GRANT.read)];
    },
  );
}

function namesOf(concerned: Concerned): readonly (string | number | null)[] {
  if (concerned === "every") return [null];
  return "ids" in concerned ? concerned.ids : concerned.nos;
}

function loadHolds(asked: readonly Wanted<"hold">[]): Loading {
  return lookUp(
    asked,
    callNames(asked),
    `SELECT ${HOLD.columns} FROM hold WHERE account_no = a.no AND at = t.at AND call_id = t.call LIMIT 1`,
    ({ of, context }, [row]) => cache.hold(of.known, context, HOLD.find(row)),
  );
}

/** Once for each account. */
const accountsOf = <Asked extends Pick<Wanted<"hold">, "of" | "context">>(
  asked: readonly Asked[],
) => [...new Map(asked.map((each) => [each.of, each])).values()];

function loadHeld(asked: readonly Wanted<"held">[]): Loading {
  return lookUp(
    accountsOf(asked),
    {},
    `SELECT ${HELD_SUMS} FROM hold WHERE account_no = a.no GROUP BY 1, 2`,
    ({ of }, rows) => {
      of.known.held = rows.map(heldSumOf);
    },
  );
}

function loadKeptBytes(asked: readonly Wanted<"keptBytes">[]): Loading {
  return lookUp(
    accountsOf(asked),
    {},
    "SELECT bytes FROM kept_bytes WHERE account_no = a.no LIMIT 1",
    ({ of }, [row]) => {
      of.known.keptBytes = Number(row?.["bytes"] ?? 0);
    },
  );
}

const keptCall = (columns: string) =>
  `SELECT ${columns} FROM kept_call WHERE account_no = a.no AND tool = t.tool AND key = t.key LIMIT 1`;

function loadKeptCalls(asked: readonly Wanted<"keptCall">[]): Loading {
  return lookUp(asked, keyNames(asked), keptCall(KEPT_CALL.columns), ({ of, wanted }, [row]) =>
    cache.keptCall(of.known, wanted, KEPT_CALL.find(row)),
  );
}

function loadKeptResponses(asked: readonly Wanted<"keptResponse">[]): Loading {
  return lookUp(asked, keyNames(asked), keptCall("response"), ({ context }, [row]) => {
    context.keptResponse = (row?.["response"] ?? null) as string | null;
  });
}
