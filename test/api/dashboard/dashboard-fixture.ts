import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { accountLetters } from "#accounts/account-emails.ts";
import { createAuth } from "#accounts/auth.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import { createPeopleApp } from "#api/dashboard/dashboard-app.ts";
import type { PeopleHouse } from "#api/dashboard/dashboard-deps.ts";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { createBilling } from "#billing/billing.ts";
import type { PaymentProvider } from "#billing/payment-provider.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { Letter, LetterKind } from "#email/mail.ts";
import { randomBase62 } from "#ids.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { clock } from "./clock.ts";
import { type SceneStore, sqliteStore, tracesOf } from "./fixture-stores.ts";

/**
 * The people's side of the service in process, over SQLite in memory where a file asks for no other: letters are collected, passwords hashed fast, and
 * every operation of the ledger and the directory can be made to fail.
 */
export type Scene = ReturnType<typeof openScene>;

export type SceneOptions = {
  publicUrl?: string;
  signUp?: "open" | "closed";
  providers?: AuthOptions["providers"];
  webhookNetworks?: "public" | "any";
  /** Nothing is sold otherwise; without a provider it is sold, and cannot be paid here. */
  sales?: { prices: PriceList; provider: PaymentProvider | null };
  /** Another node over the same database. */
  beside?: { kept: SceneStore; letters: Letter[] };
};

let openStore: () => SceneStore = sqliteStore;

/** For all scenes of a test file: the same suites hold other stores. */
export function keepPeopleIn(open: () => SceneStore): void {
  openStore = open;
}

export const STARTER = { credits: 100, days: 90 };
const SECRETS = ["a-secret-of-the-service"];
const random = (bytes: number) => new Uint8Array(randomBytes(bytes));
const hashKey = (key: string) => createHash("sha256").update(key).digest("hex");
const hashPassword = async (password: string) => `hash$${hashKey(password)}`;
const verifyPassword = async (hash: string, password: string) =>
  hash === (await hashPassword(password));

export function openScene(given: SceneOptions = {}) {
  const { publicUrl = "http://127.0.0.1:8787", signUp = "open", providers = {} } = given;
  clock.start();
  const kept = given.beside?.kept ?? openStore();
  const store = kept.open();
  const letters: Letter[] = given.beside?.letters ?? [];
  const complaints: string[] = [];
  const waits: number[] = [];
  /** Names of operations that fail, and how often. */
  const failing = new Map<string, number>();
  /** Names of operations whose answer takes its time. */
  const slow = new Set<string>();
  /** Operations that were carried out, in their order. */
  const carriedOut: string[] = [];
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
          carriedOut.push(name);
          const outcome = await operation(order);
          if (slow.has(name)) await new Promise((resolve) => setTimeout(resolve, 5));
          return outcome;
        },
      ]),
    ) as Port;

  const desk = {
    ...{ secrets: SECRETS, random, hashKey },
    ledger: breakable(store.ledger),
    directory: breakable(store.directory),
  };
  const journal = breakable(store.journal);
  const { webhookNetworks = "public" } = given;
  const mail = {
    async post(letter: Letter) {
      letters.push(letter);
      return { fault: null };
    },
  };
  const now = () => Date.now();
  const complain = (message: string, cause?: unknown) => {
    complaints.push(`${message} ${cause instanceof Error ? cause.stack : JSON.stringify(cause)}`);
  };
  const origins = [new URL(publicUrl).origin];
  const inBackground = (work: Promise<unknown>) => {
    const settled = work
      .catch((cause) => complain("background", cause))
      .finally(() => background.delete(settled));
    background.add(settled);
  };
  const auth = createAuth({
    ...{ publicUrl, desk, journal, mail, now, hashPassword, verifyPassword, complain },
    trustedOrigins: origins,
    secret: "a-secret-for-sessions-of-the-test",
    ...{ signUp, providers },
    starter: STARTER,
    database: store.signInDatabase,
    tellFaults: store.tellFaults,
    newId: () => randomBase62(24, random),
    inBackground,
  });
  const purchases = breakable(store.purchases);
  const { prices = null, provider = null } = given.sales ?? {};
  const newId = (prefix: string) => `${prefix}_${randomBase62(24, random)}`;
  const billing =
    prices === null || provider === null
      ? null
      : createBilling({ provider, prices, book: purchases, ledger: desk.ledger, now, newId });
  const house: PeopleHouse = {
    settings: {
      ...{ publicUrl, origins, signUp, starter: STARTER, lettersStayHere: false },
      providers: Object.keys(providers) as PeopleHouse["settings"]["providers"],
      secret: "a-secret-for-known-browsers",
      webhookNetworks,
    },
    ...{ auth, desk, journal, now, verifyPassword },
    notices: breakable(store.notices),
    sales: { prices, billing, purchases },
    inBackground,
    letters: accountLetters({ publicUrl, mail, now }),
    newRequestId: () => `req_${randomBase62(12, random)}`,
    newSecret: () => randomBase62(32, random),
    wait: async (ms) => void waits.push(ms),
    complain: (message, { cause }) => complain(message, cause),
  };
  const app = createPeopleApp(house);

  /** Letters leave after the answer, so that its duration tells nothing. */
  async function settle(): Promise<void> {
    while (background.size > 0) await Promise.all(background);
  }
  const lettersTo = async (to: string, kind?: LetterKind) => {
    await settle();
    return letters.filter(
      (letter) => letter.to === to && (kind === undefined || letter.kind === kind),
    );
  };
  const lastLink = async (to: string, kind: LetterKind): Promise<string> => {
    const letter = (await lettersTo(to, kind)).at(-1);
    assert.ok(letter, `no letter ${kind} to ${to}`);
    return linkIn(letter);
  };
  const browser = (peer?: string | null) => openBrowser({ app, publicUrl, settle }, peer);

  return {
    ...{ kept, desk, store, house, app, auth, letters, complaints, waits, failing, slow },
    carriedOut,
    ...{ settle, lettersTo, lastLink, browser, publicUrl, journal },
    signUp: (who: Browser, email: string, password: string) =>
      who.post("/people/auth/sign-up/email", { name: "", email, password }),
    signIn: (who: Browser, email: string, password: string) =>
      who.post("/people/auth/sign-in/email", { email, password }),
    open: (who: Browser, link: string) =>
      who.post("/people/auth/verify-email", { token: new URL(link).searchParams.get("token") }),
    ...{ rows: kept.rows, ledgerRows: kept.ledgerRows },
    traces: (text: string) => tracesOf(kept, text),
  };
}

export const linkIn = (letter: Letter): string => {
  const link = /https?:\S+\?token=\S+/.exec(letter.text)?.[0];
  assert.ok(link, `no link in: ${letter.text}`);
  return link;
};

export const PASSWORD = "correct horse 1";
let people = 0;

/** Somebody who signed up, opened the letter and signed in. */
export async function openMember(scene: Scene, password = PASSWORD) {
  people += 1;
  const email = `person${people}@example.com`;
  const browser = scene.browser();
  assert.equal((await scene.signUp(browser, email, password)).status, 200);
  const opened = await scene.open(browser, await scene.lastLink(email, "verify_address"));
  assert.deepEqual([opened.status, opened.body], [200, { status: true }]);
  assert.equal((await scene.signIn(browser, email, password)).status, 200);
  const account = await accountOf(browser);
  return { email, password, browser, account };
}

export type Member = Awaited<ReturnType<typeof openMember>>;

export async function accountOf(browser: Browser): Promise<string> {
  const { person } = (await browser.get("/people/visitor")).body as Visitor;
  const id = person?.account?.id;
  assert.ok(id, "no account");
  return id;
}
