/**
 * What the pages ask of the service and what they get: plain JSON, times in milliseconds since 1970 UTC.
 * The handlers of this folder answer with these types and `web/` reads them, so that the two cannot drift apart.
 *
 *     GET    /dashboard/visitor                    Visitor
 *     GET    /dashboard/home                       HomeView
 *     GET    /dashboard/keys                       { keys: KeyView[] }                   revoked over 90 days ago: 100 newest
 *     POST   /dashboard/keys            KeyOrder   { key: KeyView, secret: string }      201
 *     PATCH  /dashboard/keys/<id>       KeyOrder   { key: KeyView }
 *     DELETE /dashboard/keys/<id>                  { key: KeyView }
 *     GET    /dashboard/usage?from=DATE&to=DATE    UsageView                             both inclusive, UTC
 *     GET    /dashboard/credits                    CreditsView
 *     GET    /dashboard/credits/entries?after=     EntriesView                           newest first
 *     GET    /dashboard/prices                     PricesView                            needs no session
 *     GET    /dashboard/purchases?after=           PurchasesView                         newest first
 *     POST   /dashboard/purchases    PurchaseOrder CheckoutView                          201
 *     GET    /dashboard/purchases/<id>             PurchaseView                          looks how the payment stands
 *     GET    /dashboard/notifications                    NotificationsView
 *     PUT    /dashboard/notifications         NotificationsView NotificationsView
 *     POST   /dashboard/notifications/unsubscribe?token= UnsubscribedView                      needs no session, from anywhere
 *     GET    /dashboard/webhooks                   EndpointsView                         oldest first
 *     POST   /dashboard/webhooks     EndpointOrder { endpoint: EndpointView }            201
 *     PUT    /dashboard/webhooks/<id> EndpointOrder { endpoint: EndpointView }
 *     DELETE /dashboard/webhooks/<id>              {}
 *     GET    /dashboard/webhooks/<id>/deliveries?after=            DeliveriesView        newest first
 *     POST   /dashboard/webhooks/<id>/deliveries/<delivery>/again  { id: string }        201, of the new delivery
 *     GET    /dashboard/sessions                   { sessions: SessionView[] }
 *     DELETE /dashboard/sessions/<id>              {}                                    `others`: all but this one
 *     GET    /dashboard/events?after=              EventsView                            newest first
 *     POST   /dashboard/account/close   CloseOrder {}
 *
 * Everything that better-auth does lies at `/dashboard/auth/*`. HEAD answers like GET, without a body.
 */

import type { EventKind } from "#accounts/journal.ts";
import type { LedgerEventKind } from "#ledger/events.ts";
import type { GrantKind } from "#ledger/port.ts";

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
  emailsStayHere: boolean;
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

export type { GrantKind } from "#ledger/port.ts";

export type GrantView = {
  id: string;
  kind: GrantKind;
  amount: number;
  remaining: number;
  grantedAt: number;
  expiresAt: number | null;
  /** When it would expire without the lifetime plan; null where that has changed nothing. */
  waivedExpiresAt: number | null;
};

/** Grants in the order in which they are spent; spent and expired ones last. */
export type CreditsView = { balance: number; lifetime: boolean; grants: GrantView[] };

/** What is sold here. Prices in minor units of the currency, and as people read them. */
export type OfferView = {
  id: string;
  kind: "pack" | "lifetime";
  name: string;
  credits: number;
  price: number;
  currency: string;
  /** Such as `€5.00`. */
  priceText: string;
  /** Calendar months until its credits expire; null: never. */
  months: number | null;
};

/** `GET /dashboard/prices`; needs no session. */
export type PricesView = {
  packs: OfferView[];
  lifetime: OfferView | null;
  /** Whether it can be paid here; else the operator is asked. */
  payable: boolean;
  /** Whether taxes come on top, by the buyer's address. */
  taxesAdded: boolean;
  /** An e-mail or a web address of whoever sells; null where none is known. */
  contact: string | null;
};

/** `POST /dashboard/purchases`: the offer's id. Answers with the page at which to pay. */
export type PurchaseOrder = { offer: string };
export type CheckoutView = { id: string; url: string };

export type PurchaseView = {
  id: string;
  at: number;
  name: string;
  kind: "pack" | "lifetime";
  credits: number;
  /** What was paid, taxes included; the price before it is paid. */
  amountText: string;
  refundedText: string | null;
  /**
   * `open`: not paid yet; `pending`: the money is on its way; `paid`: granted; `settling`: paid, and granted in a moment;
   * `trouble`: paid, and cannot be granted: the operator has to help.
   */
  state:
    | "open"
    | "pending"
    | "settling"
    | "paid"
    | "failed"
    | "expired"
    | "refunded"
    | "partly_refunded"
    | "disputed"
    | "trouble";
  paidAt: number | null;
  /** Of a refund or dispute: credits taken back, and credits that were spent before. */
  voided: number;
  spent: number;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  /** Where an open one can still be paid. */
  payUrl: string | null;
};
/** `GET /dashboard/purchases?after=`, newest first; `GET /dashboard/purchases/:id` answers one of them. */
export type PurchasesView = { purchases: PurchaseView[]; next: string | null };

/** `GET` and `PUT /dashboard/notifications`. */
export type NotificationsView = { lowBalance: number; emails: { low: boolean; expiring: boolean } };

/** Which letters end with the link that was used. */
export type UnsubscribedView = { emails: "low" | "expiring" };

export type { LedgerEventKind } from "#ledger/events.ts";

/** `GET /dashboard/webhooks`, `POST` and `PUT /dashboard/webhooks/:id` take `EndpointOrder`. */
export type EndpointOrder = { url: string; kinds: LedgerEventKind[]; paused: boolean };
export type EndpointView = EndpointOrder & { id: string; createdAt: number; secret: string };
export type EndpointsView = { endpoints: EndpointView[]; max: number };

/** `GET /dashboard/webhooks/:id/deliveries?after=`, newest first. */
export type DeliveryView = {
  id: string;
  event: string;
  kind: LedgerEventKind;
  body: string;
  at: number;
  status: "waiting" | "delivered" | "failed";
  tries: number;
  dueAt: number | null;
  lastTriedAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
};
export type DeliveriesView = { deliveries: DeliveryView[]; next: string | null };

export type EntryView = {
  /** Unique within the account: a list may use it as its key. */
  id: string;
  at: number;
  /** `usage`: the debits of one UTC hour, key and tool together, once they are no longer kept one by one. */
  kind: "grant" | "debit" | "reversal" | "expiry" | "void" | "usage";
  /** With its sign: what the entry adds to the balance. 0 for a call that was free of charge. */
  credits: number;
  /** The grant that was made, paid or got credits back; the first one where several did. */
  grant: { id: string; kind: GrantKind } | null;
  /** What each of several grants paid or got back, with its sign; null where it was one or none. */
  parts: { grant: { id: string; kind: GrantKind }; credits: number }[] | null;
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

/** What went wrong, in words for the person who asked. Every refusal below `/dashboard/` but better-auth's has this form. */
export type DashboardProblem = {
  ok: false;
  code: DashboardErrorCode;
  detail: string;
  requestId: string;
};
export type DashboardErrorCode =
  | "signed_out"
  | "email_not_verified"
  | "account_suspended"
  /** Nothing is sold here by the pages: the words say whom to ask. */
  | "not_payable"
  | "wrong_password"
  | "invalid_request"
  | "cross_site"
  | "not_found"
  | "wrong_method"
  | "too_many_requests"
  | "internal"
  | "unavailable";
