/**
 * What the pages ask of the service and what they get: plain JSON, times in milliseconds since 1970 UTC.
 * The handlers of this folder answer with these types and `web/` reads them, so that the two cannot drift apart.
 *
 *     GET    /people/visitor                    Visitor
 *     GET    /people/home                       HomeView
 *     GET    /people/keys                       { keys: KeyView[] }                   revoked over 90 days ago: 100 newest
 *     POST   /people/keys            KeyOrder   { key: KeyView, secret: string }      201
 *     PATCH  /people/keys/<id>       KeyOrder   { key: KeyView }
 *     DELETE /people/keys/<id>                  { key: KeyView }
 *     GET    /people/usage?from=DATE&to=DATE    UsageView                             both inclusive, UTC
 *     GET    /people/credits                    CreditsView
 *     GET    /people/credits/entries?after=     EntriesView                           newest first
 *     GET    /people/sessions                   { sessions: SessionView[] }
 *     DELETE /people/sessions/<id>              {}                                    `others`: all but this one
 *     GET    /people/events?after=              EventsView                            newest first
 *     POST   /people/account/close   CloseOrder {}
 *
 * Everything that better-auth does lies at `/people/auth/*`. HEAD answers like GET, without a body.
 */
import type { EventKind } from "#accounts/journal.ts";
import type { GrantKind } from "#credits/ledger.ts";

export type Provider = "github" | "google";

/** Who looks at the pages, and what the service offers; the one answer that needs no session. */
export type Visitor = {
  person: PersonView | null;
  signUp: "open" | "closed";
  providers: Provider[];
  starter: { credits: number; days: number };
  /** Base of the API's addresses, without a slash at its end. */
  apiUrl: string;
  /** True where letters go to the outbox folder and the log of the service, because no mail server is set. */
  lettersStayHere: boolean;
};

export type PersonView = {
  email: string;
  verified: boolean;
  createdAt: number;
  /** Null until the address is verified. */
  account: { id: string; state: "open" | "suspended" } | null;
  hasPassword: boolean;
  /** Social sign-ins that are linked. */
  providers: Provider[];
};

export type HomeView = {
  balance: number;
  /** Whether the next call is free. */
  freeCall: boolean;
  /** Since midnight UTC. */
  today: { calls: number; credits: number };
  /** Keys that are not revoked. */
  keys: number;
  /** What of the balance ends next. */
  nextExpiry: { credits: number; at: number } | null;
};

export type KeyView = {
  id: string;
  label: string;
  /** Its first characters: enough to tell keys apart, far too little to use. */
  start: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  /** Calls of the last 24 hours. */
  callsLastDay: number;
};

/** `label`: 1 to 100 characters on one line. */
export type KeyOrder = { label: string };

export type UsageView = {
  from: string;
  to: string;
  /** By UTC day (`2026-11-21`), tool and key; days without calls are left out. */
  rows: { day: string; tool: string; key: string; calls: number; credits: number }[];
  /** Every key of the account, so that rows can be named. */
  keys: { id: string; label: string; start: string; revokedAt: number | null }[];
  totals: { calls: number; credits: number };
};

export type { GrantKind } from "#credits/ledger.ts";

export type GrantView = {
  id: string;
  kind: GrantKind;
  amount: number;
  remaining: number;
  grantedAt: number;
  expiresAt: number | null;
};

/** Grants in the order in which they are spent; spent and expired ones last. */
export type CreditsView = { balance: number; grants: GrantView[] };

export type EntryView = {
  /** Unique within the account: a list may use it as its key. */
  id: string;
  at: number;
  /** `usage`: the debits of one UTC hour, key and tool together, once they are no longer kept one by one. */
  kind: "grant" | "debit" | "reversal" | "expiry" | "void" | "usage";
  /** With its sign: what the entry adds to the balance. 0 for the free first call. */
  credits: number;
  grant: { id: string; kind: GrantKind } | null;
  tool: string | null;
  /** The id of the key that was used. */
  key: string | null;
  /** 1 for a debit, more for `usage`, null for what is no call. */
  calls: number | null;
};

/** `next`: what to send as `after` for the page that follows; null at the end. */
export type EntriesView = { entries: EntryView[]; next: string | null };

export type SessionView = {
  id: string;
  current: boolean;
  createdAt: number;
  lastSeenAt: number;
  /** The address it was opened from, as far as it is known. */
  address: string | null;
  userAgent: string | null;
};

export type { EventKind } from "#accounts/journal.ts";

export type EventView = {
  id: string;
  at: number;
  kind: EventKind;
  /** The label of a key, the new address, the name of a provider. */
  detail: string | null;
  address: string | null;
};
export type EventsView = { events: EventView[]; next: string | null };

/** Closing asks for the address once more, and for the password where there is one. */
export type CloseOrder = { email: string; password: string | null };

/** What went wrong, in words for the person who asked. Every refusal below `/people/` but better-auth's has this form. */
export type PeopleRefusal = { ok: false; code: PeopleCode; detail: string; requestId: string };
export type PeopleCode =
  | "signed_out"
  | "email_not_verified"
  | "account_suspended"
  | "wrong_password"
  | "invalid_request"
  | "cross_site"
  | "not_found"
  | "wrong_method"
  | "too_many_requests"
  | "internal"
  | "unavailable";
