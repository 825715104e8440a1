import { accountEmails } from "#accounts/account-emails.ts";
import type { AccountDeps } from "#accounts/accounts.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import { createDisposableEmail } from "#accounts/disposable-email.ts";
import { keyedHex } from "#accounts/keyed-hash.ts";
import { createRecordActivity } from "#accounts/record-activity.ts";
import {
  createRequestCounts,
  createSharedCounts,
  type RequestCounts,
} from "#accounts/request-counts.ts";
import { exhaustedText } from "#accounts/starter-claim.ts";
import { tellOwners } from "#accounts/tell-owners.ts";
import type { DashboardApp, DashboardBounds } from "#api/dashboard/dashboard-app.ts";
import type { DashboardDeps } from "#api/dashboard/dashboard-deps.ts";
import { createDownloads } from "#api/dashboard/downloads.ts";
import { isKnownBrowser, knownBrowserSecret } from "#api/dashboard/known-browser.ts";
import { hasFreeCall } from "#api/openapi/words.ts";
import type { OperatorApp } from "#api/operator/operator-app.ts";
import type { Billing } from "#billing/billing.ts";
import { salesOf } from "#billing/price-list.ts";
import { createWhenSendable } from "#email/bounds.ts";
import type { EmailSender } from "#email/email-layout.ts";
import { createMail, emailSealer, type QueuedMail } from "#email/email-queue.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import { endpointSealer } from "#events/endpoint-secrets.ts";
import { createNotificationEmails } from "#events/notification-emails.ts";
import { createIds, randomBase62 } from "#ids.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import { REQUESTED_EMAILS, STARTER_BUDGETS } from "#limits.ts";
import { emailSenderOf } from "#site/accent.ts";
import { openBilling } from "./billing.ts";
import type { Background, DashboardPlatform, DashboardStores, ServiceConfig } from "./parts.ts";

/** Everything for members and operators: sign-in, the dashboard's API, the operator API, emails, events and webhooks. */
export type DashboardParts = {
  config: ServiceConfig;
  stores: DashboardStores;
  platform: DashboardPlatform;
};

export type LocalDashboard = DashboardApp &
  Pick<Background, "scheduled" | "close"> & { operator: OperatorApp; stopDownloads(): void };

/** What several parts share. */
type Shared = {
  mail: QueuedMail;
  sender: EmailSender;
  accountDeps: AccountDeps;
  billing: Billing | null;
  counts: RequestCounts;
  inBackground(work: Promise<unknown>): void;
  newRequestId(): string;
};

export function createDashboard(parts: DashboardParts): LocalDashboard {
  const { config, stores, platform } = parts;
  const { now, random, logError } = platform;
  const transportKind = transportKindOf(config.mail);
  const sealer = emailSealer(config.secrets);
  const sender = emailSenderOf(config);
  const billing = billingOf(parts);
  const background = platform.startBackground({
    ...{ config, stores, sealer, transportKind },
    tellOwners: (max) => tellOwners({ sender, activityLog: stores.activityLog, mail, now, max }),
    endpointSealer: endpointSealer(config.secrets),
    emails: createNotificationEmails({
      ...{ sender, secrets: config.secrets },
      sales: salesOf(config.prices, config.stripe !== null, config.contact),
    }),
  });
  const mail = createMail(
    {
      ...{ queue: stores.emailQueue, transportKind, sealer, now, random, logError },
      bounds: REQUESTED_EMAILS,
      onDropped: (reason) => platform.onEmailDropped?.(reason),
    },
    background.sendEmails,
  );
  const inBackground = (work: Promise<unknown>) =>
    platform.waitUntil(
      work.catch((cause) => logError("Background work after a response failed", { cause })),
    );
  const newId = createIds(random);
  const shared: Shared = {
    ...{ mail, sender, billing, inBackground },
    counts: countsOf(parts),
    accountDeps: {
      ...{ ledger: stores.ledger, directory: stores.directory, secrets: config.secrets },
      keyPrefix: config.keyPrefix,
      ...{ random, hashKey: platform.hashKey, forgetRequests: stores.forgetRequests },
    },
    newRequestId: () => newId("req"),
  };
  const deps = depsOf(parts, shared);
  const app = appOf(parts, shared, deps);
  const operator = operatorOf(parts, shared);
  return {
    async fetch(request, peer) {
      const response = await (await app()).fetch(request, peer);
      if (response.ok && mayMakeDue(request)) background.deliverWebhooks();
      return response;
    },
    operator: { fetch: async (request, from) => (await operator()).fetch(request, from) },
    stopDownloads: deps.downloads.stop,
    scheduled: background.scheduled,
    close: background.close,
  };
}

/** Returns what gives the dashboard's app, with sign-in. Both are loaded by the first request for them: background work needs neither. */
function appOf(
  parts: DashboardParts,
  shared: Shared,
  deps: Omit<DashboardDeps, "auth">,
): () => Promise<DashboardApp> {
  const options = signInOptions(parts, shared);
  let bounds: DashboardBounds | undefined;
  let opened: DashboardApp | undefined;
  return async () => {
    if (opened !== undefined) return opened;
    const [{ createDashboardApp, createDashboardBounds }, { createAuth }] = await Promise.all([
      import("#api/dashboard/dashboard-app.ts"),
      import("#accounts/auth.ts"),
    ]);
    bounds ??= createDashboardBounds(shared.counts);
    const app = opened ?? createDashboardApp({ ...deps, auth: createAuth(options) }, bounds);
    if (!parts.platform.isForOneRequest) opened = app;
    return app;
  };
}

/** A delivery was resent or an endpoint resumed, so a webhook may be due. */
const mayMakeDue = ({ method, url }: Request) =>
  method !== "GET" && new URL(url).pathname.startsWith("/dashboard/webhooks/");

const newest = ({ secrets }: ServiceConfig) => secrets[0] as string;

function billingOf({ config, stores, platform }: DashboardParts): Billing | null {
  const { prices, stripe, secrets } = config;
  if (prices === null || stripe === null) return null;
  const { ledger, purchases } = stores;
  const { now, random, isForOneRequest: fetchClient } = platform;
  return openBilling({ prices, stripe, secrets, ledger, purchases, now, random, fetchClient });
}

function countsOf({ config, stores, platform: { now } }: DashboardParts): RequestCounts {
  const { counts } = stores;
  const secret = keyedHex(newest(config), "toolbooth sign-in throttle");
  return counts === null ? createRequestCounts(now) : createSharedCounts({ counts, secret, now });
}

function signInOptions(
  { config, stores, platform }: DashboardParts,
  { mail, sender, accountDeps, counts, inBackground }: Shared,
): AuthOptions {
  const { publicUrl, origins, secrets } = config;
  const { now, random, readDisposableDomains, isForOneRequest } = platform;
  const browserSecret = knownBrowserSecret(secrets);
  return {
    ...{ ...sender, accountDeps, now, mail, counts, inBackground },
    trustedOrigins: origins,
    passkeyOrigins: config.passkeyOrigins,
    secret: keyedHex(newest(config), "toolbooth sessions"),
    earlierSecrets: secrets.slice(1).map((each) => keyedHex(each, "toolbooth sessions")),
    signUp: config.signUp,
    starter: starterOf(config),
    starterPolicy: {
      budgets: STARTER_BUDGETS,
      disposable: createDisposableEmail(readDisposableDomains),
      onBudgetExhausted: (outcome) => platform.logWarning(exhaustedText(outcome)),
    },
    providers: config.providers,
    database: stores.signInDatabase,
    activityLog: stores.activityLog,
    isKnownBrowser: (headers, email) =>
      isKnownBrowser(headers, email, { publicUrl, secret: browserSecret }),
    newId: () => randomBase62(24, random),
    isForOneRequest,
    rethrowDatabaseErrors: stores.rethrowDatabaseErrors,
    logError: (message, cause) => platform.logError(message, { cause }),
  };
}

const starterOf = ({ starterCredits, starterDays }: ServiceConfig) => ({
  credits: starterCredits,
  days: starterDays,
});

const keyBoundsOf = ({ config, platform }: DashboardParts) => ({
  tools: platform.tools.map(({ name }) => name),
  callsPerSecond: config.rateLimit,
});

/** By then a response has left, even where many wait. */
const AFTER_RESPONSE_MS = 200;

function depsOf(
  parts: DashboardParts,
  { mail, sender, accountDeps, billing, inBackground, newRequestId }: Shared,
): Omit<DashboardDeps, "auth"> {
  const { config, stores, platform } = parts;
  const { secrets, requestLog, prices } = config;
  const { now, random } = platform;
  const { activityLog, emailQueue, events, purchases, requests } = stores;
  return {
    settings: {
      ...{ ...sender, origins: config.origins, signUp: config.signUp },
      providers: Object.keys(config.providers) as DashboardDeps["settings"]["providers"],
      starter: starterOf(config),
      hasFreeCall: hasFreeCall(platform.tools, config.freeCallCredits),
      emailsStayHere: transportKindOf(config.mail) === "outbox",
      webhookNetworks: config.webhookNetworks,
      keyBounds: keyBoundsOf(parts),
      secret: knownBrowserSecret(secrets),
    },
    ...{ accountDeps, activityLog, events, now, inBackground, newRequestId },
    recordActivity: createRecordActivity({ ...sender, activityLog, mail }),
    requests: requests === null ? null : { log: requests, bounds: requestLog },
    downloads: createDownloads(),
    readTurns: platform.readTurns,
    sales: { prices, billing, purchases, contact: config.contact },
    emails: accountEmails(sender, { mail, now }),
    whenSendable: createWhenSendable({ queue: emailQueue, bounds: REQUESTED_EMAILS, now }),
    newSecret: () => randomBase62(32, random),
    afterResponse: (work) => inBackground(platform.wait(AFTER_RESPONSE_MS).then(work)),
    logError: platform.logError,
    onRejection: platform.onRejection,
    logWarning: platform.logWarning,
  };
}

/** Returns what gives the operator API. Its operations are loaded by the first request for one. */
function operatorOf(
  parts: DashboardParts,
  { mail, sender, accountDeps, billing, inBackground, newRequestId }: Shared,
): () => Promise<OperatorApp> {
  const { config, stores, platform } = parts;
  const { directory, purchases, activityLog, requests } = stores;
  const { now, logAction, logError } = platform;
  let opened: OperatorApp | undefined;
  return async () => {
    const { createOperatorApp } = await import("#api/operator/operator-app.ts");
    opened ??= createOperatorApp({
      ...{ token: config.operatorToken, now, logAction, logError, newRequestId },
      waitUntil: inBackground,
      context: {
        ...{ directory, purchases, requests, accountDeps, billing, ...stores.operator },
        keyBounds: keyBoundsOf(parts),
        notify: { ...sender, activityLog, mail },
        jobs: operatorJobs(stores.queues),
      },
    });
    return opened;
  };
}
