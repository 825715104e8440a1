import { inReadTurn, type ReadTurns } from "#accounts/read-turns.ts";
import { slugOf } from "#brand.ts";
import { callOfEntry, ENTRY_KINDS, type EntriesOrder, hasGaps } from "#ledger/entries.ts";
import type { Ledger } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { DashboardError } from "./dashboard-error.ts";
import { csv, csvCell, download } from "./export.ts";
import { json, type RequestContext, readAsMember } from "./request-context.ts";
import type { BalancedEntryView, EntriesView } from "./shapes.ts";
import { dayOf, readDay, readPage } from "./usage.ts";

/** The ledger of an account: its entries with filters and the balance after each, as pages and as a file. */

const ENTRIES_A_PAGE = 50;
/** How many pages of the ledger one request looks at for a page of entries that match. */
const PAGES_SEARCHED = 8;

type Filters = Pick<EntriesOrder, "account" | "now" | "until" | "filter">;
type Reading = Pick<Ledger, "entries">;

export async function listEntries(context: RequestContext): Promise<Response> {
  const { ledger } = context.deps.accountDeps;
  const after = context.url.searchParams.get("after");
  const [, view] = await readAsMember(context, async ({ account }) => {
    const filters = readFilters(context, account);
    return readPage("entries", () => findEntries(ledger, filters, after, ENTRIES_A_PAGE));
  });
  return json(view);
}

async function findEntries(
  ledger: Reading,
  filters: Filters,
  after: string | null,
  max: number,
): Promise<EntriesView> {
  const found: BalancedEntryView[] = [];
  let next = after;
  for (let pages = 0; pages < PAGES_SEARCHED; pages += 1) {
    const order = { ...filters, after: next, max: max - found.length, withBalances: true };
    const page = await ledger.entries(order);
    found.push(...page.entries.map((entry) => ({ ...entry, balance: entry.balance ?? null })));
    next = page.next;
    if (next === null || found.length === max) break;
  }
  return {
    entries: found,
    next,
    searchedTo: next === null || found.length === max ? null : Number(next.split(":")[1]),
  };
}

function readFilters(context: RequestContext, account: string): Filters {
  const { searchParams } = context.url;
  const timeOf = (name: string) => (searchParams.get(name) ? readDay(context, name) : null);
  const textOf = (name: string) => searchParams.get(name) || null;
  const to = timeOf("to");
  const kinds = textOf("kind")?.split(",") ?? null;
  const known = kinds && ENTRY_KINDS.filter((kind) => kinds.includes(kind));
  if (known?.length !== kinds?.length)
    throw new DashboardError(
      "invalid_request",
      `\`kind\` must be one or more of ${ENTRY_KINDS.join(", ")}, separated by commas.`,
    );
  return {
    account,
    now: context.now,
    until: to === null ? null : to + DAY_MS,
    filter: { kinds: known, tool: textOf("tool"), key: textOf("key"), from: timeOf("from") },
  };
}

/** As many entries as spreadsheets open with ease. A shorter period has the rest. */
const ENTRIES_MAX = 200_000;
const ENTRIES_AT_ONCE = 500;
/** Each balance of a filtered page is a query of its own. */
const FILTERED_AT_ONCE = 100;

/** The same entries as a file, newest first. The page shows them too, so it needs no fresh proof. */
export async function exportLedger(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const { ledger } = deps.accountDeps;
  const [{ account }, { filters, keys }] = await readAsMember(context, async ({ account }) => ({
    filters: readFilters(context, account),
    keys: await ledger.listKeys({ account }),
  }));
  const labels = new Map(keys.map(({ id, label }) => [id, label]));
  const name = `${slugOf(deps.settings.name)}-ledger-${dayOf(now)}`;
  const pages = entryPages(ledger, deps.readTurns, filters);
  const table = csv(COLUMNS, pages, ({ entries }) =>
    entries.flatMap((entry) => csvRows(account, entry, (key) => labels.get(key) ?? "")),
  );
  return download(context, account, name, "csv", table);
}

const COLUMNS = "time_utc,kind,credits,balance,calls,tool,key_id,key_label,grant,id,call_id";

async function* entryPages(
  ledger: Reading,
  turns: ReadTurns,
  filters: Filters,
): AsyncGenerator<EntriesView> {
  const max = hasGaps(filters.filter) ? FILTERED_AT_ONCE : ENTRIES_AT_ONCE;
  let after: string | null = null;
  for (let entries = 0; entries < ENTRIES_MAX; ) {
    const page = await inReadTurn(turns, filters.account, () =>
      findEntries(ledger, filters, after, Math.min(max, ENTRIES_MAX - entries)),
    );
    entries += page.entries.length;
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
}

/**
 * A row for each grant that paid or got a part, so that sums by grant are right. The number of calls is in the first of them alone, so that
 * its sum is right too. Numbers stay numbers, which begin with a minus; only text can be a formula.
 */
function csvRows(
  account: string,
  entry: BalancedEntryView,
  labelOf: (key: string) => string,
): string[][] {
  const { id, at, kind, credits, balance, calls, tool, key, grant, parts } = entry;
  const callId = callOfEntry(account, id);
  return (parts ?? [{ grant, credits }]).map((part, index) => {
    const values = [part.credits, balance, index === 0 ? calls : null];
    const numbers = values.map((value) => (value === null ? "" : String(value)));
    const label = key === null ? null : labelOf(key);
    const names = [tool, key, label, part.grant?.kind ?? null, id, callId];
    return [new Date(at).toISOString(), kind, ...numbers, ...names.map(csvCell)];
  });
}
