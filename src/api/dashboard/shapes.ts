/**
 * The requests and responses of the dashboard API: plain JSON, times in milliseconds since 1970 UTC.
 * The handlers in this folder and the pages in `web/` share these types.
 * The routes are those of `dashboard-app.ts` and `auth-routes.ts`.
 */

import type { ActivityEvent } from "#accounts/activity-log.ts";
import type { ListedRequest, RequestEntry, ToolRequests } from "#accounts/request-log.ts";
import type { StarterOutcome } from "#accounts/starter-claim.ts";
import type { Starter } from "#accounts/welcome.ts";
import type { Offer } from "#billing/price-list.ts";
import type { Purchase } from "#billing/purchase-store.ts";
import type {
  Delivery,
  Endpoint,
  EndpointHistory,
  NotificationChoice,
} from "#events/event-store.ts";
import type { Entry } from "#ledger/entries.ts";
import type { LedgerEventKind } from "#ledger/events.ts";
import type { BudgetLeft, BudgetPeriod, KeyBudgets, KeyLimits } from "#ledger/key-limits.ts";
import type { AccountStatus, Grant, Key, Outcome } from "#ledger/port.ts";
import type { CreditSales } from "#top-up.ts";

export type Provider = "github" | "google";

/** The current user, if any, and what the service offers. Needs no session. */
export type Visitor = {
  user: UserView | null;
  signUp: "open" | "closed";
  providers: Provider[];
  starter: Starter;
  /** Whether the first call of an account is free for any tool. */
  hasFreeCall: boolean;
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

/** `GET /dashboard/passkeys`: oldest passkey first. `requiresPasskey`: only a passkey signs in. */
export type PasskeysView = {
  passkeys: PasskeyView[];
  passkeysMax: number;
  requiresPasskey: boolean;
};
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
  account: Pick<AccountStatus, "balance" | "prices"> & {
    id: string;
    state: "open" | "suspended";
    /** Whether the balance is below the user's alert level, or used up so that calls are rejected. */
    level: "enough" | "low" | "gone";
  };
  /** Whether only a passkey signs in. */
  requiresPasskey: boolean;
  /** The linked social sign-ins. */
  providers: Provider[];
};

export type HomeView = Pick<CreditsView, "balance" | "held" | "nextExpiry"> & {
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

export type HomeKeyView = Pick<KeyView, "id" | "label" | "start" | "lastUsedAt"> & {
  /** Since midnight UTC; null while there are too many that are not added up yet. */
  callsToday: number | null;
};

/** The parts of a request's latency. */
export type RequestTimes = RequestEntry["times"];

/** A call to a tool by a key of the account, with any status. `key`: null where it is not known any more. */
export type RequestView = Omit<ListedRequest, "key"> & { key: string | null };

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

/** `start`: the first characters, enough to tell keys apart and too few to use the key. */
export type KeyView = Pick<
  Key,
  "id" | "label" | "start" | "createdAt" | "lastUsedAt" | "revokedAt"
> & {
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
export type KeyLimitsView = Omit<KeyLimits, "budgets"> & {
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
export type KeyLimitsOrder = Partial<Omit<KeyLimits, "budgets">> & {
  budgets?: Partial<KeyBudgets>;
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

export type GrantView = Grant;

/** A page of the grants: in spending order, and spent and expired grants last. */
export type CreditsView = Omit<Outcome<"credits">, "hasGrants">;

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

/** `voided`, `spent`: after a refund or dispute, the credits that were clawed back, and those that were already spent. */
export type PurchaseView = Pick<Offer, "name" | "kind" | "credits"> &
  Pick<Purchase, "id" | "paidAt" | "voided" | "spent" | "receiptUrl" | "invoiceUrl"> & {
    at: number;
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
      | "charged_back"
      | "trouble";
    /** The payment page of an open purchase. */
    payUrl: string | null;
  };
/** `GET /dashboard/purchases?after=`, newest first; `GET /dashboard/purchases/:id` returns one of them. */
export type PurchasesView = { purchases: PurchaseView[]; next: string | null };

/** `GET` and `PUT /dashboard/notifications`. */
export type NotificationsView = NotificationChoice & { lowBalance: number };

/** The kind of emails that the link unsubscribes from. */
export type UnsubscribedView = { emails: keyof NotificationChoice["emails"] };

export type { LedgerEventKind } from "#ledger/events.ts";

/** `GET /dashboard/webhooks`; `POST` takes an `EndpointOrder`, and `PATCH /dashboard/webhooks/:id` what of it changes. */
export type EndpointOrder = { url: string; kinds: LedgerEventKind[]; paused: boolean };
/** The history is that of the newest 200 deliveries. */
export type EndpointView = EndpointOrder &
  Pick<Endpoint, "id" | "createdAt" | "pausedAt" | "pausedBy"> &
  EndpointHistory & {
    /** Until when webhooks are also signed with the secret before the last rotation; null if they are not. */
    previousSecretUntil: number | null;
  };
/** A new endpoint, or one whose secret was rotated. The only responses that contain a secret. */
export type EndpointSecretView = { endpoint: EndpointView; secret: string };
export type EndpointsView = { endpoints: EndpointView[]; max: number };

/** `GET /dashboard/webhooks/:id/deliveries?after=`, newest first. */
export type DeliveryView = Omit<Delivery, "endpoint" | "account" | "createdAt"> & { at: number };
export type DeliveriesView = { deliveries: DeliveryView[]; next: string | null };

export type EntryView = Omit<Entry, "balance">;

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
