/**
 * The journal: what happened to a person's account, for that person to see. It goes with the person.
 * This file is the port; stores implement it.
 */
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
  /** The label of a key, the new address, the name of a provider, the host of an endpoint (both, where it changed). */
  detail: string | null;
  /** The network address it came from, as far as it is known. */
  address: string | null;
};

export type JournalOperations = {
  /** Keeps the newest `EVENTS_KEPT` of a person; nothing where there is no such person. */
  recordEvent: [Omit<AccountEvent, "id"> & { person: string }, { recorded: boolean }];
  /** Newest first, at most `max`; `after`: the `next` of the page before. */
  listEvents: [
    { person: string; after: string | null; max: number },
    { events: AccountEvent[]; next: string | null },
  ];
  /** The person whose account it is; null where nobody has signed up with its address. */
  findPerson: [{ account: string }, { person: string; email: string } | null];
  /** Links to a new password that were sent to a person and not used: what they were for is over. */
  dropResetLinks: [{ person: string }, { dropped: number }];
  /**
   * Forgets people who never verified their address since `unverifiedBefore`, and sessions and links whose time is up:
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

/** Years of an ordinary person's sign-ins; a bound for everyone else's. */
export const EVENTS_KEPT = 1_000;
