/**
 * The journal records what happened to a person's account, for that person to see: the port. It is deleted together with the
 * person.
 */
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
  "key_revoked",
  "session_ended",
  "endpoint_added",
  "endpoint_changed",
  "endpoint_removed",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type AccountEvent = {
  id: string;
  at: number;
  kind: EventKind;
  /** A key's label, the new address, a provider's name, or an endpoint's host (both hosts, where it changed). */
  detail: string | null;
  /** The network address of the client; null where it is unknown. */
  address: string | null;
};

export type JournalOperations = {
  /** Records an event and keeps the newest `EVENTS_KEPT` of the person. Records nothing for an unknown person. */
  recordEvent: [Omit<AccountEvent, "id"> & { person: string }, { recorded: boolean }];
  /** Newest first, at most `max`; `after`: the `next` of the page before. */
  listEvents: [
    { person: string; after: string | null; max: number },
    { events: AccountEvent[]; next: string | null },
  ];
  /** The account's owner; null where nobody has signed up with its address. */
  findPerson: [{ account: string }, { person: string; email: string } | null];
  /** Deletes unused password reset links of a person. */
  dropResetLinks: [{ person: string }, { dropped: number }];
  /**
   * Deletes people who signed up before `unverifiedBefore` and never verified their address, and expired sessions and links:
   * at most `max` of each.
   */
  forgetStale: [{ unverifiedBefore: number; now: number; max: number }, { forgotten: number }];
};

export type JournalOperation = keyof JournalOperations;

export type Journal = {
  [Name in JournalOperation]: (
    order: JournalOperations[Name][0],
  ) => Promise<JournalOperations[Name][1]>;
};

/** Years of sign-ins for an ordinary person, and a bound for everyone else. */
export const EVENTS_KEPT = 1_000;

/** Unverified sign-ups are deleted after a week, because a stranger may have typed the address. */
const UNVERIFIED_KEPT_MS = 7 * DAY_MS;
const STALE_ROWS_AT_ONCE = 500;

/** Deletes stale people, sessions and links, at most 500 of each. */
export const forgetStale = (journal: Pick<Journal, "forgetStale">, now: number) =>
  journal.forgetStale({
    unverifiedBefore: now - UNVERIFIED_KEPT_MS,
    now,
    max: STALE_ROWS_AT_ONCE,
  });
