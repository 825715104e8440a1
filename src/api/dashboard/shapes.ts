/**
 * The requests and responses of the dashboard API: plain JSON, times in milliseconds since 1970 UTC.
 * The handlers in this folder and the pages in `web/` share these types.
 *
 *     GET    /dashboard/visitor                    Visitor
 *     GET    /dashboard/home                       HomeView
 *     GET    /dashboard/keys                       KeysView                              revoked over 90 days ago: 100 newest
 *     POST   /dashboard/keys            KeyOrder   { key: KeyView, secret: string }      201
 *     PATCH  /dashboard/keys/<id>       KeyChange  { key: KeyView }
 *     POST   /dashboard/keys/<id>/rotate RotateOrder { key: KeyView, secret: string }
 *     DELETE /dashboard/keys/<id>                  { key: KeyView }
 *     GET    /dashboard/usage?from=DATE&to=DATE    UsageView                             both inclusive, UTC
 *     GET    /dashboard/requests                   RequestsView                          RequestQuery, newest first
 *     GET    /dashboard/requests/summary           RequestSummaryView                    RequestQuery
 *     GET    /dashboard/requests/export?format=csv all of them, as a file (csv or jsonl) RequestQuery
 *     GET    /dashboard/credits                    CreditsView                           `?after=` for the next page of grants
 *     GET    /dashboard/credits/entries            EntriesView                           EntriesQuery, newest first
 *     GET    /dashboard/credits/entries/export     the same entries as CSV               EntriesQuery
 *     GET    /dashboard/prices                     PricesView                            needs no session
 *     GET    /dashboard/purchases?after=           PurchasesView                         newest first
 *     POST   /dashboard/purchases    PurchaseOrder CheckoutView                          201
 *     GET    /dashboard/purchases/<id>             PurchaseView                          looks up the payment
 *     GET    /dashboard/notifications                    NotificationsView
 *     PUT    /dashboard/notifications         NotificationsView NotificationsView
 *     POST   /dashboard/notifications/unsubscribe?token= UnsubscribedView                      no session, any origin
 *     GET    /dashboard/webhooks                   EndpointsView                         oldest first
 *     POST   /dashboard/webhooks     EndpointOrder EndpointSecretView                    201
 *     PUT    /dashboard/webhooks/<id> EndpointOrder { endpoint: EndpointView }
 *     DELETE /dashboard/webhooks/<id>              {}
 *     POST   /dashboard/webhooks/<id>/secret       EndpointSecretView                    201, rotates the secret
 *     GET    /dashboard/webhooks/<id>/deliveries?after=            DeliveriesView        newest first
 *     POST   /dashboard/webhooks/<id>/deliveries/<delivery>/again  { id: string }        201, of the new delivery
 *     POST   /dashboard/webhooks/<id>/test         { id: string }                        201, of the delivery
 *     GET    /dashboard/sessions                   { sessions: SessionView[] }
 *     DELETE /dashboard/sessions/<id>              {}                                    `others`: all but this one
 *     GET    /dashboard/events?after=              EventsView                            newest first
 *     GET    /dashboard/events/export?format=csv   all events, as a file (csv or json)
 *     GET    /dashboard/account/export             everything about the user, as a file  a fresh proof
 *     GET    /dashboard/account/export/ready       {}                                    a fresh proof
 *     GET    /dashboard/account/export/entries     ledger entries, as JSON lines         a fresh proof
 *     POST   /dashboard/account/close   CloseOrder {}                                    a fresh proof
 *     POST   /dashboard/account/email    { email } { sent: true }                        a fresh proof; a code to the new address
 *     POST   /dashboard/account/email/code { code } { email }
 *     GET    /dashboard/passkeys                   PasskeysView
 *     PUT    /dashboard/passkeys/demand DemandOrder {}                                   a fresh proof
 *     PATCH  /dashboard/passkeys/<id>     { name } { passkey: PasskeyView }
 *     DELETE /dashboard/passkeys/<id>              {}                                    a fresh proof
 *     GET    /dashboard/proof                      ProofView
 *
 * Signing in, which is also how the user proves who they are:
 *
 *     POST   /dashboard/auth/sign-in/start { email } StartedView
 *     POST   /dashboard/auth/sign-in/code { code }  SignedInView                          digits; spaces and hyphens are ignored
 *     POST   /dashboard/auth/sign-in/link { secret } LinkView                             the fragment of the link in the email
 *     POST   /dashboard/auth/undo-email-change { secret } { email }                       the fragment of the link in the email
 *     POST   /dashboard/auth/passkey/verify-registration { response, name } { id }       201, a fresh proof
 *     POST   /dashboard/auth/passkey/verify-authentication { response } {}
 *
 * Other paths of `/dashboard/auth/*` are Better Auth's (`auth-routes.ts`). HEAD works like GET, without a body.
 */

import type { ActivityEvent } from "#accounts/activity-log.ts";
import type { ListedRequest, RequestEntry, ToolRequests } from "#accounts/request-log.ts";
import type { StarterOutcome } from "#accounts/starter-claim.ts";
import type { Offer } from "#billing/price-list.ts";
import type { Delivery } from "#events/event-store.ts";
import type { LedgerEventKind } from "#ledger/events.ts";
import type { BudgetLeft, BudgetPeriod } from "#ledger/key-limits.ts";
import type { GrantKind } from "#ledger/port.ts";
import type { CreditSales } from "#top-up.ts";

export type Provider = "github" | "google";

/** The current user, if any, and what the service offers. Needs no session. */
export type Visitor = {
  user: UserView | null;
  signUp: "open" | "closed";
  providers: Provider[];
  starter: { credits: number; days: number };
  /** Base of the API's URLs, without a slash at its end. */
  apiUrl: string;
  /** Where passkeys work: only on pages of this origin. Null: nowhere, because PUBLIC_URL is an IP address or not HTTPS. */
  passkeyOrigin: string | null;
  /** True if emails go to the outbox folder and the log because no mail server is configured. */
  emailsStayHere: boolean;
  /** How the service sells credits. */
  sales: CreditSales;
  /** Whether the service keeps a log of requests, which the page `/requests` shows. */
  requestLog: boolean;
};

/**
 * `POST /dashboard/auth/sign-in/start`: the same for every address. `signUpsFrom` and `signInsFrom`: a time until which the service sends no
 * codes to new addresses, or to those of accounts, because so many were requested; null: it sends them.
 */
export type StartedView = { sent: true; signUpsFrom: number | null; signInsFrom: number | null };
/** `signedUp`: the sign-in made a new account. */
export type SignedInView = { signedUp: boolean };
/** `code`: the link was opened in another browser than the sign-in began in; it signs in there. Null: this browser is signed in. */
export type LinkView = SignedInView & { code: string | null };

/** `GET /dashboard/passkeys`: oldest passkey first. `demandsPasskey`: only a passkey signs in. */
export type PasskeysView = {
  passkeys: PasskeyView[];
  passkeysMax: number;
  demandsPasskey: boolean;
};
export type DemandOrder = Pick<PasskeysView, "demandsPasskey">;
export type PasskeyView = {
  id: string;
  name: string;
  createdAt: number | null;
  lastUsedAt: number | null;
};
/** How the user can sign in again to prove who they are, best first. `code`: by an emailed code. */
export type ProofMethod = "passkey" | "code" | Provider;
export type ProofView = { email: string; methods: ProofMethod[] };

export type UserView = {
  email: string;
  createdAt: number;
  account: {
    id: string;
    state: "open" | "suspended";
    balance: number;
    /** Whether the balance is below the user's alert level, or used up so that calls are rejected. */
    level: "enough" | "low" | "gone";
    /** What calls cost this account, by tool, where the operator has set it. */
    prices: Readonly<Record<string, number>>;
  };
  /** Whether only a passkey signs in. */
  demandsPasskey: boolean;
  /** The linked social sign-ins. */
  providers: Provider[];
};

export type HomeView = {
  balance: number;
  /** What running calls hold, which the balance does not include. */
  held: number;
  /** Whether the next call is free. */
  freeCall: boolean;
  /** Since midnight UTC; null while there are too many calls that are not added up yet. */
  today: { calls: number; credits: number } | null;
  /** How many keys are not revoked. */
  keys: number;
  /** The 5 of them that made the most calls today; of those without calls, the ones that were used last. */
  topKeys: HomeKeyView[];
  /** The key that expires next, if one does within 30 days. */
  keyExpiry: { id: string; label: string; at: number } | null;
  /** The next part of the balance to expire. */
  nextExpiry: { credits: number; at: number } | null;
  /** Why an account without any grant did not get starter credits; null where it has grants, or nothing is known. */
  noStarter: Exclude<StarterOutcome, "granted"> | null;
  /**
   * The last 14 UTC days including today, oldest first; null while there are too many calls that are not added up yet. `errors`: null
   * where the service keeps no request log.
   */
  days: { day: string; calls: number; errors: number | null }[] | null;
  /** Credits per day, averaged over the last 7 days with today, or those that the account has existed for; null like `days`. */
  creditsPerDay: number | null;
  /** The 5 newest requests with an error; null where the service keeps no request log. */
  lastErrors: RequestView[] | null;
  /** What the account has set up, for suggestions. `alerts`: emails about a low balance, or a webhook endpoint. */
  setUp: { passkey: boolean; alerts: boolean };
};

export type HomeKeyView = {
  id: string;
  label: string;
  start: string;
  lastUsedAt: number | null;
  /** Since midnight UTC; null while there are too many that are not added up yet. */
  callsToday: number | null;
};

/** The parts of a request's latency. */
export type RequestTimes = RequestEntry["times"];

/** A call to a tool by a key of the account, with any status. `key`: null where it is not known any more. */
export type RequestView = Omit<ListedRequest, "key"> & { key: string | null };

/**
 * The filters of the request log, as query parameters; omitted: all. `status`: `ok`, `errors`, or a status such as `429`.
 * `id`: an exact request id. `from` (inclusive) and `to` (exclusive): times in milliseconds. `before`: the `cursor` of the last
 * request of a page, for the next page. `after`: the `cursor` of the newest request, for those that came since.
 */
export type RequestQuery = {
  tool?: string;
  key?: string;
  status?: string;
  code?: string;
  id?: string;
  from?: number;
  to?: number;
  before?: string;
  after?: string;
};

/** A page of at most 50 requests. `keptDays`, `keptMax`: how long and how many requests of an account are kept. */
export type RequestsView = {
  requests: RequestView[];
  /** The value of `before` for the next page; null on the last. Where a search takes long, a page may be short or empty before it. */
  next: string | null;
  /** Every key of the account that the page names. */
  keys: KeyName[];
  keptDays: number;
  keptMax: number;
};

/** The requests that the filters select, by tool. Percentiles are of `times.total`, in milliseconds, of successful requests. */
export type RequestSummaryView = { tools: ToolRequests[] };

/** By which pages name a key. */
export type KeyName = Pick<KeyView, "id" | "label" | "start" | "revokedAt">;

export type KeyView = {
  id: string;
  label: string;
  /** The first characters: enough to tell keys apart, too few to use the key. */
  start: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  /** Calls since the start of the hour 24 hours ago; null while there are too many that are not added up yet. */
  callsLastDay: number | null;
  /** Null if the key has no limits of its own. */
  limits: KeyLimitsView | null;
  /** When the secret before the last rotation stops working, or when it did; null if the key was never rotated. */
  previousUntil: number | null;
  /** The key is older than 90 days and was not used for as long, so its owner should consider revoking it. */
  isUnused: boolean;
};

/** Each member is null where the key has no such limit. A key whose `expiresAt` has passed gets 401. */
export type KeyLimitsView = {
  expiresAt: number | null;
  tools: readonly string[] | null;
  networks: readonly string[] | null;
  /** Calls per second. */
  rate: number | null;
  budgets: Record<BudgetPeriod, BudgetLeft | null>;
};
export type { BudgetLeft, BudgetPeriod } from "#ledger/key-limits.ts";

/** `bounds`: what limits can name, for the form. `callsPerSecond` is the rate limit of the account; 0: it has none. */
export type KeysView = {
  keys: KeyView[];
  bounds: {
    tools: readonly string[];
    callsPerSecond: number;
    networksMax: number;
    rotationDaysMax: number;
  };
};

/** `label`: 1 to 100 characters on one line. `limits`: a member that is missing or null is no limit, and so is null. */
export type KeyOrder = { label: string; limits?: KeyLimitsOrder | null };
/** What is missing stays as it is. `limits` replaces all limits of the key; what its budgets have spent stays. */
export type KeyChange = Partial<KeyOrder>;
export type KeyLimitsOrder = {
  expiresAt?: number | null;
  tools?: string[] | null;
  /** Addresses or networks in CIDR notation. */
  networks?: string[] | null;
  rate?: number | null;
  budgets?: Partial<Record<BudgetPeriod, number | null>>;
};

/**
 * `keepHours`: how long the old secret keeps working, from 0 to 720 hours. `again` repeats a rotation whose response was lost:
 * the `previousUntil` that it set. Then only the lost secret is replaced, and the old one keeps its end.
 */
export type RotateOrder = { keepHours: number } | { again: number };

export type UsageView = {
  from: string;
  to: string;
  /** By UTC day (`2026-11-21`), tool and key; days without calls are left out. */
  rows: { day: string; tool: string; key: string; calls: number; credits: number }[];
  /** Every key of the account, to name the rows. */
  keys: KeyName[];
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
  /** When it would expire without the lifetime plan; null if the plan does not change that. */
  waivedExpiresAt: number | null;
};

/** A page of the grants: in spending order, and spent and expired grants last. */
export type CreditsView = {
  balance: number;
  /** What running calls hold, which the balance does not include. */
  held: number;
  lifetime: boolean;
  /** All credits that expire at the earliest time at which any do. */
  nextExpiry: { credits: number; at: number } | null;
  /** The credits of the balance that never expire; null on any other page than the first. */
  permanent: number | null;
  grants: GrantView[];
  next: string | null;
};

/** An offer. `priceText`: for example `€5.00`. */
export type OfferView = Offer & { priceText: string };

/** `GET /dashboard/prices`; needs no session. */
export type PricesView = {
  packs: OfferView[];
  lifetime: OfferView | null;
  /** Whether the dashboard takes payments; otherwise buyers contact the operator. */
  payable: boolean;
  /** Whether taxes are added, depending on the buyer's address. */
  taxesAdded: boolean;
  /** An email address or a URL of the operator; null if none is configured. */
  contact: string | null;
  /** The id of the offer to mark; null: none. */
  recommended: string | null;
};

/** `POST /dashboard/purchases` takes the offer's id and returns the payment page. */
export type PurchaseOrder = { offer: string };
export type CheckoutView = { id: string; url: string };

export type PurchaseView = {
  id: string;
  at: number;
  name: string;
  kind: "pack" | "lifetime";
  credits: number;
  /** The amount paid, including taxes; the price until it is paid. */
  amountText: string;
  refundedText: string | null;
  /**
   * `open`: not paid yet; `pending`: the payment is being processed; `settling`: paid, the credits follow in a moment;
   * `paid`: the credits are granted; `trouble`: paid, but the credits cannot be granted without the operator.
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
  /** After a refund or dispute: credits clawed back, and credits that were already spent. */
  voided: number;
  spent: number;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  /** The payment page of an open purchase. */
  payUrl: string | null;
};
/** `GET /dashboard/purchases?after=`, newest first; `GET /dashboard/purchases/:id` returns one of them. */
export type PurchasesView = { purchases: PurchaseView[]; next: string | null };

/** `GET` and `PUT /dashboard/notifications`. */
export type NotificationsView = { lowBalance: number; emails: { low: boolean; expiring: boolean } };

/** The kind of emails that the link unsubscribes from. */
export type UnsubscribedView = { emails: "low" | "expiring" };

export type { LedgerEventKind } from "#ledger/events.ts";

/** `GET /dashboard/webhooks`, `POST` and `PUT /dashboard/webhooks/:id` take `EndpointOrder`. */
export type EndpointOrder = { url: string; kinds: LedgerEventKind[]; paused: boolean };
export type EndpointView = EndpointOrder & {
  id: string;
  createdAt: number;
  /** Until when webhooks are also signed with the secret before the last rotation; null if they are not. */
  previousSecretUntil: number | null;
  /** Null while it is not paused. `gone`: the endpoint responded with 410, so we paused it. */
  pausedAt: number | null;
  pausedBy: "owner" | "gone" | null;
  /** Of the newest 200 deliveries. `lastFailure`: the last delivery that failed and has not succeeded since. */
  lastDeliveredAt: number | null;
  lastFailure: { at: number; lastStatus: number | null; lastError: string | null } | null;
};
/** A new endpoint, or one whose secret was rotated. The only responses that contain a secret. */
export type EndpointSecretView = { endpoint: EndpointView; secret: string };
export type EndpointsView = { endpoints: EndpointView[]; max: number };

/** `GET /dashboard/webhooks/:id/deliveries?after=`, newest first. */
export type DeliveryView = Omit<Delivery, "endpoint" | "account" | "createdAt"> & { at: number };
export type DeliveriesView = { deliveries: DeliveryView[]; next: string | null };

export type EntryView = {
  /** Unique within the account. */
  id: string;
  at: number;
  /** `usage`: rolled-up debits of one UTC hour, key and tool. */
  kind: "grant" | "debit" | "reversal" | "expiry" | "void" | "usage";
  /** What the entry adds to the balance; negative for debits. 0 for the free first call. */
  credits: number;
  /** The grant that was made, debited or restored; the first of several. */
  grant: { id: string; kind: GrantKind } | null;
  /** The share of each of several grants, with its sign; null for one grant or none. */
  parts: { grant: { id: string; kind: GrantKind }; credits: number }[] | null;
  tool: string | null;
  /** The id of the key that was used. */
  key: string | null;
  /** 1 for a debit, more for `usage`, null for an entry that is not a call. */
  calls: number | null;
};

/**
 * The filters of the ledger, as query parameters; omitted: all. `kind`: kinds of entries, separated by commas. `from`, `to`: UTC
 * days such as `2026-11-21`, both inclusive. `after`: the `next` of the page before.
 */
export type EntriesQuery = {
  after?: string;
  kind?: string;
  tool?: string;
  key?: string;
  from?: string;
  to?: string;
};

/** An entry with the balance after it: the sum of it and all older ones. Null where the service did not add it up. */
export type BalancedEntryView = EntryView & { balance: number | null };

/**
 * `next` is the value of `after` for the next page; null on the last page. A filtered page may have few entries, or none, although
 * more follow: `searchedTo` then says how far back the service looked.
 */
export type EntriesView = {
  entries: BalancedEntryView[];
  next: string | null;
  searchedTo: number | null;
};

export type SessionView = {
  id: string;
  current: boolean;
  createdAt: number;
  lastSeenAt: number;
  /** The network address that opened the session; null if it is not known. */
  address: string | null;
  userAgent: string | null;
};

export type { EventKind } from "#accounts/activity-log.ts";

export type EventView = ActivityEvent;
export type EventsView = { events: EventView[]; next: string | null };

/** To close the account, the user enters its email address. */
export type CloseOrder = { email: string };

export type { DashboardErrorCode } from "./dashboard-error.ts";

/** Problem details (RFC 9457): every error below `/dashboard/` has this form. `detail` is written for the user. */
export type DashboardProblem = {
  ok: false;
  type: "about:blank";
  title: string;
  status: number;
  /** A `DashboardErrorCode`, or a code of Better Auth. */
  code: string;
  detail: string;
  requestId: string;
};
