/** The port of the activity log: what happened to a user's account, for that user to see. It is deleted with the user. */
import type { QueuedEmail } from "#email/email-queue.ts";
import { ACTIVITY_KEPT_DAYS, ACTIVITY_OF_A_KIND_MAX, DAY_MS } from "#limits.ts";

export const EVENT_KINDS = [
  "signed_up",
  "signed_in",
  "signed_in_new_browser",
  "sign_in_failed",
  "email_changed",
  "email_change_undone",
  "provider_linked",
  "passkey_added",
  "passkey_renamed",
  "passkey_removed",
  "passkey_required",
  "passkey_not_required",
  "passkeys_reset",
  /** Passwords and one-time passwords were deleted with the upgrade that replaced them. */
  "passwords_retired",
  "key_created",
  "key_renamed",
  "key_limited",
  "key_rotated",
  "key_revoked",
  "session_ended",
  "endpoint_added",
  "endpoint_changed",
  "endpoint_secret_rotated",
  "endpoint_removed",
  "data_exported",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type ActivityEvent = {
  id: string;
  /** When it happened; the last time, where `times` is more than 1. */
  at: number;
  kind: EventKind;
  /**
   * A key's label, the new address, a provider's name, an endpoint's host (both hosts, where it changed), a passkey's name, or how a
   * session was opened: `code`, `link`, `passkey`, or the provider's name.
   */
  detail: string | null;
  /** The network address of the client; null where it is unknown. */
  address: string | null;
  /** The client's browser in words (`browser-name.ts`); null where it is unknown. */
  browser: string | null;
  /** How often it happened. Failed sign-ins of one UTC hour are one entry. */
  times: number;
};

/** Emails about an event: `each` are added while the limit of its kind is not reached, `summary` when it is. */
export type EventEmails = { each: readonly QueuedEmail[]; summary: QueuedEmail };

/**
 * What became of the emails about an event. `over_limit`: the summary was sent before, and the entry in the log is all there
 * is. `queue_full`: the queue took no more emails.
 */
export type EventEmailed = "each" | "summary" | "over_limit" | "queue_full";

export type NewEvent = {
  user: string;
  at: number;
  kind: EventKind;
  detail: string | null;
  address: string | null;
  browser?: string | null;
  emails?: EventEmails | null;
};

/** A user's own data, for its export. Times in milliseconds since 1970 UTC. */
export type UserRecord = {
  id: string;
  email: string;
  createdAt: number;
  account: string;
  /** At GitHub and Google. */
  logins: { provider: string; accountId: string; createdAt: number }[];
  sessions: {
    id: string;
    createdAt: number;
    lastSeenAt: number;
    expiresAt: number;
    address: string | null;
    userAgent: string | null;
  }[];
  passkeys: { name: string | null; createdAt: number | null; lastUsedAt: number | null }[];
  requiresPasskey: boolean;
  /** Which emails about credits the user wants. */
  emailChoices: { low: boolean; expiring: boolean };
  endpoints: {
    id: string;
    url: string;
    kinds: string[];
    createdAt: number;
    pausedAt: number | null;
  }[];
  /** Emails to the user that are not sent yet. Sent emails are not stored. */
  emailsWaiting: { kind: string; createdAt: number }[];
};

export type ActivityLogOperations = {
  /**
   * Records an event and queues its emails in one transaction. Of the user's events of one kind, the newest
   * `EVENTS_KEPT` are kept. Does nothing for an unknown user. `emailed` is null if the event has no emails.
   */
  recordEvent: [NewEvent, { recorded: boolean; emailed: EventEmailed | null }];
  /** Counts a failed sign-in in the entry of its hour. Records nothing for an unknown address. */
  recordFailedSignIn: [
    { email: string; at: number; address: string | null; browser: string | null },
    { recorded: boolean },
  ];
  /** Newest first, at most `max`; `after`: the `next` of the page before. */
  listEvents: [
    { user: string; after: string | null; max: number },
    { events: ActivityEvent[]; next: string | null },
  ];
  /** The account's owner; null where nobody has signed up with its address. */
  findUser: [{ account: string }, { user: string; email: string } | null];
  /** The address of a user; null for an unknown user. */
  findAddress: [{ user: string }, { email: string } | null];
  /** What is stored about the account's owner; null where nobody has signed up with its address. */
  readUser: [{ account: string }, UserRecord | null];
  /** Deletes a passkey. `endedRequirement`: it was the last one of a user who required one, and no longer does. */
  removePasskey: [
    { user: string; passkey: string },
    { removed: boolean; endedRequirement: boolean },
  ];
  /** Sets whether only a passkey signs the user in. Only a user who has one can require it. */
  requirePasskey: [{ user: string; requires: boolean }, { done: boolean }];
  /** Deletes all passkeys of the account's owner, who then no longer requires one, and ends their sessions. */
  resetPasskeys: [{ account: string }, { found: boolean; passkeys: number }];
  /**
   * Gives an account with the address `from` another one, ends its sessions but `keptSession`, and queues the email to the old address.
   * `undo`: the id and the hash of the secret of a link that takes the change back until `undo.until`. Where nobody has signed up for
   * the account, there is neither email nor link. `taken`: another account has the address.
   */
  changeAddress: [
    {
      account: string;
      from: string;
      to: string;
      at: number;
      keptSession: string | null;
      undo: { id: string; link: string; until: number };
      email: QueuedEmail | null;
    },
    { outcome: "changed" | "taken" | "unchanged" | "no_account" },
  ];
  /**
   * Takes a change of an address back: its user gets the address, and loses all sessions, the passkeys and logins that were added since
   * the day before the change, and the links of this change and of later ones. `link`: the hash of the link's secret.
   */
  undoAddressChange: [
    { link: string; at: number },
    (
      | { outcome: "undone"; user: string; email: string; before: string }
      | { outcome: "taken" }
      | { outcome: "expired" }
    ),
  ];
  /** Until when a link can take a change of the user's address back; null if there is none. */
  undoableUntil: [{ user: string; at: number }, { until: number | null }];
  /** Owners who have not been told yet that passwords were retired. */
  listUntold: [{ max: number }, { user: string; email: string }[]];
  /** Queues the email that tells an owner, and records it, once, while the queue is not half full. */
  tellOwner: [{ user: string; at: number; email: QueuedEmail }, { sent: boolean }];
  /**
   * Deletes expired sessions and attempts, and events older than `eventsBefore` (none if it is missing): at most `max` of each. Also
   * deletes all counts of requested emails of more than a day ago.
   */
  forgetStale: [{ now: number; max: number; eventsBefore?: number }, { forgotten: number }];
};

export type ActivityLogOperation = keyof ActivityLogOperations;

export type ActivityLog = {
  [Name in ActivityLogOperation]: (
    order: ActivityLogOperations[Name][0],
  ) => Promise<ActivityLogOperations[Name][1]>;
};

export const EVENTS_KEPT = ACTIVITY_OF_A_KIND_MAX;

const STALE_ROWS_AT_ONCE = 500;

/** Deletes stale sessions, attempts and events, at most 500 of each. */
export const forgetStale = (activityLog: Pick<ActivityLog, "forgetStale">, now: number) =>
  activityLog.forgetStale({
    eventsBefore: now - ACTIVITY_KEPT_DAYS * DAY_MS,
    now,
    max: STALE_ROWS_AT_ONCE,
  });
