import type { HourCount } from "#accounts/request-log.ts";
import { type Key, type Ledger, UsageNotSummed } from "#ledger/port.ts";
import { usagePages } from "#ledger/read-pages.ts";
import { DAY_MS } from "#limits.ts";
import { json, type RequestContext, readAsMember } from "./request-context.ts";
import { lastErrors, requestCounts } from "./requests.ts";
import type { HomeView } from "./shapes.ts";
import { dayOf, unlessNotSummed } from "./usage.ts";

/** Days in the chart of the home page, and those whose average says how long the balance lasts; with today. */
const HOME_DAYS = 14;
const RATE_DAYS = 7;
/** Fewer full days of use give no average. */
const RATE_DAYS_MIN = 3;
const HOME_KEYS = 5;
const HOME_ERRORS = 5;
/** A key that expires later is not worth a line. */
const KEY_EXPIRY_DAYS = 30;
/** Rows of hours that are read for the home page: 25 keys that call five tools in every hour have as many in 14 days. */
const HOME_ROWS_MAX = 42_000;

export async function showHome(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const { ledger } = deps.accountDeps;
  const today = now - (now % DAY_MS);
  const first = today - (HOME_DAYS - 1) * DAY_MS;
  const [{ status, user }, read] = await readAsMember(context, ({ account, user: { id } }) =>
    Promise.all([
      readCredits(context, account),
      ledger.listKeys({ account }),
      unlessNotSummed(sumHome(ledger, account, first)),
      requestCounts(context, account, first),
      lastErrors(context, account, HOME_ERRORS),
      deps.auth.passkeys.list(id),
      deps.events.choice({ account }),
      deps.events.listEndpoints({ account }),
    ]),
  );
  const [credits, keys, used, counts, errors, passkeys, choice, endpoints] = read;
  const { balance, held, nextExpiry, noStarter } = credits;
  const active = keys.filter(({ revokedAt }) => revokedAt === null);
  const view: HomeView = {
    noStarter,
    balance,
    held,
    freeCall: deps.settings.hasFreeCall && status.freeCall === "open",
    today: used && (used.days.get(today) ?? { calls: 0, credits: 0 }),
    keys: active.length,
    topKeys: topKeys(active, used?.today ?? null),
    keyExpiry: nextKeyExpiry(active, now),
    nextExpiry,
    days: used && homeDays(first, used.days, counts),
    creditsPerDay: used && creditsPerDay(used, now, user.createdAt),
    lastErrors: errors,
    setUp: {
      passkey: passkeys.length > 0,
      alerts: choice.emails.low || endpoints.some(({ pausedAt }) => pausedAt === null),
    },
  };
  return json(view);
}

type Sums = { calls: number; credits: number };
/** The usage of each day, by its first millisecond, and the calls of each key on the last of them. */
type HomeSums = {
  days: Map<number, Sums>;
  today: Map<string, number>;
  /** The first hour in which credits were used; null if there is none. */
  firstUse: number | null;
};

async function sumHome(
  ledger: Pick<Ledger, "usage">,
  account: string,
  first: number,
): Promise<HomeSums> {
  const days = new Map<number, Sums>();
  const today = new Map<string, number>();
  const last = first + (HOME_DAYS - 1) * DAY_MS;
  const order = { account, from: first, to: Number.MAX_SAFE_INTEGER, isQuick: true };
  let read = 0;
  let firstUse: number | null = null;
  for await (const rows of usagePages(ledger, order)) {
    read += rows.length;
    if (read > HOME_ROWS_MAX) throw new UsageNotSummed("Too many rows for the home page");
    for (const { hour, key, calls, credits } of rows) {
      if (credits > 0) firstUse = Math.min(firstUse ?? hour, hour);
      // A node whose clock is ahead may have made calls of tomorrow.
      const day = Math.min(last, hour - (hour % DAY_MS));
      const sum = days.get(day) ?? { calls: 0, credits: 0 };
      days.set(day, { calls: sum.calls + calls, credits: sum.credits + credits });
      if (day === last) today.set(key, (today.get(key) ?? 0) + calls);
    }
  }
  return { days, today, firstUse };
}

function homeDays(
  first: number,
  sums: HomeSums["days"],
  counts: readonly HourCount[] | null,
): NonNullable<HomeView["days"]> {
  return Array.from({ length: HOME_DAYS }, (_, index) => {
    const at = first + index * DAY_MS;
    const errors = counts
      ?.filter(({ hour }) => hour >= at && hour < at + DAY_MS)
      .reduce((sum, each) => sum + each.errors, 0);
    return { day: dayOf(at), calls: sums.get(at)?.calls ?? 0, errors: errors ?? null };
  });
}

/**
 * Today counts like the full days before it, so the rate is a little low in the morning rather than far too high. Null before the
 * account was used for RATE_DAYS_MIN full days, because a first afternoon of trying things says nothing about the next weeks.
 */
function creditsPerDay(sums: HomeSums, now: number, createdAt: number): number | null {
  const since = sums.firstUse ?? createdAt;
  if (now - since < RATE_DAYS_MIN * DAY_MS) return null;
  const today = now - (now % DAY_MS);
  const days = Math.min(RATE_DAYS, (today - (since - (since % DAY_MS))) / DAY_MS + 1);
  let credits = 0;
  for (let day = 0; day < days; day += 1)
    credits += sums.days.get(today - day * DAY_MS)?.credits ?? 0;
  return credits / days;
}

const topKeys = (active: readonly Key[], calls: HomeSums["today"] | null): HomeView["topKeys"] =>
  active
    .map(({ id, label, start, lastUsedAt }) => ({
      ...{ id, label, start, lastUsedAt },
      callsToday: calls && (calls.get(id) ?? 0),
    }))
    .sort(
      (one, other) =>
        (other.callsToday ?? 0) - (one.callsToday ?? 0) ||
        (other.lastUsedAt ?? 0) - (one.lastUsedAt ?? 0),
    )
    .slice(0, HOME_KEYS);

function nextKeyExpiry(active: readonly Key[], now: number): HomeView["keyExpiry"] {
  const expiring = active.flatMap(({ id, label, limits }) => {
    const at = limits?.expiresAt ?? null;
    return at !== null && at > now && at <= now + KEY_EXPIRY_DAYS * DAY_MS
      ? [{ id, label, at }]
      : [];
  });
  return expiring.sort((one, other) => one.at - other.at)[0] ?? null;
}

/** The balance, and why an account that never had a grant has no starter credits. */
async function readCredits(context: RequestContext, account: string) {
  const { deps, now } = context;
  const credits = await deps.accountDeps.ledger.credits({ account, now, max: 0 });
  return {
    ...credits,
    noStarter: credits.hasGrants ? null : await findNoStarter(context, account),
  };
}

async function findNoStarter(
  { deps }: RequestContext,
  account: string,
): Promise<HomeView["noStarter"]> {
  if (deps.settings.starter.credits === 0) return null;
  const claim = await deps.accountDeps.directory.findStarter({ account });
  return claim === null || claim.outcome === "granted" ? null : claim.outcome;
}
