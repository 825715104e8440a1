import { OrderRefused, type UsageRow } from "#ledger/port.ts";
import { DAY_MS, USAGE_DAYS_MAX } from "#limits.ts";
import { PeopleFault } from "./dashboard-error.ts";
import { json, requireMember, type Visit } from "./request-context.ts";
import type { CreditsView, EntriesView, HomeView, UsageView } from "./shapes.ts";

/** What an account has and has used: every figure comes from the ledger, none is counted beside it. */
const ENTRIES_A_PAGE = 50;

export async function showHome(visit: Visit): Promise<Response> {
  const { account, status } = await requireMember(visit);
  const { house, now } = visit;
  const { ledger } = house.desk;
  const midnight = now - (now % DAY_MS);
  const [{ balance, grants }, keys, used] = await Promise.all([
    ledger.credits({ account, now }),
    ledger.listKeys({ account }),
    ledger.recentCalls({ account, from: midnight }),
  ]);
  const next = grants.find(
    ({ remaining, expiresAt }) => remaining > 0 && expiresAt !== null && now < expiresAt,
  );
  const view: HomeView = {
    balance,
    freeCall: status.freeCall === "open",
    today: {
      calls: used.reduce((sum, row) => sum + row.calls, 0),
      credits: used.reduce((sum, row) => sum + row.credits, 0),
    },
    keys: keys.filter(({ revokedAt }) => revokedAt === null).length,
    nextExpiry:
      next === undefined ? null : { credits: next.remaining, at: next.expiresAt as number },
  };
  return json(view);
}

export async function showCredits(visit: Visit): Promise<Response> {
  const { account } = await requireMember(visit);
  const view: CreditsView = await visit.house.desk.ledger.credits({ account, now: visit.now });
  return json(view);
}

export async function listEntries(visit: Visit): Promise<Response> {
  const { account } = await requireMember(visit);
  const after = visit.url.searchParams.get("after");
  const order = { account, after, max: ENTRIES_A_PAGE, now: visit.now };
  try {
    const view: EntriesView = await visit.house.desk.ledger.entries(order);
    return json(view);
  } catch (error) {
    if (!(error instanceof OrderRefused)) throw error;
    throw new PeopleFault(
      "invalid_request",
      "There is no such page of entries. Start at the first.",
    );
  }
}

export async function showUsage(visit: Visit): Promise<Response> {
  const { account } = await requireMember(visit);
  const { ledger } = visit.house.desk;
  const from = readDay(visit, "from");
  const to = readDay(visit, "to");
  if (from > to || to - from >= USAGE_DAYS_MAX * DAY_MS) {
    throw new PeopleFault(
      "invalid_request",
      `Choose a first and a last day, at most ${USAGE_DAYS_MAX} days in all.`,
    );
  }
  const rows = sumByDay(await ledger.usage({ account, from, to: to + DAY_MS }));
  const keys = await ledger.listKeys({ account });
  const view: UsageView = {
    from: dayOf(from),
    to: dayOf(to),
    rows,
    keys: keys.map(({ id, label, start, revokedAt }) => ({ id, label, start, revokedAt })),
    totals: {
      calls: rows.reduce((sum, row) => sum + row.calls, 0),
      credits: rows.reduce((sum, row) => sum + row.credits, 0),
    },
  };
  return json(view);
}

function sumByDay(hours: UsageRow[]): UsageView["rows"] {
  const sums = new Map<string, UsageView["rows"][number]>();
  for (const { hour, tool, key, calls, credits } of hours) {
    const day = dayOf(hour);
    const name = `${day} ${tool} ${key}`;
    const sum = sums.get(name) ?? { day, tool, key, calls: 0, credits: 0 };
    sum.calls += calls;
    sum.credits += credits;
    sums.set(name, sum);
  }
  return [...sums.values()];
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Midnight UTC at the beginning of a day written `2026-11-21`. */
function readDay({ url }: Visit, name: string): number {
  const text = url.searchParams.get(name) ?? "";
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // 2026-02-30 parses in some engines as a day of March.
  if (!Number.isNaN(at) && dayOf(at) === text) return at;
  throw new PeopleFault("invalid_request", `\`${name}\` must be a day such as 2026-11-21.`);
}
