import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { bytesToHex } from "@noble/hashes/utils.js";
import { accountEmails } from "#accounts/account-emails.ts";
import type { AccountDeps } from "#accounts/accounts.ts";
import { forgetStale } from "#accounts/activity-log.ts";
import { createAuth } from "#accounts/auth.ts";
import { TooManyPasswords } from "#accounts/auth-options.ts";
import { createCountedThrottle } from "#accounts/counted-throttle.ts";
import { createDisposableEmail } from "#accounts/disposable-email.ts";
import { keyedHash } from "#accounts/keyed-hash.ts";
import { createRecordActivity } from "#accounts/record-activity.ts";
import { exhaustedText, startOfDay } from "#accounts/starter-claim.ts";
import { createIsCommonPassword } from "#accounts/weak-passwords.ts";
import { createDashboardApp, createDashboardBounds } from "#api/dashboard/dashboard-app.ts";
import type { DashboardDeps } from "#api/dashboard/dashboard-deps.ts";
import { createDownloads } from "#api/dashboard/downloads.ts";
import { isKnownBrowser, knownBrowserSecret } from "#api/dashboard/known-browser.ts";
import { createProofsOfWork } from "#api/dashboard/proof-of-work.ts";
import { salesOf } from "#billing/price-list.ts";
import { emailSealer } from "#email/email-queue.ts";
import { createMail, type DropReason } from "#email/enqueue-emails.ts";
import { createFetchTransport } from "#email/fetch-transport.ts";
import { createOutbox } from "#email/node-outbox.ts";
import { createSmtpTransport } from "#email/node-smtp.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import { createWhenSendable } from "#email/requested-bounds.ts";
import { createEmailSender } from "#email/send-emails.ts";
import { endpointSealer } from "#events/endpoint-secrets.ts";
import { createNodeWebhookTransport } from "#events/node-webhook-transport.ts";
import { createNotificationEmails } from "#events/notification-emails.ts";
import { createIds, randomBase62 } from "#ids.ts";
import { countJobs } from "#jobs/job-queue.ts";
import { startJobs } from "#jobs/node-schedule.ts";
import { openBilling } from "./billing.ts";
import type { DashboardSettings, FromDashboard, ToDashboard } from "./dashboard.ts";
import { openNodeOperator } from "./dashboard-operator.ts";
import { openDashboardStore } from "./dashboard-store.ts";
import { outboxFolder } from "./data-folder.ts";
import { startNotifications } from "./notifications.ts";
import { isForOperator } from "./operator-server.ts";
import { inPasswordLane } from "./password-lanes.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { createReadTurns } from "./read-turns.ts";
import { openNodeRequestLog } from "./request-log.ts";
import { hashKey, random } from "./runtime.ts";
import { readCommonPasswords, readDisposableDomains } from "./sign-up-lists.ts";

/** The dashboard thread: it hashes passwords, looks up sessions and sends emails, so that no call waits for any of these. */
if (parentPort === null) throw new Error("This file must be started as a worker thread");
const port = parentPort;
const settings = workerData as DashboardSettings;
const say = (message: FromDashboard) => port.postMessage(message);

const logError: DashboardDeps["logError"] = (message, { requestId, cause }) =>
  say({ kind: "error", message, requestId, cause: describe(cause) });
const describe = (cause: unknown) =>
  cause === undefined
    ? undefined
    : cause instanceof Error
      ? (cause.stack ?? cause.message)
      : String(cause);

const onRejection: DashboardDeps["onRejection"] = (reason) => say({ kind: "rejection", reason });

const store = openDashboardStore(settings, (cause) =>
  logError("PostgreSQL connection lost", { cause }),
);
const now = () => Date.now();
const REST_MAX_MS = 50;
const newId = createIds(random);

const { smtp, api, from } = settings.mail;
const outbox = () =>
  createOutbox({
    folder: outboxFolder(settings.dataDir),
    from,
    now,
    logsText: settings.isOwnMachine,
    log: (text) => say({ kind: "email", text }),
    show: (text) => say({ kind: "show", text }),
  });
const openTransport = () => (api === null ? outbox() : createFetchTransport(api, from));
const transport = smtp === null ? openTransport() : createSmtpTransport(smtp, from);
const transportKind = transportKindOf(settings.mail);
const { jobs } = store;
const { publicUrl, secrets } = settings;
const sealer = emailSealer(secrets);
const emails = startJobs(
  createEmailSender({ jobs, transport, transportKind, sealer, now, random, from, logError }),
  {
    logError,
  },
);
/** Emails dropped since the thread started, by reason. */
const dropped: Partial<Record<DropReason, number>> = {};
const bounds = settings.requestedEmails;
const mail = createMail(
  {
    queue: store.emailQueue,
    transportKind,
    sealer,
    bounds,
    onDropped: (reason) => {
      dropped[reason] = (dropped[reason] ?? 0) + 1;
    },
    now,
    random,
    logError,
  },
  emails.wake,
);

/**
 * With SQLite every read occupies this thread, so it rests for as long after a turn; with PostgreSQL, downloads and searches must leave
 * connections to the pages.
 */
const readTurns = createReadTurns({
  atOnce: store.pool === null ? 1 : 2,
  elapsed: () => performance.now(),
  rest: (tookMs) => (store.pool === null ? sleep(Math.min(tookMs, REST_MAX_MS)) : nextTurn()),
});
const downloads = createDownloads();

const requestBounds = settings.requestLog;
const keepsRequests = requestBounds.keptDays > 0;
const requests = openNodeRequestLog(
  store.pool === null ? { dataDir: settings.dataDir } : { pool: store.pool },
  {
    ...{ bounds: requestBounds, turns: readTurns, now },
    logError: (message, cause) => logError(message, { cause }),
  },
);

const forgetRequests: AccountDeps["forgetRequests"] = (order) =>
  requests.log
    .forget(order)
    .catch((cause) => logError("Requests of a closed account were not deleted", { cause }));
const accountDeps = {
  ...{ ledger: store.ledger, directory: store.directory, secrets, random, hashKey },
  forgetRequests: keepsRequests ? forgetRequests : undefined,
};
const derived = (purpose: string, secret = secrets[0] as string) =>
  bytesToHex(keyedHash(secret, purpose));
const background = new Set<Promise<unknown>>();
function inBackground(work: Promise<unknown>): void {
  const settled = work
    .catch((cause) => {
      if (cause instanceof TooManyPasswords) onRejection("passwords_busy");
      else logError("Background work after a response failed", { cause });
    })
    .finally(() => background.delete(settled));
  background.add(settled);
}

const { throttle: counts } = store;
const hiding = derived("toolbooth sign-in throttle");
const throttle =
  counts === null ? null : createCountedThrottle({ counts, secret: hiding, now, inBackground });

const browserSecret = knownBrowserSecret(secrets);
const auth = createAuth({
  publicUrl,
  accountDeps,
  now,
  hashPassword,
  verifyPassword,
  isCommonPassword: createIsCommonPassword(readCommonPasswords),
  trustedOrigins: settings.origins,
  secret: derived("toolbooth sessions"),
  earlierSecrets: secrets.slice(1).map((each) => derived("toolbooth sessions", each)),
  signUp: settings.signUp,
  starter: settings.starter,
  starterPolicy: {
    budgets: settings.starterBudgets,
    disposable: createDisposableEmail(settings.disposableEmail, readDisposableDomains),
    onBudgetExhausted: (outcome) => say({ kind: "warning", message: exhaustedText(outcome) }),
  },
  providers: settings.providers,
  database: store.signInDatabase,
  activityLog: store.activityLog,
  mail,
  isKnownBrowser: (headers, email) =>
    isKnownBrowser(headers, email, { publicUrl, secret: browserSecret }),
  newId: () => randomBase62(24, random),
  countRequest: throttle?.countRequest,
  rethrowDatabaseErrors: store.rethrowDatabaseErrors,
  inBackground,
  logError: (message, cause) => logError(message, { cause }),
});

const { prices, stripe } = settings;
const billing =
  prices === null || stripe === null
    ? null
    : openBilling({
        stripe,
        secrets,
        prices,
        now,
        ledger: store.ledger,
        purchases: store.purchases,
        newId: (prefix) => `${prefix}_${randomBase62(24, random)}`,
      });

/** By then a response has left, even where many wait. */
const AFTER_RESPONSE_MS = 200;
const deps: DashboardDeps = {
  settings: {
    publicUrl,
    origins: settings.origins,
    signUp: settings.signUp,
    providers: Object.keys(settings.providers) as DashboardDeps["settings"]["providers"],
    starter: settings.starter,
    emailsStayHere: transportKind === "outbox",
    webhookNetworks: settings.webhookNetworks,
    keyBounds: settings.keyBounds,
    secret: browserSecret,
  },
  auth,
  accountDeps,
  verifyPassword,
  inPasswordLane,
  proofs: createProofsOfWork({ secret: derived("toolbooth proofs of work"), now }),
  now,
  logError,
  onRejection,
  logWarning: (message) => say({ kind: "warning", message }),
  activityLog: store.activityLog,
  recordActivity: createRecordActivity({ activityLog: store.activityLog, mail, publicUrl }),
  events: store.events,
  requests: keepsRequests ? { log: requests.log, bounds: requestBounds } : null,
  downloads,
  readTurns,
  sales: { prices, billing, purchases: store.purchases },
  inBackground,
  afterResponse: (work) => inBackground(sleep(AFTER_RESPONSE_MS).then(work)),
  emails: accountEmails({ publicUrl, mail, now }),
  whenSendable: createWhenSendable({ queue: store.emailQueue, bounds, now }),
  newRequestId: () => newId("req"),
  newSecret: () => randomBase62(32, random),
  // A request that waits here to sign in must not delay shutdown.
  wait: (ms) => sleep(ms, undefined, { ref: false }),
};
const events = startNotifications({
  ledger: store.ledger,
  directory: store.directory,
  eventStore: store.events,
  jobs,
  emails: createNotificationEmails({
    publicUrl,
    secrets,
    sales: salesOf(prices, billing !== null),
  }),
  sealer,
  endpointSealer: endpointSealer(secrets),
  transport: createNodeWebhookTransport({ networks: settings.webhookNetworks }),
  onEmails: emails.wake,
  transportKind,
  now,
  random,
  logError,
});
const app = createDashboardApp(deps, createDashboardBounds(throttle ?? undefined));
const operator = openNodeOperator({
  tokens: settings.operatorTokens,
  dataDir: settings.dataDir,
  requests: deps.requests?.log ?? null,
  store,
  accountDeps,
  keyBounds: settings.keyBounds,
  billing,
  now,
  waitUntil: inBackground,
  notify: { activityLog: store.activityLog, mail, publicUrl },
  newRequestId: deps.newRequestId,
  logAction: (message, action) => say({ kind: "action", message, action }),
  logError,
});

const TIDY_EVERY_MS = 10 * 60_000;
const tidying = setInterval(() => {
  forgetStale(store.activityLog, now()).catch((cause) =>
    logError("Removing old sessions failed", { cause }),
  );
}, TIDY_EVERY_MS);

/** Reports the counts of jobs and sign-ups to the main thread, which serves `/metrics`. */
const COUNT_EVERY_MS = 15_000;
async function reportJobCounts(): Promise<void> {
  const counting = Promise.all([
    countJobs(jobs, ["email", "outbox", "webhook"]),
    store.directory.countStarters({ since: startOfDay(now()) }),
    store.emailQueue.countRequested({ now: now(), network: "" }),
  ]);
  await counting.then(
    ([counts, starters, requested]) =>
      say({ kind: "jobs", counts, signUps: { starters, requested, dropped } }),
    (cause) => logError("Counting jobs failed", { cause }),
  );
}
const counting = setInterval(() => void reportJobCounts(), COUNT_EVERY_MS);
void reportJobCounts();

port.on("message", (message: ToDashboard) => {
  if (message.kind === "request") {
    respond(message).catch((cause) => fail(message.id, cause));
  } else if (message.kind === "requests") {
    const { id, chunks } = message;
    void requests.append(chunks).then((outcome) => say({ kind: "handed", id, outcome }));
  } else void stop();
});
say({ kind: "ready" });
if (transportKind === "outbox")
  void warnOfHeldEmails().catch((cause) => logError("Counting emails failed", { cause }));

/** Warns about emails that were queued for a mail server: they are not written to the outbox, and their recipients wait. */
async function warnOfHeldEmails(): Promise<void> {
  const { waiting: held } = await jobs.count({ queues: ["email"] });
  if (held === 0) return;
  const message = `${held} emails wait for a mail server. They were queued while SMTP_URL was set and are sent when it is set again.`;
  say({ kind: "warning", message });
}

/** Catches every error: an error that ended the thread would end all other requests too. */
async function respond(message: ToDashboard & { kind: "request" }): Promise<void> {
  const { id, peer } = message;
  const request = readRequest(message);
  const isOperators = isForOperator(new URL(request.url).pathname);
  const response = await (isOperators ? operator : app).fetch(request, peer);
  const names = [...response.headers].filter(([name]) => name !== "set-cookie");
  const cookies = response.headers.getSetCookie().map((text) => ["set-cookie", text] as const);
  const head = { id, status: response.status, headers: [...names, ...cookies] };
  if (response.headers.has("content-disposition") && response.body !== null) {
    const { body } = response;
    port.postMessage({ kind: "response", ...head, body } satisfies FromDashboard, [body]);
    return;
  }
  const body = new Uint8Array(await response.arrayBuffer());
  say({ kind: "response", ...head, body });
}

/** Some HTTP requests cannot be a `Request`: GET with a body, and TRACE. */
function readRequest({ method, url, headers, body }: ToDashboard & { kind: "request" }): Request {
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, {
    method: /^(?:CONNECT|TRACE|TRACK)$/i.test(method) ? "OPTIONS" : method,
    headers,
    body: hasBody ? (body as Uint8Array<ArrayBuffer> | null) : null,
  });
}

function fail(id: number, cause: unknown): void {
  logError("Dashboard request failed", { cause });
  say({ kind: "response", id, status: 500, headers: [], body: new Uint8Array() });
}

async function stop(): Promise<void> {
  downloads.stop();
  clearInterval(tidying);
  clearInterval(counting);
  await Promise.all([...background, events.stop()]);
  await emails.stop();
  transport.close?.();
  await requests.close();
  await store.close();
  port.close();
}
