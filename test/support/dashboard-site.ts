/**
 * The service as a process with a real mail server, for tests with a browser. It trusts the test as a proxy, so that every
 * user has an IP address of their own and the rate limits of one test do not affect another.
 */
import type { TestContext } from "node:test";
import { type Received, startMailServer } from "../email/smtp-fixture.ts";
import { startServer, temporaryFolder } from "../http/server-process.ts";
import { HANGS_MS } from "./deadline.ts";
import { freePort } from "./ports.ts";

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
    // It starts there again.
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    SECRET,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: "Toolbooth <post@toolbooth.example>",
    TOOLBOOTH_TRUSTED_PROXIES: "127.0.0.1",
    ...more,
  };
  let server = await startServer(t, env);
  const { base } = server;
  // If the dashboard is not built yet, the service builds it first.
  await until("the pages", async () => (await fetch(`${base}/sign-in`)).ok);
  return {
    ...{ base, dataDir },
    emails: mail.received,
    kill: async () => void (await server.end("SIGKILL")),
    async start() {
      server = await startServer(t, env);
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

/** An address that no account uses yet. */
export function newAddress(name = "ada"): string {
  count += 1;
  return `${name}-${count}@example.com`;
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

/** The emails that contain a code. */
export const CODE = /^Your code /;

/** The code in the newest of at least `count` emails with a code. */
export async function codeTo(site: TestSite, email: string, count = 1): Promise<string> {
  const message = await until(`email ${count} with a code to ${email}`, () => {
    const found = emailsTo(site, email).filter((each) => CODE.test(each.email.subject ?? ""));
    return found.length >= count && found.at(-1);
  });
  const [, first = "", last = ""] = /\b(\d{4}) (\d{4})\b/.exec(message.email.text ?? "") ?? [];
  return first + last;
}

/** Creates an account through the API and returns its address. `more`: headers of all requests. */
export const createMember = async (
  site: TestSite,
  name?: string,
  more?: Record<string, string>,
): Promise<string> => (await signUpByApi(site, name, more)).email;

/** Creates an account, and returns the cookies of the session that begins then, as `name=value`. */
export async function signUpByApi(
  site: TestSite,
  name?: string,
  more: Record<string, string> = {},
): Promise<{ email: string; cookies: string[] }> {
  const email = newAddress(name);
  const headers = { "X-Forwarded-For": newIpAddress(), ...more };
  return { email, cookies: await signInByApi(site, email, headers) };
}

/** Signs in with a code, and returns the cookies. `headers`: those of all requests. */
export async function signInByApi(
  site: TestSite,
  email: string,
  headers: Record<string, string>,
): Promise<string[]> {
  const before = emailsTo(site, email).filter(({ email: { subject } }) => CODE.test(subject ?? ""));
  const send = async (path: string, body: object, cookies: string[]) => {
    const response = await fetch(`${site.base}/dashboard/auth/sign-in/${path}`, {
      method: "POST",
      headers: {
        Origin: site.base,
        "Content-Type": "application/json",
        Cookie: cookies.join("; "),
        ...headers,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  };
  const started = await send("start", { email }, []);
  const code = await codeTo(site, email, before.length + 1);
  const signedIn = await send("code", { code }, started);
  return [...started, ...signedIn].filter((cookie) => !cookie.endsWith("="));
}
