import { type KeyCalls, type Ledger, OrderRejected, UsageNotSummed } from "#ledger/port.ts";
import { callsByKey, usagePages } from "#ledger/read-pages.ts";
import { DAY_MS, USAGE_DAYS_MAX } from "#limits.ts";
import { DashboardError } from "./dashboard-error.ts";
import { json, type RequestContext, readAsMember } from "./request-context.ts";
import type { CreditsView, UsageView } from "./shapes.ts";

/** Balance and usage of an account. Every number comes from the ledger. */
const GRANTS_A_PAGE = 50;
/** Rows in one response, of about 90 bytes each. */
const DAY_ROWS_MAX = 50_000;
/** Rows of hours that are read for one response: those of 25 keys that call five tools in every hour of a year are a million. */
const HOUR_ROWS_MAX = 1_000_000;

/** The calls of each key since the start of an hour; null while there are too many calls that are not added up yet. */
export async function recentCalls(
  ledger: Pick<Ledger, "usage">,
  account: string,
  since: number,
): Promise<KeyCalls[] | null> {
  return unlessNotSummed(callsByKey(ledger, { account, since }));
}

/** Null while there are too many calls that are not added up yet. */
export async function unlessNotSummed<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof UsageNotSummed) return null;
    throw error;
  }
}

/** The balance, and a page of the grants. */
export async function showCredits(context: RequestContext): Promise<Response> {
  const [, view] = await readAsMember(context, ({ account }) => readCredits(context, account));
  return json(view satisfies CreditsView);
}

async function readCredits(context: RequestContext, account: string) {
  const { url, now } = context;
  const { ledger } = context.deps.accountDeps;
  const after = url.searchParams.get("after");
  return readPage("grants", async () => {
    let page = await ledger.credits({ account, now, after, max: GRANTS_A_PAGE });
    // A page may be empty although more follow, where an account has thousands of grants that are not spent.
    for (let tries = 0; page.grants.length === 0 && page.next !== null && tries < 20; tries += 1)
      page = await ledger.credits({ account, now, after: page.next, max: GRANTS_A_PAGE });
    const { hasGrants: _, ...view } = page;
    return view;
  });
}

/** `what`: of which the list is. The ledger rejects what is no cursor of it. */
export async function readPage<View>(what: string, read: () => Promise<View>): Promise<View> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof OrderRejected)) throw error;
    throw new DashboardError(
      "invalid_request",
      `This page of ${what} does not exist. Start again at the first page.`,
    );
  }
}

export async function showUsage(context: RequestContext): Promise<Response> {
  const [, view] = await readAsMember(context, ({ account }) => readUsage(context, account));
  return json(view);
}

async function readUsage(context: RequestContext, account: string): Promise<UsageView> {
  const { ledger } = context.deps.accountDeps;
  const from = readDay(context, "from");
  const to = readDay(context, "to");
  if (from > to || to - from >= USAGE_DAYS_MAX * DAY_MS) {
    throw new DashboardError(
      "invalid_request",
      `Choose a range of at most ${USAGE_DAYS_MAX} days, including the first and the last day.`,
    );
  }
  const [rows, keys] = await Promise.all([
    usageByDay(ledger, account, from, to + DAY_MS),
    ledger.listKeys({ account }),
  ]);
  return {
    from: dayOf(from),
    to: dayOf(to),
    rows,
    keys: keys.map(({ id, label, start, revokedAt }) => ({ id, label, start, revokedAt })),
    totals: {
      calls: rows.reduce((sum, row) => sum + row.calls, 0),
      credits: rows.reduce((sum, row) => sum + row.credits, 0),
    },
  };
}

async function usageByDay(
  ledger: Pick<Ledger, "usage">,
  account: string,
  from: number,
  to: number,
): Promise<UsageView["rows"]> {
  const sums = new Map<string, UsageView["rows"][number]>();
  let read = 0;
  for await (const hours of usagePages(ledger, { account, from, to })) {
    read += hours.length;
    for (const { hour, tool, key, calls, credits } of hours) {
      const day = dayOf(hour);
      const name = `${day} ${tool} ${key}`;
      const sum = sums.get(name) ?? { day, tool, key, calls: 0, credits: 0 };
      sum.calls += calls;
      sum.credits += credits;
      sums.set(name, sum);
    }
    if (sums.size > DAY_ROWS_MAX || read > HOUR_ROWS_MAX) {
      throw new DashboardError(
        "invalid_request",
        "This period has too many combinations of day, key and tool for one response. Choose a shorter period.",
      );
    }
  }
  return [...sums.values()];
}

export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Reads a day such as `2026-11-21`; returns its first millisecond in UTC. */
export function readDay({ url }: RequestContext, name: string): number {
  const text = url.searchParams.get(name) ?? "";
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Some engines parse 2026-02-30 as a day in March.
  if (!Number.isNaN(at) && dayOf(at) === text) return at;
  throw new DashboardError("invalid_request", `\`${name}\` must be a date such as 2026-11-21.`);
}
