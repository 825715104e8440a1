import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { accountEmails } from "#accounts/account-emails.ts";
import type { ActivityLog } from "#accounts/activity-log.ts";
import { createAuth } from "#accounts/auth.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import { createDisposableEmail } from "#accounts/disposable-email.ts";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import { createRecordActivity } from "#accounts/record-activity.ts";
import { createRequestCounts } from "#accounts/request-counts.ts";
import type { RequestLog } from "#accounts/request-log.ts";
import type { StarterBudgets } from "#accounts/starter-claim.ts";
import { createDashboardApp, createDashboardBounds } from "#api/dashboard/dashboard-app.ts";
import type { DashboardDeps } from "#api/dashboard/dashboard-deps.ts";
import { createDownloads } from "#api/dashboard/downloads.ts";
import { isKnownBrowser } from "#api/dashboard/known-browser.ts";
import type { Rejection } from "#api/dashboard/rejections.ts";
import type { EventsView, HomeView, KeyView, SessionView, Visitor } from "#api/dashboard/shapes.ts";
import { createBilling } from "#billing/billing.ts";
import type { PaymentProvider } from "#billing/payment-provider.ts";
import type { PriceList } from "#billing/price-list.ts";
import { TOOLBOOTH } from "#brand.ts";
import { createWhenSendable, type RequestedBounds } from "#email/bounds.ts";
import { createMail, emailSealer } from "#email/email-queue.ts";
import type { Email, EmailKind } from "#email/mail.ts";
import { randomBase62 } from "#ids.ts";
import { readDisposableDomains } from "../../../src/apps/node/sign-up-lists.ts";
import { type ApiResponse, type Browser, openBrowser } from "./browser.ts";
import { clock } from "./clock.ts";
import { cellsOf, type FixtureStore, sqliteStore, tracesIn } from "./fixture-stores.ts";

/**
 * The dashboard API in process, over SQLite in memory unless a file chooses another store: emails are collected, and
 * every operation of the ledger and the directory can be made to fail.
 */
export type Fixture = ReturnType<typeof openFixture>;

export type FixtureOptions = {
  publicUrl?: string;
  signUp?: "open" | "closed";
  providers?: AuthOptions["providers"];
  webhookNetworks?: "public" | "any";
  starterBudgets?: StarterBudgets;
  /** Omitted: the list of the service. */
  readDisposableDomains?: typeof readDisposableDomains;
  /** With them, emails go through the store's queue, which drops those beyond the bounds. */
  requestedEmails?: RequestedBounds;
  /** Omitted: a first call is free. */
  hasFreeCall?: boolean;
  /** Nothing is sold otherwise; without a provider it is sold, and cannot be paid here. */
  sales?: { prices: PriceList; provider: PaymentProvider | null };
  /** What sign-in signs and encrypts with; the first is the current one. */
  authSecrets?: readonly string[];
  /** Omitted: there is none. */
  requestLog?: RequestLog;
  /** Another node over the same database. */
  beside?: { kept: FixtureStore; emails: Email[] };
};

let openStore: () => FixtureStore = sqliteStore;

/** For all tests of a process: the suites of a store are imported after it. */
export function useDashboardStore(open: () => FixtureStore): void {
  openStore = open;
}

export const isOverSqlite = (): boolean => openStore === sqliteStore;

export const STARTER = { credits: 100, days: 90 };
export const REQUEST_BOUNDS = { keptDays: 7, keptMax: 1_000 };
export const AUTH_SECRET = "a-secret-for-sessions-of-the-test";
const SECRETS = ["a-secret-of-the-service"];
const random = (bytes: number) => new Uint8Array(randomBytes(bytes));
const { name } = TOOLBOOTH;
const hashKey = (key: string) => createHash("sha256").update(key).digest("hex");
const disposableEmail = createDisposableEmail(readDisposableDomains);

export function openFixture(given: FixtureOptions = {}) {
  const [authSecret = "", ...earlierSecrets] = given.authSecrets ?? [AUTH_SECRET];
  const { publicUrl = "http://127.0.0.1:8787", signUp = "open", providers = {} } = given;
  clock.start();
  const kept = given.beside?.kept ?? openStore();
  const store = kept.open();
  const emails: Email[] = given.beside?.emails ?? [];
  const loggedErrors: string[] = [];
  const warnings: string[] = [];
  const rejections: Rejection[] = [];
  /** Names of operations that fail, and how often. */
  const failing = new Map<string, number>();
  /** Names of operations whose answer takes its time. */
  const slow = new Set<string>();
  /** Operations that were carried out, in their order. */
  const wasCarriedOut: string[] = [];
  const background = new Set<Promise<unknown>>();
  const breakable = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, operation]) => [
        name,
        async (order: never) => {
          const left = failing.get(name) ?? 0;
          if (left > 0) {
            failing.set(name, left - 1);
            throw new Error(`${name} was made to fail`);
          }
          wasCarriedOut.push(name);
          const outcome = await operation(order);
          if (slow.has(name)) await new Promise((resolve) => setTimeout(resolve, 5));
          return outcome;
        },
      ]),
    ) as Port;

  const accountDeps = {
    ...{ secrets: SECRETS, keyPrefix: "tb_", random, hashKey },
    ledger: breakable(store.ledger),
    directory: breakable(store.directory),
    forgetRequests: given.requestLog?.forget,
  };
  /** Emails about events, which the queue encrypts, by their id. */
  const prepared = new Map<string, Email>();
  /** They count as sent, and what is sent is deleted. */
  const sendNow = async (ids: readonly string[]) => {
    await kept.rows("DELETE FROM job WHERE queue = 'email'");
    for (const id of ids) emails.push(prepared.get(id) as Email);
  };
  const activityLog = breakable({
    ...store.activityLog,
    /** Emails about events do not pass `enqueue`: the store queues them with the event. */
    async recordEvent(order: Parameters<ActivityLog["recordEvent"]>[0]) {
      const outcome = await store.activityLog.recordEvent(order);
      const { each = [], summary } = order.emails ?? {};
      const queued = { each, summary: summary === undefined ? [] : [summary] };
      const { emailed } = outcome;
      const sent = emailed === "each" || emailed === "summary" ? queued[emailed] : [];
      await sendNow(sent.map(({ id }) => id));
      return outcome;
    },
    async changeAddress(order: Parameters<ActivityLog["changeAddress"]>[0]) {
      const outcome = await store.activityLog.changeAddress(order);
      const isQueued = outcome.outcome === "changed" && order.email !== null;
      await sendNow(isQueued ? [order.email?.id ?? ""] : []);
      return outcome;
    },
  });
  const { webhookNetworks = "public" } = given;
  const now = () => Date.now();
  const { starterBudgets = { perNetwork: 0, perDay: 0 }, requestedEmails } = given;
  const bounds = requestedEmails ?? { perHour: 0, perDay: 0 };
  const queue = store.emailQueue;
  const sealer = emailSealer(SECRETS);
  const bounded = createMail({
    ...{ queue, bounds, now, random, sealer },
    transportKind: "smtp",
    logError: () => {},
  });
  const mail = {
    async enqueue(message: Email) {
      const { error } =
        requestedEmails === undefined ? { error: null } : await bounded.enqueue(message);
      if (error === null) emails.push(message);
      return { error };
    },
    async prepare(message: Email) {
      const queued = await bounded.prepare(message);
      if (queued !== null) prepared.set(queued.id, message);
      return queued;
    },
    wake() {},
  };
  const browserSecret = "a-secret-for-known-browsers";
  const logError = (message: string, cause?: unknown) => {
    loggedErrors.push(`${message} ${cause instanceof Error ? cause.stack : JSON.stringify(cause)}`);
  };
  const origins = [new URL(publicUrl).origin];
  const inBackground = (work: Promise<unknown>) => {
    const settled = work
      .catch((cause) => logError("background", cause))
      .finally(() => background.delete(settled));
    background.add(settled);
  };
  const counts = createRequestCounts(now);
  const auth = createAuth({
    ...{ publicUrl, name, accountDeps, activityLog, mail, now, logError, counts },
    trustedOrigins: origins,
    secret: authSecret,
    earlierSecrets,
    ...{ signUp, providers },
    starter: STARTER,
    starterPolicy: {
      budgets: starterBudgets,
      disposable:
        given.readDisposableDomains === undefined
          ? disposableEmail
          : createDisposableEmail(given.readDisposableDomains),
      onBudgetExhausted: (outcome) => warnings.push(outcome),
    },
    database: store.signInDatabase,
    rethrowDatabaseErrors: store.rethrowDatabaseErrors,
    newId: () => randomBase62(24, random),
    isKnownBrowser: (headers, email) =>
      isKnownBrowser(headers, email, { publicUrl, secret: browserSecret }),
    inBackground,
  });
  const purchases = breakable(store.purchases);
  const { prices = null, provider = null } = given.sales ?? {};
  const newId = (prefix: string) => `${prefix}_${randomBase62(24, random)}`;
  const billing =
    prices === null || provider === null
      ? null
      : createBilling({
          provider,
          prices,
          purchases: purchases,
          ledger: accountDeps.ledger,
          now,
          newId,
        });
  const deps: DashboardDeps = {
    settings: {
      ...{ publicUrl, name, origins, signUp, starter: STARTER, emailsStayHere: false },
      hasFreeCall: given.hasFreeCall ?? true,
      providers: Object.keys(providers) as DashboardDeps["settings"]["providers"],
      secret: browserSecret,
      webhookNetworks,
      keyBounds: { tools: ["echo", "hash", "qr-code"], callsPerSecond: 100 },
    },
    ...{ auth, accountDeps, activityLog, now },
    recordActivity: createRecordActivity({ activityLog, mail, publicUrl, name }),
    events: breakable(store.events),
    requests:
      given.requestLog === undefined
        ? null
        : { log: breakable(given.requestLog), bounds: REQUEST_BOUNDS },
    downloads: createDownloads(),
    readTurns: FREE_READ_TURNS,
    sales: { prices, billing, purchases, contact: null },
    inBackground,
    afterResponse: (work) => inBackground(work()),
    emails: accountEmails({ publicUrl, name }, { mail, now }),
    whenSendable: createWhenSendable({ queue, bounds, now }),
    newRequestId: () => `req_${randomBase62(12, random)}`,
    newSecret: () => randomBase62(32, random),
    logError: (message, { cause }) => logError(message, cause),
    onRejection: (reason) => void rejections.push(reason),
    logWarning: (message) => void warnings.push(message),
  };
  const app = createDashboardApp(deps, createDashboardBounds(counts));

  /** Emails are sent after the response, so that its duration reveals nothing. */
  async function settle(): Promise<void> {
    while (background.size > 0) await Promise.all(background);
  }
  const emailsTo = async (to: string, kind?: EmailKind) => {
    await settle();
    return emails.filter(
      (message) => message.to === to && (kind === undefined || message.kind === kind),
    );
  };
  const lastLink = async (to: string, kind: EmailKind): Promise<string> => {
    const message = (await emailsTo(to, kind)).at(-1);
    assert.ok(message, `no email ${kind} to ${to}`);
    return linkIn(message);
  };
  /** The code of the last email that has one. */
  const lastCode = async (to: string): Promise<string> => {
    const message = (await emailsTo(to)).findLast(({ text }) => CODE.test(text));
    assert.ok(message, `no code to ${to}`);
    return codeIn(message);
  };
  const browser = (peer?: string | null) => openBrowser({ app, publicUrl, settle }, peer);

  return {
    ...{ kept, accountDeps, store, deps, app, auth, emails, loggedErrors, failing, slow },
    wasCarriedOut,
    ...{ warnings, rejections, counts },
    ...{ settle, emailsTo, lastCode, lastLink, browser, publicUrl, activityLog },
    /** Signs in, or up, with the code of the email. */
    async signIn(who: Browser, email: string): Promise<ApiResponse> {
      const started = await start(who, email);
      return started.status === 200 ? enter(who, await lastCode(email.toLowerCase())) : started;
    },
    ...{ rows: kept.rows, ledgerRows: kept.ledgerRows },
    traces: async (text: string) => tracesIn(await cellsOf(kept), text),
  };
}

export const start = (who: Browser, email: string) =>
  who.post("/dashboard/auth/sign-in/start", { email });
export const enter = (who: Browser, code: string) =>
  who.post("/dashboard/auth/sign-in/code", { code });
/** What the page of the link does when its button is pressed. */
export const open = (who: Browser, link: string) =>
  who.post("/dashboard/auth/sign-in/link", { secret: secretIn(link) });

export const secretIn = (link: string): string => new URL(link).hash.slice(1);

const CODE = /^Code: (\d{4}) (\d{4})$/m;
export const codeIn = ({ text }: Pick<Email, "text">): string =>
  CODE.exec(text)?.slice(1).join("") ?? "";

export const linkIn = (message: Email): string => {
  const link = /https?:\S+(?:\?token=|#)\S+/.exec(message.text)?.[0];
  assert.ok(link, `no link in: ${message.text}`);
  return link;
};

let users = 0;

/** Someone who signed up just now. */
export async function openMember(fixture: Fixture) {
  users += 1;
  const email = `user${users}@example.com`;
  const browser = fixture.browser();
  const signedUp = await fixture.signIn(browser, email);
  assert.deepEqual([signedUp.status, signedUp.body], [200, { signedUp: true }], signedUp.text);
  const account = await accountOf(browser);
  return { email, browser, account };
}

export type Member = Awaited<ReturnType<typeof openMember>>;

export async function accountOf(browser: Browser): Promise<string> {
  const id = (await userOf(browser))?.account?.id;
  assert.ok(id, "no account");
  return id;
}

const read = async <View>(who: Browser, path: string): Promise<View> =>
  (await who.get(`/dashboard/${path}`)).body as View;
export const visitorOf = (who: Browser) => read<Visitor>(who, "visitor");
export const userOf = async (who: Browser) => (await visitorOf(who)).user;
export const homeOf = (who: Browser) => read<HomeView>(who, "home");
/** The activity list, newest first. */
export const eventsOf = async (who: Browser) => (await read<EventsView>(who, "events")).events;
export const sessionsOf = async (who: Browser) =>
  (await read<{ sessions: SessionView[] }>(who, "sessions")).sessions;
export const keysOf = async (who: Browser) => (await read<{ keys: KeyView[] }>(who, "keys")).keys;

export type MadeKey = { key: KeyView; secret: string };

export async function makeKey(who: Browser, label: string, limits?: object) {
  const response = await who.post("/dashboard/keys", { label, limits });
  assert.equal(response.status, 201, response.text);
  return response.body as MadeKey;
}

/** To another address, with the code of the email. */
export async function move({ lastCode }: Fixture, who: Browser, email: string) {
  await who.post("/dashboard/account/email", { email });
  return who.post("/dashboard/account/email/code", { code: await lastCode(email) });
}
