import { parseEventId } from "#ledger/events.ts";
import type { DebitOrder, LedgerOperation, LedgerOperations } from "#ledger/port.ts";
import { isRuleName, type RuleName, type RuleOrders } from "#ledger/rules/rules.ts";
import {
  decide,
  type KnownAccount,
  type LoadRequest,
  orderContext,
} from "#stores/ledger/working-set.ts";
import type { SqlDriver } from "./driver.ts";
import { createJournal } from "./journal.ts";
import { createLoader } from "./load.ts";
import { createMaintain } from "./maintain.ts";
import { createSqliteReads } from "./reads.ts";
import { createSaver } from "./save.ts";

type Order<Name extends LedgerOperation> = LedgerOperations[Name][0];
type Outcome<Name extends LedgerOperation> = LedgerOperations[Name][1];

export type SqliteLedgerOptions = {
  /** Nobody else writes to the database, so what was read is kept from one debit to the next. */
  isAlone?: boolean;
  /** Debits are appended to the journal, because many accounts share the file. */
  hasJournal?: boolean;
  /** Called for each event that is written. */
  onEvent?: () => void;
};

/**
 * The ledger over a driver, for use inside a transaction: before the transaction ends, `finish` must be called; when it was
 * rolled back, `forget`. What an order has read is kept for the next one, and changes are written as late as they can be.
 */
export type SqliteLedger = {
  /** `isCareful`: the order may have been carried out before. */
  perform(name: LedgerOperation, order: unknown, isCareful: boolean): unknown;
  /** Returns how many debits were written. */
  finish(): number;
  forget(): void;
};

export function createSqliteLedger(
  driver: SqlDriver,
  { isAlone = false, hasJournal = !isAlone, onEvent = () => {} }: SqliteLedgerOptions = {},
): SqliteLedger {
  const loader = createLoader(driver);
  const saver = createSaver(driver, hasJournal ? "debit_journal" : "debit_by_account", onEvent);
  const journal = createJournal(driver);
  const others = { ...createSqliteReads(driver), ...createOthers(driver, journal, decideDue) };
  const accounts = new Map<string, KnownAccount>();
  const touched = new Set<KnownAccount>();
  let drainedUntil: number | null = null;
  let written = 0;

  function accountOf(id: string): KnownAccount {
    let known = accounts.get(id);
    if (known === undefined) {
      known = loader.account(id);
      // An account that is not there may come later, and strangers could fill a memory with such.
      if (known.row !== null) accounts.set(id, known);
    }
    return known;
  }

  function decideOrder<Name extends RuleName>(
    name: Name,
    order: RuleOrders[Name][0],
    isCareful: boolean,
  ): RuleOrders[Name][1] {
    const known = accountOf(order.account);
    const context = orderContext(isCareful);
    for (;;) {
      const decided = decide(known, name, order, context);
      if ("outcome" in decided) {
        if (isWriting(known)) touched.add(known);
        return decided.outcome;
      }
      if (mustSaveBefore(decided.load) && touched.delete(known)) saver.save(known, true);
      loader.load(known, context, decided.load);
    }
  }

  /** Whatever is not a debit is written at once, so that numbers are given, and what was read is read anew. */
  function performRule(name: RuleName, order: { account: string }, isCareful: boolean): unknown {
    if (name === "keyStatus") return decideOrder(name, order as never, false);
    if (name === "debit") return debit(order as DebitOrder, isCareful);
    flush();
    const outcome = decideOrder(name, order as never, false);
    for (const known of touched) saver.save(known, false);
    written += saver.saveDebits();
    forget();
    return outcome;
  }

  function debit(order: DebitOrder, isCareful: boolean) {
    if (hasJournal) drainedUntil ??= journal.drainedUntil();
    const mayBeMoved = drainedUntil !== null && order.now <= drainedUntil;
    return decideOrder("debit", order, isCareful || mayBeMoved);
  }

  function decideDue(order: RuleOrders["recordDue"][0]): boolean {
    return (performRule("recordDue", order, false) as { recorded: boolean }).recorded;
  }

  function save(): void {
    for (const known of touched) saver.save(known, true);
    touched.clear();
    written += saver.saveDebits();
  }

  /** Writes what was changed and forgets what was read. */
  function flush(): void {
    save();
    forget();
  }

  function forget(): void {
    accounts.clear();
    touched.clear();
    saver.forget();
    drainedUntil = null;
  }

  return {
    perform(name, order, isCareful) {
      if (isRuleName(name)) return performRule(name, order as { account: string }, isCareful);
      flush();
      return others[name](order as never);
    },
    finish() {
      if (isAlone) keep();
      else flush();
      const count = written;
      written = 0;
      return count;
    },
    forget,
  };

  /** Writes, and keeps what stays true while nobody else writes. */
  function keep(): void {
    save();
    for (const known of accounts.values()) {
      known.debits.clear();
      known.records.clear();
      for (const [name, key] of known.keys) if (key === null) known.keys.delete(name);
    }
  }
}

const isWriting = ({ unsaved: { account, keys, grants, debits, reversed } }: KnownAccount) =>
  account !== null || keys.size + grants.size + debits.length + reversed.length > 0;

/** What is read from the tables of grants must be there. */
const mustSaveBefore = ({ sum, grants, concerned }: LoadRequest) =>
  sum !== undefined || grants !== undefined || concerned !== undefined;

/** The operations that no rule decides. */
function createOthers(
  driver: SqlDriver,
  journal: ReturnType<typeof createJournal>,
  decideDue: (order: RuleOrders["recordDue"][0]) => boolean,
) {
  const due = driver.prepare(
    `SELECT g.no, a.id AS account FROM credit_grant g JOIN account a ON a.no = g.account_no
     WHERE event_due_at <= ? ORDER BY event_due_at, g.no LIMIT ?`,
  );
  const deleteEvent = driver.prepare(
    "DELETE FROM event WHERE no = ? AND at = ? AND account_no = (SELECT no FROM account WHERE id = ?)",
  );
  const probe = driver.prepare(
    "INSERT INTO setting (name, value) VALUES ('probed_at', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  return {
    recordExpiries({ now, max }: Order<"recordExpiries">): Outcome<"recordExpiries"> {
      const rows = due.all(now, max + 1);
      let noticed = 0;
      for (const row of rows.slice(0, max)) {
        const order = { account: row["account"] as string, grantNo: row["no"] as number, now };
        if (decideDue(order)) noticed += 1;
      }
      return { noticed, more: rows.length > max };
    },
    deleteEvents({ ids }: Order<"deleteEvents">): Outcome<"deleteEvents"> {
      let settled = 0;
      for (const id of ids) {
        const place = parseEventId(id);
        if (place !== null)
          settled += deleteEvent.run(place.no, place.at, place.account) > 0 ? 1 : 0;
      }
      return { settled };
    },
    maintain: createMaintain(driver, journal),
    probe({ now }: Order<"probe">): Outcome<"probe"> {
      probe.run(String(now));
      return { ready: true };
    },
  };
}
