import { waitUntil } from "cloudflare:workers";
import { bytesToHex } from "@noble/hashes/utils.js";
import { accountEmails } from "#accounts/account-emails.ts";
import { createAuth } from "#accounts/auth.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import { createDisposableEmail } from "#accounts/disposable-email.ts";
import { keyedHash } from "#accounts/keyed-hash.ts";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import { createRecordActivity } from "#accounts/record-activity.ts";
import { exhaustedText } from "#accounts/starter-claim.ts";
import { createIsCommonPassword } from "#accounts/weak-passwords.ts";
import type { AppContext } from "#api/app-context.ts";
import { createDashboardApp, createDashboardBounds } from "#api/dashboard/dashboard-app.ts";
import type { DashboardDeps } from "#api/dashboard/dashboard-deps.ts";
import { createDownloads } from "#api/dashboard/downloads.ts";
import { isKnownBrowser, knownBrowserSecret } from "#api/dashboard/known-browser.ts";
import { viewPrices } from "#api/dashboard/prices.ts";
import { createProofsOfWork } from "#api/dashboard/proof-of-work.ts";
import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { readBody } from "#api/pipeline/body.ts";
import { salesOf } from "#billing/price-list.ts";
import { warningsOfWorker } from "#config/setting-names.ts";
import { SETTINGS } from "#config/settings.ts";
import { createIds, randomBase62 } from "#ids.ts";
import {
  DASHBOARD_BODY_BYTES_MAX,
  REQUESTED_EMAILS,
  STARTER_BUDGETS,
  STRIPE_MESSAGE_BYTES_MAX,
} from "#limits.ts";
import { apiOptionsOf, type DashboardSite } from "#site/site-context.ts";
import { reversalsOfObjects } from "#stores/durable-object/ledger.ts";
import { objectsOf } from "#stores/durable-object/objects.ts";
import { withSummedUsage } from "#stores/ledger/summed-usage.ts";
import { createAccountIndex } from "#stores/sql/account-index.ts";
import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { createPasswords, deriveAtOnce } from "../node/passwords.ts";
import { clientAddressOf, createEdgeAppContext } from "./app-context.ts";
import { openEdgePages, readCommonPasswords, readDisposableDomains } from "./pages.ts";
import { openEdgeRequestLog } from "./request-log.ts";
import { textsIn } from "./settings.ts";
import { openEdgeEmails } from "./site-emails.ts";
import { openEdgeEvents } from "./site-notifications.ts";
import { openEdgeBilling } from "./site-sales.ts";
import type { DashboardConfig, SiteEnv } from "./site-settings.ts";
import { createEdgeThrottle } from "./site-throttle.ts";

/**
 * Creates the dashboard's dependencies on Cloudflare, once per isolate. They hold no pending work of a request, because one
 * request may not wait for another's promise; better-auth does hold such work and is created per request.
 */
export function openDashboardSide(env: SiteEnv, config: DashboardConfig) {
  const calls = createEdgeAppContext(callsPartOf(env));
  const { now, random, hashKey } = calls;
  const logError = withHint(calls.logError);
  for (const warning of warningsOfWorker(textsIn(env))) logError(warning, {});
  const { publicUrl, secrets, origins, signUp } = config;
  const store = createD1DashboardStore(env.DB);
  const index = createAccountIndex(store.database);
  const ledger = withSummedUsage(calls.ledger, { isShared: false });
  const reverseAll = reversalsOfObjects(objectsOf(env.LEDGER, env).ofAccount);
  const keyBounds = {
    tools: calls.tools.map(({ name }) => name),
    callsPerSecond: calls.settings.rateLimit,
  };
  const accountDeps = { ledger, directory: store.directory, secrets, random, hashKey };
  const derived = (purpose: string, secret = secrets[0] as string) =>
    bytesToHex(keyedHash(secret, purpose));
  const given = { now, random, waitUntil, logError };
  const emails = openEdgeEmails({
    settings: config.mail,
    secrets,
    queue: store.emailQueue,
    bounds: REQUESTED_EMAILS,
    jobs: store.jobs,
    ...given,
  });
  const throttle = createEdgeThrottle({
    objects: objectsOf(env.SIGN_IN, env),
    secret: derived("toolbooth sign-in throttle"),
    ...given,
  });
  const requests =
    config.requestLog.keptDays === 0
      ? null
      : { log: openEdgeRequestLog(env), bounds: config.requestLog };
  const pages = openEdgePages(env.ASSETS, logError);
  const starter = { credits: config.starterCredits, days: config.starterDays };
  const events = openEdgeEvents({ config, store, ledger, ...given });
  const billing = openEdgeBilling({ config, purchases: store.purchases, ledger, ...given });
  const sales = salesOf(config.prices, billing !== null);
  const passwords = createPasswords(deriveAtOnce);
  const isCommonPassword = createIsCommonPassword(() => readCommonPasswords(env.ASSETS));
  const inBackground = (work: Promise<unknown>) =>
    waitUntil(
      work.catch((cause) => logError("Background work after a response failed", { cause })),
    );

  const browserSecret = knownBrowserSecret(secrets);
  const authOptions: AuthOptions = {
    publicUrl,
    accountDeps,
    now,
    signUp,
    starter,
    starterPolicy: {
      budgets: STARTER_BUDGETS,
      disposable: createDisposableEmail(() => readDisposableDomains(env.ASSETS)),
      onBudgetExhausted: (outcome) => logError(exhaustedText(outcome), {}),
    },
    ...passwords,
    isCommonPassword,
    trustedOrigins: origins,
    // PUBLIC_URL is always set here, and passkeys belong to it, as on Node.
    passkeyOrigins: origins.slice(0, 1),
    secret: derived("toolbooth sessions"),
    earlierSecrets: secrets.slice(1).map((each) => derived("toolbooth sessions", each)),
    providers: config.providers,
    database: store.signInDatabase as AuthOptions["database"],
    activityLog: store.activityLog,
    mail: emails.mail,
    isKnownBrowser: (headers, email) =>
      isKnownBrowser(headers, email, { publicUrl, secret: browserSecret }),
    newId: () => randomBase62(24, random),
    countRequest: throttle.countRequest,
    isForOneRequest: true,
    inBackground,
    logError: (message, cause) => logError(message, { cause }),
  };
  const newId = createIds(random);
  const rest: Omit<DashboardDeps, "auth"> = {
    settings: {
      publicUrl,
      origins,
      signUp,
      starter,
      providers: Object.keys(config.providers) as DashboardDeps["settings"]["providers"],
      emailsStayHere: config.mail.api === null,
      webhookNetworks: config.webhookNetworks,
      keyBounds,
      secret: browserSecret,
    },
    accountDeps,
    now,
    logError,
    verifyPassword: passwords.verifyPassword,
    // There are no queues here: passwords are hashed one after the other in an isolate, and the platform adds isolates.
    inPasswordLane: (_, act) => act(),
    proofs: createProofsOfWork({ secret: derived("toolbooth proofs of work"), now }),
    // Workers have no `/metrics`. The API Worker's analytics count responses by status.
    onRejection: () => {},
    logWarning: (message) => console.warn(JSON.stringify({ message })),
    activityLog: store.activityLog,
    recordActivity: createRecordActivity({
      activityLog: store.activityLog,
      mail: emails.mail,
      publicUrl,
    }),
    events: store.events,
    requests,
    downloads: createDownloads(),
    readTurns: FREE_READ_TURNS,
    sales: { prices: config.prices, billing, purchases: store.purchases },
    inBackground,
    afterResponse: (work) => inBackground(wait(AFTER_RESPONSE_MS).then(work)),
    emails: accountEmails({ publicUrl, mail: emails.mail, now }),
    whenSendable: emails.whenSendable,
    newRequestId: () => newId("req"),
    newSecret: () => randomBase62(32, random),
    wait,
  };
  const bounds = createDashboardBounds(throttle);

  const dashboard: DashboardSite = {
    offer: {
      signUp,
      starter,
      providers: [...rest.settings.providers],
      prices: viewPrices(config.prices, billing !== null),
    },
    async fetch(request) {
      const body = await readBody(request, bytesMaxOf(request), null, {
        timeoutMs: calls.bodyTimeoutMs,
      });
      const app = createDashboardApp({ ...rest, auth: createAuth(authOptions) }, bounds);
      const response = await app.fetch(withBody(request, body), clientAddressOf(request));
      if (response.ok && mayMakeDue(request)) {
        inBackground(events.deliver(DELIVER_AFTER_RESPONSE_MS));
      }
      return response;
    },
  };
  const deps: AppContext = {
    ...calls,
    ledger,
    logError,
    sales: () => sales,
  };
  const settings = {
    ...apiOptionsOf(calls, packageJson.version),
    table: SETTINGS,
    securityContact: config.securityContact,
  };
  const { newRequestId } = rest;
  return {
    deps,
    pages,
    emails,
    events,
    billing,
    store,
    ledger,
    reverseAll,
    accountDeps,
    keyBounds,
    index,
    requests,
    logError,
    site: { settings, dashboard, pages, docs: pages.docs, legal: pages.legal },
    newRequestId,
  };
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const AFTER_RESPONSE_MS = 200;

const bytesMaxOf = ({ url }: Request) =>
  new URL(url).pathname === STRIPE_MESSAGE_PATH
    ? STRIPE_MESSAGE_BYTES_MAX
    : DASHBOARD_BODY_BYTES_MAX;

/** A delivery was resent or an endpoint resumed, so a webhook may be due. */
const mayMakeDue = ({ method, url }: Request) =>
  method !== "GET" && new URL(url).pathname.startsWith("/dashboard/webhooks/");
/** The platform ends work 30 s after a response, and the last attempt may take half of that. */
const DELIVER_AFTER_RESPONSE_MS = 10_000;

export type DashboardSide = ReturnType<typeof openDashboardSide>;

/** What calls need, which come here through MCP: bindings, and the settings that both Workers share. Others would be reported as unknown. */
const callsPartOf = ({ LEDGER, DB, ...texts }: SiteEnv) => ({
  ...Object.fromEntries(SHARED_SETTINGS.map((name) => [name, texts[name]])),
  LEDGER,
  DB,
});

const SHARED_SETTINGS = [
  "SECRET",
  "PUBLIC_URL",
  "RATE_LIMIT",
  "TOOLBOOTH_FREE_CALL_CREDITS",
  "TOOLBOOTH_JURISDICTION",
  "TOOLBOOTH_REQUEST_LOG_DAYS",
];

/** Returns the request with its body read and decompressed. */
function withBody(request: Request, bytes: Uint8Array): Request {
  const { method, url } = request;
  const headers = new Headers(request.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const body = bytes.byteLength === 0 ? null : (bytes as Uint8Array<ArrayBuffer>);
  return new Request(url, { method, headers, body });
}

const NO_TABLES = /no such (?:table|column)/i;
const HINT =
  "D1 lacks tables of this version. Import the files that `npx wrangler d1 migrations list DB -c wrangler.site.jsonc` shows with --remote, or with --local on your own machine (docs/cloudflare.md)";

/** Tells the operator what to do about errors that an operator can fix. */
const withHint =
  (logError: AppContext["logError"]): AppContext["logError"] =>
  (message, details) =>
    logError(NO_TABLES.test(String(details.cause)) ? `${message}. ${HINT}` : message, details);
