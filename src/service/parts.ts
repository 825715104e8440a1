import type { AccountDeps } from "#accounts/accounts.ts";
import type { ActivityLog } from "#accounts/activity-log.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import type { Directory } from "#accounts/directory.ts";
import type { Counts } from "#accounts/request-counts.ts";
import type { RequestLogReads } from "#accounts/request-log.ts";
import type { DashboardDeps } from "#api/dashboard/dashboard-deps.ts";
import type { OperatorAppWiring } from "#api/operator/operator-app.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { AppContext } from "#calls/app-context.ts";
import type { Config } from "#config/config.ts";
import type { DropReason, EmailQueue } from "#email/email-queue.ts";
import type { TransportKind } from "#email/transport.ts";
import type { EventStore } from "#events/event-store.ts";
import type { NotificationEmails } from "#events/notification-emails.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import type { OperatorQueue } from "#jobs/operator-jobs.ts";
import type { LedgerEvents } from "#ledger/events.ts";
import type { Ledger } from "#ledger/port.ts";
import type { OperatorContext } from "#operator/context.ts";
import type { Sealer } from "#seal.ts";
import type { Logo } from "#site/logo.ts";
import type { SiteContext } from "#site/site-context.ts";
import type { Tool } from "#tools/define-tool.ts";

/** What a service is made of: its configuration, its stores, and what its runtime supplies. compose.ts puts them together. */

/** The settings, and what follows from them and from where the service runs. Plain data. */
export type ServiceConfig = Config & {
  publicUrl: string;
  /** The origins of our pages; the first is that of PUBLIC_URL. */
  origins: readonly string[];
  /** Those to which passkeys may belong. Omitted: all. */
  passkeyOrigins?: readonly string[];
  /** The first one signs new keys; all of them verify keys. */
  secrets: readonly string[];
  /** Null if nothing is for sale. */
  prices: PriceList | null;
  /** The operator's logo; omitted: there is none. */
  logo?: Logo | null;
};

/** The storage of the dashboard and of operators. */
export type DashboardStores = {
  ledger: Ledger;
  directory: Directory;
  activityLog: ActivityLog;
  emailQueue: EmailQueue;
  jobs: JobQueue;
  purchases: PurchaseStore;
  events: EventStore;
  /** The events that are not dispatched yet. */
  ledgerEvents: LedgerEvents;
  signInDatabase: AuthOptions["database"];
  rethrowDatabaseErrors?: AuthOptions["rethrowDatabaseErrors"];
  /** The counts of requests that several processes share; null: this process counts in memory. */
  counts: Counts | null;
  /** Null if the service keeps no request log. */
  requests: RequestLogReads | null;
  forgetRequests?: AccountDeps["forgetRequests"] | undefined;
  /** The queues that operators see. */
  queues: readonly OperatorQueue[];
  /** How operators read and move all the data, which depends on where it is. */
  operator: Pick<
    OperatorContext,
    | "ledger"
    | "actions"
    | "index"
    | "imports"
    | "whole"
    | "exportRecords"
    | "backup"
    | "keptSecrets"
    | "pause"
  >;
};

/** A tool, as the dashboard knows it: a key can be limited to it, and the first call of an account may be free. */
export type ToolOffered = Pick<Tool, "name" | "price"> & { priceOf?: unknown };

/** What a runtime supplies to the dashboard and to operators. */
export type DashboardPlatform = Pick<AppContext, "now" | "random" | "hashKey"> & {
  tools: readonly ToolOffered[];
} & Pick<DashboardDeps, "onRejection" | "logWarning" | "logError" | "readTurns"> &
  Pick<OperatorAppWiring, "logAction"> & {
    wait(ms: number): Promise<unknown>;
    /** Keeps work alive after a response. Its failures are logged before. */
    waitUntil(work: Promise<unknown>): void;
    onEmailDropped?(reason: DropReason): void;
    /** The domains of disposable addresses. Read when they are first needed. */
    readDisposableDomains(): Promise<readonly string[]>;
    /** Whether a request may not wait for what another one began, as in a Worker. Sign-in is then made anew for each request. */
    isForOneRequest: boolean;
    startBackground(work: BackgroundWork): Background;
  };

/** What the background work needs, besides what a runtime has. */
export type BackgroundWork = {
  /** Tells so many owners about the upgrade who have not been told. */
  tellOwners(max: number): Promise<void>;
  config: ServiceConfig;
  stores: DashboardStores;
  emails: NotificationEmails;
  /** Seals and opens the content of emails. */
  sealer: Sealer;
  /** Opens the secrets of webhook endpoints. */
  endpointSealer: Sealer;
  transportKind: TransportKind;
};

/** Emails, events, webhooks and what is deleted after some time. */
export type Background = {
  /** Sends the emails that were queued just now. */
  sendEmails(): void;
  /** Delivers webhooks that became due just now. */
  deliverWebhooks(): void;
  /** What a runtime that starts nothing by itself does each minute. */
  scheduled(at: number): Promise<void>;
  close(): Promise<void>;
};

/** The dashboard and the operator API, in this process or on another thread. */
export type Dashboard = {
  /** `body`: as it was read and inflated. */
  fetch(request: Request, body: Uint8Array, connection: unknown): Promise<Response>;
  /** `connection` is null for the socket in the data folder. */
  fetchForOperator(request: Request, connection: unknown | null): Promise<Response>;
  scheduled(at: number): Promise<void>;
  close(): Promise<void>;
};

/** The pages of `web/`, `docs/` and the operator. */
export type SiteFiles = Pick<SiteContext, "pages" | "docs" | "legal">;
