import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { bytesToHex } from "@noble/hashes/utils.js";
import { accountEmails } from "#accounts/account-emails.ts";
import { forgetStale } from "#accounts/activity-log.ts";
import { createAuth } from "#accounts/auth.ts";
import { createCountedThrottle } from "#accounts/counted-throttle.ts";
import { keyedHash } from "#accounts/keyed-hash.ts";
import { createDashboardApp, createDashboardBounds } from "#api/dashboard/dashboard-app.ts";
import type { DashboardDeps } from "#api/dashboard/dashboard-deps.ts";
import { createMail } from "#email/enqueue-emails.ts";
import { createFetchTransport } from "#email/fetch-transport.ts";
import { createOutbox } from "#email/node-outbox.ts";
import { createSmtpTransport } from "#email/node-smtp.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import { createEmailSender } from "#email/send-emails.ts";
import { createNodeWebhookTransport } from "#events/node-webhook-transport.ts";
import { createNotificationEmails } from "#events/notification-emails.ts";
import { createIdSequence, randomBase62 } from "#ids.ts";
import { countJobs } from "#jobs/job-queue.ts";
import { startJobs } from "#jobs/node-schedule.ts";
import { openBilling } from "./billing.ts";
import type { DashboardSettings, FromDashboard, ToDashboard } from "./dashboard.ts";
import { openNodeOperator } from "./dashboard-operator.ts";
import { openDashboardStore } from "./dashboard-store.ts";
import { outboxFolder } from "./data-folder.ts";
import { startNotifications } from "./notifications.ts";
import { isForOperator } from "./operator-server.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { hashKey, random } from "./runtime.ts";

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

const store = openDashboardStore(settings, (cause) =>
  logError("PostgreSQL connection lost", { cause }),
);
const now = () => Date.now();
const newId = createIdSequence(random);

const { smtp, api, from } = settings.mail;
const outbox = () =>
  createOutbox({
    folder: outboxFolder(settings.dataDir),
    from,
    now,
    logsText: settings.isOwnMachine,
    log: (text) => say({ kind: "email", text }),
  });
const openTransport = () => (api === null ? outbox() : createFetchTransport(api, from));
const transport = smtp === null ? openTransport() : createSmtpTransport(smtp, from);
const transportKind = transportKindOf(settings.mail);
const { jobs } = store;
const emails = startJobs(
  createEmailSender({ jobs, transport, transportKind, now, random, from, logError }),
  {
    logError,
  },
);
const mail = createMail(
  { queue: store.emailQueue, transportKind, now, random, logError },
  emails.wake,
);

const { publicUrl, secrets } = settings;
const accountDeps = { ledger: store.ledger, directory: store.directory, secrets, random, hashKey };
const derived = (purpose: string) => bytesToHex(keyedHash(secrets[0] as string, purpose));
const background = new Set<Promise<unknown>>();
function inBackground(work: Promise<unknown>): void {
  const settled = work
    .catch((cause) => logError("Background work after a response failed", { cause }))
    .finally(() => background.delete(settled));
  background.add(settled);
}

const { throttle: counts } = store;
const hiding = derived("toolbooth sign-in throttle");
const throttle =
  counts === null ? null : createCountedThrottle({ counts, secret: hiding, now, inBackground });

const auth = createAuth({
  publicUrl,
  accountDeps,
  now,
  hashPassword,
  verifyPassword,
  trustedOrigins: settings.origins,
  secret: derived("toolbooth sessions"),
  signUp: settings.signUp,
  starter: settings.starter,
  providers: settings.providers,
  database: store.signInDatabase,
  activityLog: store.activityLog,
  mail,
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
    : await openBilling({
        stripe,
        secrets,
        prices,
        now,
        ledger: store.ledger,
        purchases: store.purchases,
        newId: (prefix) => `${prefix}_${randomBase62(24, random)}`,
      });

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
    secret: derived("toolbooth known browsers"),
  },
  auth,
  accountDeps,
  verifyPassword,
  now,
  logError,
  activityLog: store.activityLog,
  events: store.events,
  sales: { prices, billing, purchases: store.purchases },
  inBackground,
  emails: accountEmails({ publicUrl, mail, now }),
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
  emails: createNotificationEmails({ publicUrl, secrets }),
  transport: createNodeWebhookTransport({ networks: settings.webhookNetworks }),
  onEmails: emails.wake,
  transportKind,
  now,
  random,
  logError,
});
const app = createDashboardApp(deps, createDashboardBounds(throttle?.signIn));
const operator = openNodeOperator({
  tokens: settings.operatorTokens,
  dataDir: settings.dataDir,
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

/** Reports job counts to the main thread, which serves `/metrics`. */
const COUNT_EVERY_MS = 15_000;
async function reportJobCounts(): Promise<void> {
  const counting = countJobs(jobs, ["email", "outbox", "webhook"]);
  await counting.then(
    (counts) => say({ kind: "jobs", counts }),
    (cause) => logError("Counting jobs failed", { cause }),
  );
}
const counting = setInterval(() => void reportJobCounts(), COUNT_EVERY_MS);
void reportJobCounts();

port.on("message", (message: ToDashboard) => {
  if (message.kind === "request") {
    respond(message).catch((cause) => fail(message.id, cause));
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
  const body = new Uint8Array(await response.arrayBuffer());
  const names = [...response.headers].filter(([name]) => name !== "set-cookie");
  const cookies = response.headers.getSetCookie().map((text) => ["set-cookie", text] as const);
  say({ kind: "response", id, status: response.status, headers: [...names, ...cookies], body });
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
  clearInterval(tidying);
  clearInterval(counting);
  await Promise.all([...background, events.stop()]);
  await emails.stop();
  transport.close?.();
  await store.close();
  port.close();
}
