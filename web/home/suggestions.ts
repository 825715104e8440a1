import type { HomeView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { type CreditSales, contactHref } from "#top-up.ts";
import { DAY_MS, longDay, timeUntil } from "../parts/numbers.ts";
import { percent } from "../requests/request-text.ts";

/**
 * What the home page suggests. There is one suggestion at a time: the first in the table that applies and was not dismissed.
 * `id` says what is dismissed, so that the same suggestion comes back when it has become more urgent.
 */
export type Suggestion = {
  id: string;
  title: string;
  text: string;
  /** Null if no page helps. */
  link: SuggestionLink | null;
};

export type SuggestionLink = { action: string } & (
  | {
      to:
        | "/credits"
        | "/requests"
        | "/settings/api-keys"
        | "/settings/account"
        | "/settings/notifications";
      search?: Record<string, string>;
    }
  /** An address outside of the dashboard. */
  | { href: string }
);

type Rule = (view: HomeView, now: number, sales: CreditSales) => Suggestion | null;

/** How long the balance lasts at the present rate, in days; null if it is not known, or nothing was used. */
export function daysLeft({ balance, creditsPerDay }: HomeView): number | null {
  return creditsPerDay === null || creditsPerDay === 0 ? null : balance / creditsPerDay;
}

/** `3.4` or `560`. */
export const rateText = (perDay: number): string =>
  perDay < 10
    ? String(Math.max(0.1, Math.round(perDay * 10) / 10))
    : formatNumber(Math.round(perDay));

/** No call yet: the first steps take the place of suggestions. */
export const hasCalled = ({ freeCall, topKeys, days }: HomeView): boolean =>
  !freeCall &&
  (topKeys.some(({ lastUsedAt }) => lastUsedAt !== null) ||
    (days ?? []).some(({ calls }) => calls > 0));

/** The least number of days for which the balance should last, from less to more urgent. */
const LOW_DAYS = [7, 3, 1];
const MANY_ERRORS = { count: 10, ratio: 0.2 };
const EXPIRY_DAYS = 14;
const KEY_EXPIRY_DAYS = 7;
/** Calls in 14 days from which on an account is more than a trial. */
const SERIOUS_CALLS = 100;

const callsIn = ({ days }: HomeView): number =>
  (days ?? []).reduce((sum, { calls }) => sum + calls, 0);

/** Leads to the page that sells credits, or else to the operator. */
function addCredits({ payable, contact }: CreditSales): SuggestionLink | null {
  if (payable) return { action: "Add credits", to: "/credits" };
  return contact === null ? null : { action: "Contact the operator", href: contactHref(contact) };
}

/** Most urgent first. */
const RULES: readonly Rule[] = [
  // A balance of zero has a banner on every page.
  function lowBalance(view, _, sales) {
    const left = daysLeft(view);
    const level = LOW_DAYS.findLast((days) => left !== null && left < days);
    if (left === null || level === undefined || view.balance === 0) return null;
    const days = Math.round(left);
    return {
      id: `low_balance:${level}`,
      title:
        days === 0
          ? "Your credits run out today"
          : `Your credits last ${counted(days, "more day")}`,
      text: `You use about ${rateText(view.creditsPerDay ?? 0)} credits a day. Calls are rejected when none are left.`,
      link: addCredits(sales),
    };
  },
  function manyErrors({ days }, now) {
    const recent = (days ?? []).slice(-2);
    const calls = recent.reduce((sum, day) => sum + day.calls, 0);
    const errors = recent.reduce((sum, day) => sum + (day.errors ?? 0), 0);
    if (errors < MANY_ERRORS.count || errors < MANY_ERRORS.ratio * (calls + errors)) return null;
    return {
      id: `many_errors:${longDay(now)}`,
      title: `${percent(errors, calls + errors)} of your requests failed since yesterday`,
      text: "The request log says why each one failed and what to do about it.",
      link: { action: "View errors", to: "/requests", search: { status: "errors" } },
    };
  },
  function keyExpires({ keyExpiry }, now) {
    if (keyExpiry === null || keyExpiry.at > now + KEY_EXPIRY_DAYS * DAY_MS) return null;
    return {
      id: `key_expires:${keyExpiry.id}:${keyExpiry.at}`,
      title: `The key “${keyExpiry.label}” expires ${timeUntil(keyExpiry.at, now)}`,
      text: `From ${longDay(keyExpiry.at)} on, calls with it are rejected. Set a later expiry, or switch to another key.`,
      link: { action: "View API keys", to: "/settings/api-keys" },
    };
  },
  function creditsExpire({ nextExpiry, creditsPerDay }, now) {
    if (nextExpiry === null || nextExpiry.at > now + EXPIRY_DAYS * DAY_MS) return null;
    // Without a rate it is unknown what stays unused.
    if (creditsPerDay === null) return null;
    const days = Math.max(0, (nextExpiry.at - now) / DAY_MS);
    // Credits that expire first are spent first.
    const unspent = Math.round(nextExpiry.credits - creditsPerDay * days);
    if (unspent <= 0) return null;
    return {
      id: `credits_expire:${nextExpiry.at}`,
      title: `${counted(unspent, "credit")} will expire unused ${timeUntil(nextExpiry.at, now)}`,
      text: `${counted(nextExpiry.credits, "credit")} ${nextExpiry.credits === 1 ? "expires" : "expire"} on ${longDay(nextExpiry.at)}, and you use fewer by then.`,
      link: { action: "View credits", to: "/credits" },
    };
  },
  function passkey({ setUp }) {
    if (setUp.passkey) return null;
    return {
      id: "passkey",
      title: "Add a passkey",
      text: "You then sign in with a fingerprint, your face or a PIN, without waiting for an email.",
      link: { action: "Add it", to: "/settings/account" },
    };
  },
  function keyForEach(view) {
    if (view.keys !== 1 || callsIn(view) < SERIOUS_CALLS) return null;
    return {
      id: "key_for_each",
      title: "Use one key for each environment",
      text: "You can then see what production uses, limit what staging may spend, and revoke one without stopping the other.",
      link: { action: "Create a key", to: "/settings/api-keys" },
    };
  },
  function alerts(view) {
    if (view.setUp.alerts || callsIn(view) < SERIOUS_CALLS) return null;
    return {
      id: "alerts",
      title: "Get an alert before your credits run out",
      text: "Turn on emails about a low balance, or add a webhook endpoint.",
      link: { action: "Choose notifications", to: "/settings/notifications" },
    };
  },
];

/** The suggestion for an account that has made calls; null: nothing to suggest. */
export function suggestionFor(
  view: HomeView,
  now: number,
  sales: CreditSales,
  isDismissed: (id: string) => boolean,
): Suggestion | null {
  for (const rule of RULES) {
    const suggestion = rule(view, now, sales);
    if (suggestion !== null && !isDismissed(suggestion.id)) return suggestion;
  }
  return null;
}
