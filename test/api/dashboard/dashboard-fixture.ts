import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { accountEmails } from "#accounts/account-emails.ts";
import { createAuth } from "#accounts/auth.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import { createDashboardApp } from "#api/dashboard/dashboard-app.ts";
import type { DashboardDeps } from "#api/dashboard/dashboard-deps.ts";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { createBilling } from "#billing/billing.ts";
import type { PaymentProvider } from "#billing/payment-provider.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { Email, EmailKind } from "#email/mail.ts";
import { randomBase62 } from "#ids.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { clock } from "./clock.ts";
import { type FixtureStore, sqliteStore, tracesOf } from "./fixture-stores.ts";

/**
 * The dashboard API in process, over SQLite in memory unless a file asks for another store: emails are collected, passwords hashed fast, and
 * every operation of the ledger and the directory can be made to fail.
 */
export type Fixture = ReturnType<typeof openFixture>;

export type FixtureOptions = {
  publicUrl?: string;
  signUp?: "open" | "closed";
  providers?: AuthOptions["providers"];
  webhookNetworks?: "public" | "any";
  /** Nothing is sold otherwise; without a provider it is sold, and cannot be paid here. */
  sales?: { prices: PriceList; provider: PaymentProvider | null };
  /** Another node over the same database. */
  beside?: { kept: FixtureStore; emails: Email[] };
};

let openStore: () => FixtureStore = sqliteStore;

/** For all scenes of a test file: the same suites hold other stores. */
export function useDashboardStore(open: () => FixtureStore): void {
  openStore = open;
}

export const STARTER = { credits: 100, days: 90 };
const SECRETS = ["a-secret-of-the-service"];
const random = (bytes: number) => new Uint8Array(randomBytes(bytes));
const hashKey = (key: string) => createHash("sha256").update(key).digest("hex");
const hashPassword = async (password: string) => `hash$${hashKey(password)}`;
const verifyPassword = async (hash: string, password: string) =>
  hash === (await hashPassword(password));

export function openFixture(given: FixtureOptions = {}) {
  const { publicUrl = "http://127.0.0.1:8787", signUp = "open", providers = {} } = given;
  clock.start();
  const kept = given.beside?.kept ?? openStore();
  const store = kept.open();
  const emails: Email[] = given.beside?.emails ?? [];
  const loggedErrors: string[] = [];
  const waits: number[] = [];
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
    ...{ secrets: SECRETS, random, hashKey },
    ledger: breakable(store.ledger),
    directory: breakable(store.directory),
  };
  const activityLog = breakable(store.activityLog);
  const { webhookNetworks = "public" } = given;
  const mail = {
    async enqueue(message: Email) {
      emails.push(message);
      return { error: null };
    },
  };
  const now = () => Date.now();
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
  const auth = createAuth({
    ...{ publicUrl, accountDeps, activityLog, mail, now, hashPassword, verifyPassword, logError },
    trustedOrigins: origins,
    secret: "a-secret-for-sessions-of-the-test",
    ...{ signUp, providers },
    starter: STARTER,
    database: store.signInDatabase,
    rethrowDatabaseErrors: store.rethrowDatabaseErrors,
    newId: () => randomBase62(24, random),
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
      ...{ publicUrl, origins, signUp, starter: STARTER, emailsStayHere: false },
      providers: Object.keys(providers) as DashboardDeps["settings"]["providers"],
      secret: "a-secret-for-known-browsers",
      webhookNetworks,
      keyBounds: { tools: ["echo", "hash", "qr-code"], callsPerSecond: 100 },
    },
    ...{ auth, accountDeps, activityLog, now, verifyPassword },
    events: breakable(store.events),
    sales: { prices, billing, purchases },
    inBackground,
    emails: accountEmails({ publicUrl, mail, now }),
    newRequestId: () => `req_${randomBase62(12, random)}`,
    newSecret: () => randomBase62(32, random),
    wait: async (ms) => void waits.push(ms),
    logError: (message, { cause }) => logError(message, cause),
  };
  const app = createDashboardApp(deps);

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
  const browser = (peer?: string | null) => openBrowser({ app, publicUrl, settle }, peer);

  return {
    ...{ kept, accountDeps, store, deps, app, auth, emails, loggedErrors, waits, failing, slow },
    wasCarriedOut,
    ...{ settle, emailsTo, lastLink, browser, publicUrl, activityLog },
    signUp: (who: Browser, email: string, password: string) =>
      who.post("/dashboard/auth/sign-up/email", { name: "", email, password }),
    signIn: (who: Browser, email: string, password: string) =>
      who.post("/dashboard/auth/sign-in/email", { email, password }),
    open: (who: Browser, link: string) =>
      who.post("/dashboard/auth/verify-email", { token: new URL(link).searchParams.get("token") }),
    ...{ rows: kept.rows, ledgerRows: kept.ledgerRows },
    traces: (text: string) => tracesOf(kept, text),
  };
}

export const linkIn = (message: Email): string => {
  const link = /https?:\S+\?token=\S+/.exec(message.text)?.[0];
  assert.ok(link, `no link in: ${message.text}`);
  return link;
};

export const PASSWORD = "correct horse 1";
let users = 0;

/** Someone who signed up, opened the link in the email and signed in. */
export async function openMember(fixture: Fixture, password = PASSWORD) {
  users += 1;
  const email = `user${users}@example.com`;
  const browser = fixture.browser();
  assert.equal((await fixture.signUp(browser, email, password)).status, 200);
  const opened = await fixture.open(browser, await fixture.lastLink(email, "verify_address"));
  assert.deepEqual([opened.status, opened.body], [200, { status: true }]);
  assert.equal((await fixture.signIn(browser, email, password)).status, 200);
  const account = await accountOf(browser);
  return { email, password, browser, account };
}

export type Member = Awaited<ReturnType<typeof openMember>>;

export async function accountOf(browser: Browser): Promise<string> {
  const { user } = (await browser.get("/dashboard/visitor")).body as Visitor;
  const id = user?.account?.id;
  assert.ok(id, "no account");
  return id;
}
