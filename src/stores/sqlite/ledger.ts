import type { Order, Outcome } from "#ledger/port.ts";
import { isRuleName, type RuleName, type RuleOrders } from "#ledger/rules/rules.ts";
import type { KnownAccount } from "../ledger/known-account.ts";
import {
  isReadName,
  type StoreOperation,
  type SumOrder,
  UNSUMMED_FROM,
} from "../ledger/store-ledger.ts";
import { decide, needsSaved, orderContext } from "../ledger/working-set.ts";
import { type Due, dueGrants, expiredHolds } from "../sql/due-rows.ts";
import type { DebitPeriods } from "./debit-periods.ts";
import type { SqlDriver } from "./driver.ts";
import { createLoader } from "./load.ts";
import { createMaintain, type MaintainParts } from "./maintain.ts";
import { createJournal, createNewDebits, type Journal } from "./new-debits.ts";
import type { SqliteReads } from "./reads.ts";
import { createSaver } from "./save.ts";
import { createUsageSums } from "./usage-sums.ts";

export type SqliteLedgerOptions = {
  /** Called before the first read (`reads.ts`). */
  createReads(driver: SqlDriver): SqliteReads;
  /** Set in a Durable Object, whose database has one account. Debits then need no journal. */
  periods?: DebitPeriods;
  /** Called for each event that is written. */
  onEvent?: () => void;
  /** Called with an account that has made so many debits that they should be summed. */
  onUnsummed?: (account: string) => void;
};

/** The number of accounts that stay in memory between transactions. An account takes 1.2 kB. */
const ACCOUNTS_KEPT_MAX = 30_000;

/**
 * The ledger over a driver, for use inside a transaction: call `begin`, then `perform` for each order, then `finish`. Call `forget`
 * if the transaction was rolled back. Changes are written as late as possible. Accounts stay in memory for the next transaction: no
 * other connection writes to the ledger.
 */
export type SqliteLedger = {
  begin(): void;
  /** `isCareful`: the order may have been carried out before. */
  perform(name: StoreOperation, order: unknown, isCareful: boolean): unknown;
  /** Returns how many debits were appended to the journal. */
  finish(): number;
  forget(): void;
};

/** Reads and writes by statements that it prepares once; the schema must be up to date. */
export function createSqliteLedger(
  driver: SqlDriver,
  { createReads, periods, onEvent = () => {}, onUnsummed = () => {} }: SqliteLedgerOptions,
): SqliteLedger {
  const loader = createLoader(driver);
  const journal = createJournal(driver);
  const newDebits = createNewDebits(driver, journal, periods ?? null);
  const usageSums = createUsageSums(driver);
  const saver = createSaver(driver, newDebits, usageSums, onEvent);
  const accounts = new Map<string, KnownAccount>();
  const onSummed = (account: string) => void accounts.delete(account);
  let reads: SqliteReads | undefined;
  const recordDue = (order: Order<"maintain">) => decideDue(dueGrants(order));
  const others = {
    ...createUpkeep(driver, periods ?? journal, { usageSums, onSummed, recordDue }),
    /** Ends the holds whose holders are silent. */
    expireHolds(order: Order<"expireHolds">): Outcome<"expireHolds"> {
      const { done, isMore } = decideDue(expiredHolds(order));
      return { ended: done, isMore };
    },
    probe: createProbe(driver, periods === undefined ? PROBE_BYTES : 0),
  };
  /** The accounts that the orders of this transaction concern. */
  const used = new Set<KnownAccount>();
  let written = 0;

  function accountOf(id: string): KnownAccount {
    let known = accounts.get(id);
    if (known === undefined) {
      known = loader.account(id);
      // A missing account is not remembered: it may be opened later, and unknown ids could fill the memory.
      if (known.row !== null) accounts.set(id, known);
    }
    used.add(known);
    return known;
  }

  function decideOrder<Name extends RuleName>(
    name: Name,
    order: RuleOrders[Name][0],
    isCareful: boolean,
  ): RuleOrders[Name][1] {
    const known = accountOf(order.account);
    const context = orderContext(name, order, isCareful);
    for (;;) {
      const decided = decide(known, name, order, context);
      if ("outcome" in decided) return decided.outcome;
      if (needsSaved(decided.missing)) {
        saver.save(known);
        written += newDebits.write();
      }
      loader.load(known, context, decided.missing);
    }
  }

  /**
   * The changes of any other order are written at once, so that new rows get their numbers, and the account is read again, also after
   * an order that was rejected: it has loaded rows that later calls do not keep up to date.
   */
  function performRule(name: RuleName, order: { account: string }, isCareful: boolean): unknown {
    if (name === "keyStatus" || name === "debit")
      return decideOrder(name, order as never, isCareful);
    if (name === "hold" || name === "settle" || name === "release" || name === "renew")
      return performHeld(name, order, isCareful);
    save();
    try {
      const outcome = decideOrder(name, order as never, false);
      save();
      return outcome;
    } finally {
      accounts.delete(order.account);
    }
  }

  /** What a call holds is taken as a debit would take it. Only where grants get something back is the account read again. */
  function performHeld(name: RuleName, order: { account: string }, isCareful: boolean): unknown {
    const outcome = decideOrder(name, order as never, isCareful);
    const hasReturned = accounts.get(order.account)?.unsaved?.grants !== undefined;
    if (!hasReturned) return outcome;
    save();
    accounts.delete(order.account);
    return outcome;
  }

  function decideDue<Name extends "recordDue" | "lapse">({ rule, query, read, isDone }: Due<Name>) {
    const { orders, isMore } = read(driver.prepare(query.sql).all(...query.values));
    const isDoneFor = (order: RuleOrders[Name][0]) =>
      isDone(performRule(rule, order, false) as RuleOrders[Name][1]);
    return { done: orders.filter(isDoneFor).length, isMore };
  }

  function save(): void {
    for (const known of used) {
      known.unsummed += known.unsaved?.debits.length ?? 0;
      if (known.unsummed >= UNSUMMED_FROM) {
        known.unsummed = 0;
        onUnsummed(known.id);
      }
      saver.save(known);
      forgetOrders(known);
    }
    used.clear();
    written += newDebits.write();
  }

  function forget(): void {
    accounts.clear();
    used.clear();
    newDebits.forget();
    written = 0;
  }

  return {
    begin: newDebits.begin,
    perform(name, order, isCareful) {
      if (isRuleName(name)) return performRule(name, order as { account: string }, isCareful);
      save();
      if (isReadName(name)) {
        reads ??= createReads(driver);
        return reads[name](order as never);
      }
      const outcome = others[name](order as never);
      // Maintenance may have moved debits.
      newDebits.begin();
      return outcome;
    },
    finish() {
      save();
      if (accounts.size > ACCOUNTS_KEPT_MAX) dropOldest(accounts);
      const journaled = written;
      written = 0;
      return journaled;
    },
    forget,
  };
}

/** Drops a quarter of the accounts, those that were loaded first. */
function dropOldest(accounts: Map<string, KnownAccount>): void {
  let left = accounts.size / 4;
  for (const id of accounts.keys()) {
    if (left-- < 1) return;
    accounts.delete(id);
  }
}

/** Drops what the next transaction does not need, and unknown keys, which could fill the memory. */
function forgetOrders(known: KnownAccount): void {
  known.debits = undefined;
  known.made = undefined;
  known.records = undefined;
  known.holds = undefined;
  known.keptCalls = undefined;
  known.held = undefined;
  known.keptBytes = undefined;
  if (!known.hasUnknownKeys) return;
  known.hasUnknownKeys = false;
  const { callKeys } = known;
  for (const [name, key] of callKeys ?? []) if (key === null) callKeys?.delete(name);
}

/**
 * A probe writes this much, so that it needs as much space in the log and the file as the debits of a small batch. It replaces what the
 * probe before it wrote, so the file does not grow.
 */
const PROBE_BYTES = 32_768;
const PROBE_NAMES: readonly [string, string] = ["probed_at", "probed_at_2"];

function createProbe(driver: SqlDriver, probeBytes: number) {
  const write = driver.prepare(
    "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const remove = driver.prepare("DELETE FROM setting WHERE name = ?");
  let [next, last] = PROBE_NAMES;
  return ({ now }: Order<"probe">): Outcome<"probe"> => {
    // The pages for the new value are taken before those of the old one are given back.
    write.run(next, String(now).padEnd(probeBytes));
    if (probeBytes === 0) return { ready: true };
    remove.run(last);
    [next, last] = [last, next];
    return { ready: true };
  };
}

/** What is done as time passes. */
function createUpkeep(driver: SqlDriver, debits: Journal | DebitPeriods, parts: MaintainParts) {
  const accountNo = driver.prepare("SELECT no FROM account WHERE id = ?");
  return {
    maintain: createMaintain(driver, debits, parts),
    sumUsage({ account, max }: SumOrder): { more: boolean } {
      const no = accountNo.get(account)?.["no"];
      const summed = typeof no === "number" ? parts.usageSums.step(no, max) : null;
      if (summed !== null) parts.onSummed(summed);
      return { more: summed !== null };
    },
  };
}
