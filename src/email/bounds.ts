import { DAY_MS, HOUR_MS } from "#limits.ts";
import { type EmailKind, groupOf, type RequestedGroup } from "./mail.ts";

/** Every bound of email, with its unit and its reason. */

/** About 60 MB of emails: enough for a mail server that is down for a day, at seven emails a minute. */
export const QUEUED_EMAILS_MAX = 10_000;
/**
 * Emails about security events are added up to here. Attackers can fill the queue with emails that anyone can request,
 * and that must not keep an owner from learning of a thief. Each user has a daily limit of them (`limits.ts`).
 */
export const EMAILS_BEFORE_SECURITY_STOPS = 2 * QUEUED_EMAILS_MAX;
/** Beyond this, emails about credits wait in the ledger, which leaves the rest of the queue for sign-in emails. */
export const EMAILS_BEFORE_CREDITS_WAIT = QUEUED_EMAILS_MAX / 2;
/** The number of queued emails, of all kinds, at which the queue is full for an email of this kind. */
export const queueLimitOf = (kind: EmailKind): number =>
  groupOf(kind) === "credits" ? EMAILS_BEFORE_CREDITS_WAIT : QUEUED_EMAILS_MAX;
/**
 * Queued notifications for one recipient. Emails about credits are counted separately, and emails that anyone can
 * request have their own limits. A recipient who has not received the first does not need a twenty-first.
 */
export const NOTIFICATIONS_PER_RECIPIENT_MAX = 20;

/**
 * Emails of one group (`mail.ts`) that anyone can request for one address. Four per hour allow for three retries by a
 * user who looks in the wrong folder. Twelve per day are a nuisance but not a flood.
 */
export const REQUESTED_PER_HOUR_MAX = 4;
export const REQUESTED_PER_DAY_MAX = 12;

/** Emails sent at the same time, each over its own connection. Most servers allow ten or more connections. */
export const EMAILS_AT_ONCE = 4;

export const CONNECT_TIMEOUT_MS = 10_000;
/** Some servers delay their greeting for unknown clients. */
export const GREETING_TIMEOUT_MS = 15_000;
/** Silence within a session: servers scan for spam before they reply to the end of the message. */
export const SILENCE_TIMEOUT_MS = 30_000;
/** One email, from connecting until the server has accepted it. */
export const SEND_TIMEOUT_MS = 60_000;
/** Longer than any attempt. When the sending process dies, the email is sent again after this. */
export const LEASE_MS = 90_000;

/** The wait after an email's first failure, which doubles up to the second bound. */
export const RETRY_FIRST_MS = 5_000;
export const RETRY_MAX_MS = HOUR_MS;
/** RFC 5321, section 4.5.4.1, asks relays for four to five days; a notification is of little use after three. */
export const GIVE_UP_AFTER_MS = 3 * DAY_MS;
/**
 * While the server is unreachable, the sender tries one email at least this often, so that all are sent soon after it
 * is back.
 */
export const PAUSE_MAX_MS = 120_000;

/** The outbox is for development: older files are deleted. */
export const OUTBOX_EMAILS_MAX = 200;

/** RFC 5322, section 2.1.1, allows 998 characters on a line; a readable subject has far fewer. */
export const SUBJECT_CHARS_MAX = 200;

/**
 * How many emails of each group all people together can cause without signing in, so that a flood does not cost the sender its
 * reputation. Counted by UTC hour and day; 0: no bound.
 */
export type RequestedBounds = { perHour: number; perDay: number };

/** One network cannot use up the bounds of all: a tenth, but enough for a person who tries again. */
const PART_OF_NETWORK = 0.1;
const NETWORK_MIN = 4;

type Bounds = Record<"hour" | "day" | "networkHour" | "networkDay", number>;

/** The bounds of a group and of a network, over all groups; infinite where there is none. `network` is empty where it is not counted. */
export function boundsFor({ perHour, perDay }: RequestedBounds, network: string): Bounds {
  const ofAll = (bound: number) => (bound === 0 ? Number.POSITIVE_INFINITY : bound);
  const ofNetwork = (bound: number) =>
    network === "" || bound === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(NETWORK_MIN, Math.floor(bound * PART_OF_NETWORK));
  return {
    hour: ofAll(perHour),
    day: ofAll(perDay),
    networkHour: ofNetwork(perHour),
    networkDay: ofNetwork(perDay),
  };
}

const startOfHour = (now: number): number => now - (now % HOUR_MS);
const startOfDay = (now: number): number => now - (now % DAY_MS);

/** Since when emails of the current hour and day are counted. */
export const countedSince = (now: number) => ({ hour: startOfHour(now), day: startOfDay(now) });

/** How many emails that anyone can request count in this UTC hour and day, by group. */
export type RequestedCounts = Record<RequestedGroup, { hour: number; day: number }>;

/**
 * Returns for each of the groups when the service may send another email of it; null: now. This counts the requests of a network in the
 * UTC hour and day, whether or not they cause an email: the number of emails left would reveal whether the last request was for
 * an address with an account. Every request is counted before its email, so the queue's own count of a network's emails is not
 * reached first. Emails of all networks are counted in the queue alone.
 */
export type WhenSendable = <Group extends RequestedGroup>(
  order: { groups: readonly Group[]; network: string },
  count: CountRequests,
) => Promise<Record<Group, number | null>>;

/** Counts a request under a name. Returns whether the count is within the rule. */
type CountRequests = (
  name: string,
  rule: { window: number; max: number },
) => Promise<{ allowed: boolean }> | { allowed: boolean };

export function createWhenSendable(deps: {
  queue: { countRequested(order: { now: number }): Promise<RequestedCounts> };
  bounds: RequestedBounds;
  now(): number;
}): WhenSendable {
  return async (order, count) => {
    const { groups, network } = order;
    const all = (at: number | null) =>
      Object.fromEntries(groups.map((group) => [group, at])) as Record<
        (typeof groups)[number],
        number | null
      >;
    const { perHour, perDay } = deps.bounds;
    if (perHour === 0 && perDay === 0) return all(null);
    const bounds = boundsFor(deps.bounds, network);
    const now = deps.now();
    const counts = await deps.queue.countRequested({ now });
    const endOfDay = startOfDay(now) + DAY_MS;
    const endOfHour = startOfHour(now) + HOUR_MS;
    const when = all(null);
    for (const group of groups) {
      if (counts[group].day >= bounds.day) when[group] = endOfDay;
      else if (counts[group].hour >= bounds.hour) when[group] = endOfHour;
    }
    if (groups.every((group) => when[group] !== null)) return when;
    const isWithin = async (max: number, ms: number, end: number) => {
      if (!Number.isFinite(max)) return true;
      const name = `requested emails ${ms} ${end} ${network}`;
      return (await count(name, { window: ms / 1_000, max })).allowed;
    };
    if (!(await isWithin(bounds.networkHour, HOUR_MS, endOfHour))) return all(endOfHour);
    return (await isWithin(bounds.networkDay, DAY_MS, endOfDay)) ? when : all(endOfDay);
  };
}
