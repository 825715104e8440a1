import type { Grant, KeyCalls, Ledger, Order, UsageRow } from "./port.ts";
import { hourOf } from "./port.ts";

/** Reading lists page by page, so that no single query is long. */

/** Yields the pages of a list. `first`: the cursor of the first of them; left out: the list is read from its start. */
export async function* pagesOf<Page extends { next: string | null }>(
  read: (after: string | null) => Promise<Page>,
  first: string | null = null,
): AsyncGenerator<Page> {
  for (let after = first; ; ) {
    const page = await read(after);
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
}

type UsageOrder = Omit<Order<"usage">, "after" | "max">;

/** Yields the usage of an account in pages of at most USAGE_PAGE_ROWS rows. */
export async function* usagePages(
  ledger: Pick<Ledger, "usage">,
  order: UsageOrder,
): AsyncGenerator<readonly UsageRow[]> {
  for (let after: UsageRow | undefined; ; ) {
    const rows = await ledger.usage({ ...order, after: after ?? null, max: USAGE_PAGE_ROWS });
    yield rows;
    if (rows.length < USAGE_PAGE_ROWS) return;
    after = rows.at(-1);
  }
}

/** SQLite reads a page in about 10 ms, during which no other request of its thread runs. */
const USAGE_PAGE_ROWS = 5_000;

/**
 * Sums the usage of each key since the start of the hour that contains `since`. Rejects at once with `UsageNotSummed` if many
 * debits have to be summed first, because pages show it beside something else.
 */
export async function callsByKey(
  ledger: Pick<Ledger, "usage">,
  { account, since }: { account: string; since: number },
): Promise<KeyCalls[]> {
  const sums = new Map<string, KeyCalls>();
  const order = { account, from: hourOf(since), to: Number.MAX_SAFE_INTEGER, isQuick: true };
  for await (const rows of usagePages(ledger, order)) {
    for (const { key, calls, credits } of rows) {
      const sum = sums.get(key) ?? { key, calls: 0, credits: 0 };
      sums.set(key, { key, calls: sum.calls + calls, credits: sum.credits + credits });
    }
  }
  return [...sums.values()];
}

/** Yields all grants of an account in pages: in the order in which they are spent, then spent and expired ones. */
export async function* grantPages(
  ledger: Pick<Ledger, "credits">,
  { account, now }: { account: string; now: number },
): AsyncGenerator<readonly Grant[]> {
  const listed = new Set<string>();
  for await (const page of pagesOf((after) => ledger.credits({ account, now, after }))) {
    // A grant that a call used up since the first page is in both parts of the list.
    const grants = page.grants.filter(({ id }) => !listed.has(id));
    for (const { id } of grants) listed.add(id);
    yield grants;
  }
}

/** Reads all grants of an account. */
export async function everyGrant(
  ledger: Parameters<typeof grantPages>[0],
  order: { account: string; now: number },
): Promise<Grant[]> {
  const all: Grant[] = [];
  for await (const grants of grantPages(ledger, order)) all.push(...grants);
  return all;
}
