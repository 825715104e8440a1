/** The service at the edge with everything switched on, which all files of this folder share, and its users. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after } from "node:test";
import { newAccountId } from "#ids.ts";
import {
  FAKE_SECRET_KEY,
  FAKE_WEBHOOK_SECRET,
  startFakeStripe,
} from "../../../stripe/fake-stripe.ts";
import { newIpAddress, signUpByApi, until } from "../../../support/dashboard-site.ts";
import { type EdgeSite, openEdgeSite } from "../../../support/edge-site.ts";

export const TOKEN = "the-operator-of-a-service-in-a-test";
export const PRICES = {
  currency: "eur",
  packs: [{ id: "small", name: "Small", credits: 100, price: "5.00", months: 1 }],
  lifetime: { name: "Lifetime", credits: 500, price: "199.00" },
  contact: "sales@example.org",
};
/** The credits that a new user gets. */
export const STARTER_CREDITS = 100;

export const stripe = await startFakeStripe();
after(() => stripe.close());

/** Settings that a service on Node takes too. */
export const SETTINGS = {
  TOOLBOOTH_WEBHOOK_NETWORKS: "any",
  STRIPE_SECRET_KEY: FAKE_SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: FAKE_WEBHOOK_SECRET,
  TOOLBOOTH_STRIPE_API: stripe.api,
};

export const site = await openEdgeSite(
  { after },
  {
    texts: {
      ...SETTINGS,
      TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
      TOOLBOOTH_PRICES: JSON.stringify(PRICES),
    },
  },
);

/** Calls the operator API. */
export const operatorOf =
  ({ base }: EdgeSite) =>
  async <Result>(command: string, input: object): Promise<Result> => {
    const response = await fetch(`${base}/operator/${command.replace(" ", "/")}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
    const body = (await response.json()) as { ok: boolean; result: Result };
    assert.ok(body.ok, JSON.stringify(body));
    return body.result;
  };

export const operate = operatorOf(site);

/** An account with a key, which an operator opens. The first call is free. */
export async function openAccount(credits: number, email?: string) {
  const address = email ?? `${newAccountId(randomBytes)}@example.com`;
  const { id } = await operate<{ id: string }>("account create", { email: address, credits });
  return { account: id, key: await createKey(id) };
}

export async function createKey(account: string): Promise<string> {
  const order = { email: account, label: "a key" };
  return (await operate<{ key: string }>("key create", order)).key;
}

export const call = (key: string, tool = "uuid", body = "{}", headers: object = {}) =>
  fetch(`${site.base}/api/v1/${tool}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    body,
  });

/** Waits until D1 has an event of this kind, and returns the kinds of all events of the account in D1. */
export const forwarded = (kind: string, account: string) =>
  until(`${kind} in D1`, async () => {
    const rows = await site.sql(
      `SELECT event FROM forwarded_event WHERE id LIKE 'evt_${account}_%' ORDER BY no`,
    );
    const kinds = rows.map((row) => JSON.parse((row as { event: string }).event).kind as string);
    return kinds.includes(kind) && kinds;
  });

/** Sends a request of the dashboard's pages. */
export async function post(
  path: string,
  body: object,
  headers: Record<string, string> = {},
  { base, origin }: Pick<EdgeSite, "base" | "origin"> = site,
) {
  const response = await fetch(`${base}/dashboard${path}`, {
    method: "POST",
    headers: { Origin: origin, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Asks for a code. */
export const startSignIn = (
  email: string,
  headers: Record<string, string> = {},
  to: Pick<EdgeSite, "base" | "origin"> = site,
) => post("/auth/sign-in/start", { email }, headers, to);

export type EdgeMember = Awaited<ReturnType<typeof edgeMember>>;
type ApiResponse = { status: number; text: string; body: never };

/** A user with an account and an address of their own, who sends requests with cookies as the dashboard does. */
export async function edgeMember(name: string, of: EdgeSite = site) {
  const own = { Origin: of.origin, "CF-Connecting-IP": newIpAddress() };
  const { email, cookies: signedIn } = await signUpByApi(of, name, own);
  let cookies = signedIn.join("; ");
  async function ask(method: string, path: string, body?: object): Promise<ApiResponse> {
    const response = await fetch(of.base + path, {
      method,
      headers: { ...own, "Content-Type": "application/json", Cookie: cookies },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const set = response.headers.getSetCookie().map((each) => each.split(";")[0]);
    if (set.length > 0) cookies = set.join("; ");
    const text = await response.text();
    return {
      status: response.status,
      text,
      body: (text === "" ? null : JSON.parse(text)) as never,
    };
  }
  const [row] = await of.sql(`SELECT account FROM users WHERE email = '${email}'`);
  const { account } = row as { account: string };
  return {
    email,
    account,
    get: (path: string) => ask("GET", path),
    post: (path: string, body: object = {}) => ask("POST", path, body),
    put: (path: string, body: object) => ask("PUT", path, body),
  };
}

const EXPECTED_LOGS =
  /An operator's action|failed and will be retried|could not be forwarded|was rejected: it is not signed|was not processed; Stripe/;

/** The lines in the log of the Workers that no test causes on purpose. */
export const unexpectedLogs = () => site.logs.filter((line) => !EXPECTED_LOGS.test(line));
