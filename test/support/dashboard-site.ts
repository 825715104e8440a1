/**
 * The service as a process with a real mail server, for tests with a browser. It trusts the test as a proxy, so that every
 * user has an IP address of their own and the rate limits of one test do not affect another.
 */
import type { TestContext } from "node:test";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type Challenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2";
import { createEmailVerificationToken } from "better-auth/api";
import { type Received, startMailServer } from "../email/smtp-fixture.ts";
import { startServer, temporaryFolder } from "../http/server-process.ts";
import { HANGS_MS } from "./deadline.ts";

/** The hooks of one test, or of all tests in a file. */
type Hooks = { after(close: () => unknown): void };

/** A running service and the emails that it sent, in any runtime. */
export type TestSite = {
  base: string;
  /** All emails so far, oldest first. */
  emails: Received[];
};

export type Site = TestSite & {
  dataDir: string;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>;
};

export type Credentials = { email: string; password: string };

const SECRET = "the secret of a service in a test";

/** Starts the service. `more` adds to the configuration that all these tests share. */
export async function openSite(
  { after }: Hooks,
  more: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const t = { after } as Pick<TestContext, "after">;
  const mail = await startMailServer(t);
  const dataDir = temporaryFolder(t);
  const env = {
    DATA_DIR: dataDir,
    SECRET,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: "Toolbooth <post@toolbooth.example>",
    TOOLBOOTH_TRUSTED_PROXIES: "127.0.0.1",
    ...more,
  };
  let server = await startServer(t, env);
  const { base, port } = server;
  // If the dashboard is not built yet, the service builds it first.
  await until("the pages", async () => (await fetch(`${base}/sign-in`)).ok);
  return {
    ...{ base, dataDir },
    emails: mail.received,
    kill: async () => void (await server.end("SIGKILL")),
    async start() {
      server = await startServer(t, { ...env, PORT: String(port) });
    },
  };
}

/** Polls `check` until it returns a truthy value. */
export async function until<Found>(
  what: string,
  check: () => Found | Promise<Found>,
): Promise<Exclude<Found, false | "" | null | undefined>> {
  for (const startedAt = Date.now(); Date.now() - startedAt < HANGS_MS; ) {
    const found = await check();
    if (found) return found as Exclude<Found, false | "" | null | undefined>;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Timed out waiting for ${what}`);
}

let count = 0;

/** Credentials that no account uses yet. */
export function newCredentials(name = "ada"): Credentials {
  count += 1;
  return { email: `${name}-${count}@example.com`, password: "correct horse battery staple" };
}

/** An IP address that no other user has, in a network of its own: sign-ups are counted by network too. */
export function newIpAddress(): string {
  count += 1;
  return `2001:db8:${count.toString(16)}::1`;
}

export const emailsTo = (site: TestSite, email: string): Received[] =>
  site.emails.filter(({ to }) => to.includes(email));

/** The URL of the button in the newest email with this subject, once it has arrived. */
export async function linkTo(site: TestSite, email: string, subject: RegExp): Promise<string> {
  const message = await until(`an email to ${email} about ${subject}`, () =>
    emailsTo(site, email).findLast((each) => subject.test(each.email.subject ?? "")),
  );
  const link = /href="([^"]+)"/.exec(message.email.html ?? "")?.[1]?.replaceAll("&amp;", "&");
  if (link === undefined || !message.email.text?.includes(link)) {
    throw new Error(
      `The HTML and the text of the email have no common link:\n${message.email.text}`,
    );
  }
  return link;
}

export const CONFIRM = /^Confirm your email address/;

/** Creates a confirmed account through the API. `more`: headers of all requests. */
export const createMember = async (
  site: TestSite,
  name?: string,
  more?: Record<string, string>,
): Promise<Credentials> => (await signUpByApi(site, name, more)).credentials;

/** Creates a confirmed account, and returns the cookies of the session that begins then, as `name=value`. */
export async function signUpByApi(
  site: TestSite,
  name?: string,
  more: Record<string, string> = {},
): Promise<{ credentials: Credentials; cookies: string[] }> {
  const credentials = newCredentials(name);
  const headers = {
    Origin: site.base,
    "Content-Type": "application/json",
    "X-Forwarded-For": newIpAddress(),
    ...more,
  };
  const signUp = (proof?: string) =>
    fetch(`${site.base}/dashboard/auth/sign-up/email`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "", ...credentials, proof }),
    });
  let signedUp = await signUp();
  // Other tests of the same service may have sent many requests within this minute.
  if (signedUp.status === 429) signedUp = await signUp(await proveWork(site));
  if (!signedUp.ok) throw new Error(`${signedUp.status} ${await signedUp.text()}`);
  const { searchParams } = new URL(await linkTo(site, credentials.email, CONFIRM));
  const confirmed = await expectOk(`${site.base}/dashboard/auth/verify-email`, {
    method: "POST",
    headers: { ...headers, Cookie: cookiesOf(signedUp).join("; ") },
    body: JSON.stringify({ token: searchParams.get("token") }),
  });
  return { credentials, cookies: [...cookiesOf(signedUp), ...cookiesOf(confirmed)] };
}

const cookiesOf = ({ headers }: Response): string[] =>
  headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");

/** A proof of work, as the pages send it. */
export async function proveWork(site: TestSite): Promise<string> {
  const response = await fetch(`${site.base}/dashboard/challenge`);
  const challenge = (await response.json()) as Challenge;
  return JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) });
}

async function expectOk(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}

/** A confirmation link that has expired. */
export async function expiredLink(site: TestSite, email: string): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const secret = bytesToHex(hmac(sha256, bytes(SECRET), bytes("toolbooth sessions")));
  const token = await createEmailVerificationToken(secret, email, undefined, -60);
  return `${site.base}/verify-email?token=${token}`;
}
