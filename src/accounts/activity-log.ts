/** The port of the activity log: what happened to a user's account, for that user to see. It is deleted with the user. */
import { DAY_MS } from "#limits.ts";

export const EVENT_KINDS = [
  "signed_up",
  "email_verified",
  "signed_in",
  "password_changed",
  "password_reset",
  "email_changed",
  "provider_linked",
  "key_created",
  "key_renamed",
  "key_limited",
  "key_rotated",
  "key_revoked",
  "session_ended",
  "endpoint_added",
  "endpoint_changed",
  "endpoint_removed",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type ActivityEvent = {
  id: string;
  at: number;
  kind: EventKind;
  /** A key's label, the new address, a provider's name, or an endpoint's host (both hosts, where it changed). */
  detail: string | null;
  /** The network address of the client; null where it is unknown. */
  address: string | null;
};

export type ActivityLogOperations = {
  /** Records an event and keeps the newest `EVENTS_KEPT` of the user. Records nothing for an unknown user. */
  recordEvent: [Omit<ActivityEvent, "id"> & { user: string }, { recorded: boolean }];
  /** Newest first, at most `max`; `after`: the `next` of the page before. */
  listEvents: [
    { user: string; after: string | null; max: number },
    { events: ActivityEvent[]; next: string | null },
  ];
  /** The account's owner; null where nobody has signed up with its address. */
  findUser: [{ account: string }, { user: string; email: string } | null];
  /** Deletes unused password reset links of a user. */
  dropResetLinks: [{ user: string }, { dropped: number }];
  /**
   * Deletes users who signed up before `unverifiedBefore` and never verified their address, and expired sessions and links:
   * at most `max` of each.
   */
  forgetStale: [{ unverifiedBefore: number; now: number; max: number }, { forgotten: number }];
};

export type ActivityLogOperation = keyof ActivityLogOperations;

export type ActivityLog = {
  [Name in ActivityLogOperation]: (
    order: ActivityLogOperations[Name][0],
  ) => Promise<ActivityLogOperations[Name][1]>;
};

/** Years of sign-ins for an ordinary user, and a bound for everyone else. */
export const EVENTS_KEPT = 1_000;

/** Unverified sign-ups are deleted after a week, because a stranger may have typed the address. */
const UNVERIFIED_KEPT_MS = 7 * DAY_MS;
const STALE_ROWS_AT_ONCE = 500;

/** Deletes stale users, sessions and links, at most 500 of each. */
export const forgetStale = (activityLog: Pick<ActivityLog, "forgetStale">, now: number) =>
  activityLog.forgetStale({
    unverifiedBefore: now - UNVERIFIED_KEPT_MS,
    now,
    max: STALE_ROWS_AT_ONCE,
  });
