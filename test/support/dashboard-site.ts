/**
 * The service as a process, with a real mail server beside it, for tests in which a person comes with a browser.
 * It is reached through what looks like a proxy, so that every visitor has a network address of their own and one
 * test's tries do not use up those of another.
 */
import type { TestContext } from "node:test";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { createEmailVerificationToken } from "better-auth/api";
import { type Received, startMailServer } from "../email/smtp-fixture.ts";
import { startServer, temporaryFolder } from "../http/server-process.ts";

/** Of one test, or of all tests of a file. */
type Hooks = { after(close: () => unknown): void };

/** Where people and their letters are found, however the service runs. */
export type Place = {
  base: string;
  /** All letters so far, oldest first. */
  emails: Received[];
};

export type Site = Place & {
  /** As the plug being pulled. */
  kill(): Promise<void>;
  /** On the same port, with the same data. */
  start(): Promise<void>;
};

export type Credentials = { email: string; password: string };

const SECRET = "the secret of a service in a test";
const DEADLINE_MS = 120_000;

/** `more`: settings besides those that every site of a test has. */
export async function openSite(
  { after }: Hooks,
  more: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const t = { after } as Pick<TestContext, "after">;
  const mail = await startMailServer(t);
  const env = {
    DATA_DIR: temporaryFolder(t),
    SECRET,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: "Toolbooth <post@toolbooth.example>",
    TOOLBOOTH_TRUSTED_PROXIES: "127.0.0.1",
    ...more,
  };
  let server = await startServer(t, env);
  const { base, port } = server;
  // Where nobody has built the pages yet, the service does; a page waits for it a while.
  await until("the pages", async () => (await fetch(`${base}/sign-in`)).ok);
  return {
    base,
    emails: mail.received,
    kill: async () => void (await server.end("SIGKILL")),
    async start() {
      server = await startServer(t, { ...env, PORT: String(port) });
    },
  };
}

/** Asks again and again; a test's own deadline, and no measure of anything. */
export async function until<Found>(
  what: string,
  ask: () => Found | Promise<Found>,
): Promise<Exclude<Found, false | "" | null | undefined>> {
  for (const began = Date.now(); Date.now() - began < DEADLINE_MS; ) {
    const found = await ask();
    if (found) return found as Exclude<Found, false | "" | null | undefined>;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Waited in vain for ${what}`);
}

let count = 0;

/** Somebody whom no service knows yet. */
export function somebody(name = "ada"): Credentials {
  count += 1;
  return { email: `${name}-${count}@example.com`, password: "correct horse battery staple" };
}

/** A network address that nobody else has. */
export function newAddress(): string {
  count += 1;
  return `10.7.${count >> 8}.${count & 255}`;
}

export const emailsTo = (site: Place, email: string): Received[] =>
  site.emails.filter(({ to }) => to.includes(email));

/** The address under the button of the newest letter with this subject, once it has come. */
export async function linkTo(site: Place, email: string, subject: RegExp): Promise<string> {
  const message = await until(`a letter to ${email} about ${subject}`, () =>
    emailsTo(site, email).findLast((each) => subject.test(each.email.subject ?? "")),
  );
  const link = /href="([^"]+)"/.exec(message.email.html ?? "")?.[1]?.replaceAll("&amp;", "&");
  if (link === undefined || !message.email.text?.includes(link)) {
    throw new Error(`No link that both forms of the letter have:\n${message.email.text}`);
  }
  return link;
}

export const CONFIRM = /^Confirm your email address/;

/** A person who has signed up and confirmed, without the pages: for tests about what comes afterwards. */
export async function member(site: Place, name?: string): Promise<Credentials> {
  const person = somebody(name);
  const headers = {
    Origin: site.base,
    "Content-Type": "application/json",
    "X-Forwarded-For": newAddress(),
  };
  await expectOk(`${site.base}/dashboard/auth/sign-up/email`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "", ...person }),
  });
  const { searchParams } = new URL(await linkTo(site, person.email, CONFIRM));
  await expectOk(`${site.base}/dashboard/auth/verify-email`, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ token: searchParams.get("token") }),
  });
  return person;
}

async function expectOk(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

/** A link as a letter has it, made so long ago that it holds no more. */
export async function expiredLink(site: Place, email: string): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const secret = bytesToHex(hmac(sha256, bytes(SECRET), bytes("toolbooth sessions")));
  const token = await createEmailVerificationToken(secret, email, undefined, -60);
  return `${site.base}/verify-email?token=${token}`;
}
