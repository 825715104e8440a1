import { OrderRejected } from "#ledger/port.ts";
import type { Needs } from "#ledger/rules/rows.ts";
import type { RuleName, RuleOrders } from "#ledger/rules/rules.ts";
import { debitName, debitNamed, KnownAccount } from "../ledger/known-account.ts";
import {
  decide,
  GRANTS_AT_FIRST,
  GRANTS_FACTOR,
  needsSaved,
  type OrderContext,
  orderContext,
} from "../ledger/working-set.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { NodeClock } from "./database-clock.ts";
import { loadAccounts, loadingsOf } from "./load.ts";
import type { LoadedAccount, Loading, LoadOrder } from "./loading.ts";
import type { PostgresSend } from "./pool.ts";
import { type NewEvent, type Saving, savingOf, savingOfEvents } from "./save.ts";

type Order<Name extends RuleName> = RuleOrders[Name][0];
/** The outcome of an order; an error if the order is invalid. */
type Decided<Name extends RuleName> = RuleOrders[Name][1] | Error;

/**
 * Orders of one kind that are decided together. The orders of an account are decided in sequence. An account whose rows are
 * incomplete waits for them, while the others continue.
 */
export type Together<Name extends RuleName> = {
  /** What to load first. */
  loadings: Loading[];
  /** Decides as many orders as the loaded rows allow. Returns what to load next; nothing if all orders are decided. */
  decideLoaded(): LoadOrder[];
  /** The outcomes in the sequence of the orders, complete when nothing is missing. */
  outcomes: Decided<Name>[];
  accounts: KnownAccount[];
  events: NewEvent[];
};

type Waiting<Name extends RuleName> = {
  index: number;
  order: Order<Name>;
  context: OrderContext;
};
type Line<Name extends RuleName> = LoadedAccount & { waiting: Waiting<Name>[]; next: number };

/** `isCareful`: some of the orders may have been carried out before. */
export type How = { isCareful?: boolean; isLocking?: boolean; clock?: NodeClock };

export function openTogether<Name extends RuleName>(
  name: Name,
  orders: readonly Order<Name>[],
  { isCareful = false, isLocking = true, clock = "database" }: How = {},
): Together<Name> {
  const lines = new Map<string, Line<Name>>();
  const first: LoadOrder[] = [];
  orders.forEach((order, index) => {
    const context = orderContext(name, order, isCareful, clock === "database");
    const waiting = { index, order, context };
    let line = lines.get(order.account);
    if (line === undefined) {
      const known = new KnownAccount(order.account, null);
      line = { known, grantsMax: GRANTS_AT_FIRST, waiting: [waiting], next: 0 };
      lines.set(order.account, line);
    } else line.waiting.push(waiting);
    first.push({ of: line, context, load: firstLoad(name, context) });
  });
  const outcomes: Decided<Name>[] = new Array(orders.length);
  const events: NewEvent[] = [];

  function decideLine(line: Line<Name>): LoadOrder[] {
    const { known, waiting } = line;
    for (; line.next < waiting.length; line.next += 1) {
      const { index, order, context } = waiting[line.next] as Waiting<Name>;
      const decided = decideOne(known, name, order, context);
      if ("missing" in decided) {
        const load = decided.missing;
        if (areTooFew(known, load, context)) line.grantsMax *= GRANTS_FACTOR;
        const isRejected = load.debit ?? load.hold ?? false;
        // A call that is rejected for its balance or a budget is told this too, without another round trip.
        if (isRejected && known.held === undefined) load.held = true;
        return [{ of: line, context, load }, ...(isRejected ? looksAfter(line, load) : [])];
      }
      outcomes[index] = decided.outcome;
      const { unsaved } = known;
      if (unsaved === null || unsaved.events.length === 0) continue;
      for (const { at, content } of unsaved.events)
        events.push({ index, account: known, at, content });
      unsaved.events = [];
    }
    return [];
  }

  return {
    loadings:
      name === "debit" || name === "hold" || name === "settle"
        ? loadingsOf(first, clock, lines)
        : [loadAccounts(lines, isLocking), ...loadingsOf(first, clock)],
    decideLoaded() {
      const missing: LoadOrder[] = [];
      for (const line of lines.values()) for (const each of decideLine(line)) missing.push(each);
      return missing;
    },
    outcomes,
    accounts: [...lines.values()].map(({ known }) => known),
    events,
  };
}

/** If one order has to be looked up because it is rejected, the orders after it are likely to be rejected too. */
function looksAfter<Name extends RuleName>(line: Line<Name>, asked: Needs): LoadOrder[] {
  return line.waiting.slice(line.next + 1).flatMap(({ context }) => {
    const { at, callId } = context;
    const load: Needs = {};
    if (asked.debit && debitNamed(line.known, at, callId) === undefined) load.debit = true;
    if (asked.hold && !line.known.holds?.has(debitName(at, callId))) load.hold = true;
    return (load.debit ?? load.hold) ? [{ of: line, context, load }] : [];
  });
}

function decideOne<Name extends RuleName>(
  known: KnownAccount,
  name: Name,
  order: Order<Name>,
  context: OrderContext,
): { outcome: Decided<Name> } | { missing: Needs } {
  try {
    return decide(known, name, order, context);
  } catch (error) {
    if (error instanceof OrderRejected) return { outcome: error };
    throw error;
  }
}

/** Whether more grants are needed because too few were loaded, and not because the order is older than the loaded grants. */
const areTooFew = (known: KnownAccount, { grants }: Needs, { now }: OrderContext) =>
  grants !== undefined && known.grants !== undefined && now >= known.grantsFrom;

/** What the rule is likely to ask for next is loaded in the same round trip. */
function firstLoad(name: RuleName, { needs }: OrderContext): Needs {
  const load = { ...needs };
  if (name === "keyStatus") load.held = true;
  if (load.keptCall !== undefined) load.keptBytes = true;
  return load;
}

/** Decides orders in one transaction: locks and loads in one round trip, and saves and commits in another one. */
export async function decideTogether<Name extends RuleName>(
  send: PostgresSend,
  name: Name,
  orders: readonly Order<Name>[],
  how: How = {},
): Promise<Decided<Name>[]> {
  const together = openTogether(name, orders, how);
  let { loadings } = together;
  let saving: Saving = { statements: [], copy: undefined };
  for (;;) {
    const { statements, copy } = saving;
    const all = [...statements, ...loadings.map(({ sql }) => sql)];
    const rows = (await send({ statements: all, copy })).slice(statements.length);
    takeAll(loadings, rows);
    const missing = together.decideLoaded();
    if (missing.length === 0) break;
    const stale = staleOf(missing);
    saving = savingOf(stale);
    for (const known of stale) known.unsaved = null;
    loadings = loadingsOf(missing, how.clock ?? "database");
  }
  const { statements, copy } = savingOf(together.accounts);
  const all = [...statements, ...savingOfEvents(together.events)];
  await send({ statements: all, copy, isLast: true });
  return together.outcomes;
}

export function takeAll(loadings: readonly Loading[], rows: readonly SqlRow[][]): void {
  for (const [index, { take }] of loadings.entries()) take(rows[index] ?? []);
}

/** The accounts whose grants are read again. Their changes must be saved before that. */
const staleOf = (missing: readonly LoadOrder[]): KnownAccount[] =>
  missing.filter(({ load }) => needsSaved(load)).map(({ of }) => of.known);
