import type { accountEmails } from "#accounts/account-emails.ts";
import type { AccountDeps } from "#accounts/accounts.ts";
import type { ActivityLog } from "#accounts/activity-log.ts";
import type { Auth } from "#accounts/auth.ts";
import type { KeyBounds } from "#accounts/key-limits.ts";
import type { ReadTurns } from "#accounts/read-turns.ts";
import type { RecordActivity } from "#accounts/record-activity.ts";
import type { RequestLogBounds, RequestLogReads } from "#accounts/request-log.ts";
import type { Starter } from "#accounts/welcome.ts";
import type { Billing } from "#billing/billing.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { WhenSendable } from "#email/bounds.ts";
import type { EmailSender } from "#email/email-layout.ts";
import type { WebhookNetworks } from "#events/endpoint-url.ts";
import type { EventStore } from "#events/event-store.ts";
import type { Downloads } from "./downloads.ts";
import type { Rejection } from "./rejections.ts";
import type { Provider } from "./shapes.ts";

/** Everything that a runtime passes to the dashboard's app, which depends on no runtime and no store. */
export type DashboardDeps = {
  settings: EmailSender & {
    /** The origins of our pages; the first is that of PUBLIC_URL. */
    origins: readonly string[];
    signUp: "open" | "closed";
    providers: readonly Provider[];
    starter: Starter;
    /** Whether the first call of an account is free for any tool. */
    hasFreeCall: boolean;
    /** True if emails go to the outbox folder and the log because no mail server is configured. */
    emailsStayHere: boolean;
    /** The networks in which webhook endpoints may be. */
    webhookNetworks: WebhookNetworks;
    /** What the limits of a key can name. */
    keyBounds: KeyBounds;
    /** The key of the hashes in the cookie of known browsers. */
    secret: string;
  };
  auth: Auth;
  accountDeps: AccountDeps;
  activityLog: ActivityLog;
  recordActivity: RecordActivity;
  /** Without the methods for delivery. */
  events: Omit<EventStore, "handle" | "pauseEndpoint" | "findDelivery" | "forget">;
  /** Null if the service keeps no request log. */
  requests: { log: RequestLogReads; bounds: RequestLogBounds } | null;
  /** The downloads that run in this process. */
  downloads: Downloads;
  /** Each page of rows of a download takes a turn, as do searches of the request log. */
  readTurns: ReadTurns;
  /** The price list (null: nothing is sold), the payment provider (null: none), and the purchases. */
  sales: {
    prices: PriceList | null;
    /** Where customers reach the operator; null: not said. */
    contact: string | null;
    billing: Billing | null;
    purchases: Pick<PurchaseStore, "find" | "list">;
  };
  emails: ReturnType<typeof accountEmails>;
  /** When the service may send another email that anyone can request. */
  whenSendable: WhenSendable;
  /** The time of day in milliseconds since 1970 UTC. */
  now(): number;
  newRequestId(): string;
  /** An unguessable token for a link. */
  newSecret(): string;
  /** Keeps work alive after the response; failures are logged. */
  inBackground(work: Promise<unknown>): void;
  /** Starts work when the response has left, so that its duration does not depend on it; failures are logged. */
  afterResponse(work: () => Promise<unknown>): void;
  logError(message: string, details: { requestId?: string; cause?: unknown }): void;
  /** Counts a rejected request in the metrics; these are no errors of the service. */
  onRejection(reason: Rejection): void;
  /** Logs a line that is not an error. */
  logWarning(message: string): void;
};
