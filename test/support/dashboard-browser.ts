/** Steps that a user takes in a browser, for end-to-end tests. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import type {
  Browser,
  BrowserContext,
  ConsoleMessage,
  Locator,
  Page,
  WebError,
} from "playwright-core";
import { codeTo, newIpAddress, signUpByApi, type TestSite } from "./dashboard-site.ts";
import { HANGS_MS } from "./deadline.ts";
import { OWN_CLIPBOARD } from "./own-clipboard.ts";

export type BrowserUser = {
  context: BrowserContext;
  page: Page;
  /** Opens another tab in the same browser context. */
  openTab(): Promise<Page>;
  /** From now on the test can move the clock of the pages forward. */
  controlClock(): Promise<void>;
  /** Allows console errors that match. Any other console error fails the test. */
  expectConsoleError(pattern: RegExp): void;
};

/**
 * The context of one user at a time. Its first page has no script and stays open: the process of the pages of a site lives as long as
 * one of them, and a new one would compile all scripts again.
 */
type Place = { context: BrowserContext; first: Page };

/** Places that no test uses now, by the site that they are for. Only the files of the site are left in their caches. */
const idle = new WeakMap<Browser, Map<string, Place[]>>();

/** Opens a browser context with its own IP address. Console errors that the test does not expect fail it. */
export async function openUser(
  t: TestContext,
  browser: Browser,
  site: TestSite,
): Promise<BrowserUser> {
  const ofBrowser = idle.get(browser) ?? new Map<string, Place[]>();
  idle.set(browser, ofBrowser);
  const free = ofBrowser.get(site.base) ?? [];
  ofBrowser.set(site.base, free);
  const place = free.pop() ?? (await openPlace(browser, site));
  const { context } = place;
  await context.setExtraHTTPHeaders({ "X-Forwarded-For": newIpAddress() });
  const page = await context.newPage();
  const errors: string[] = [];
  const expected: RegExp[] = [];
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() !== "error") return;
    errors.push(`${message.text()} (${message.location().url})`);
  };
  const onError = (error: WebError) =>
    void errors.push(error.error().stack ?? String(error.error()));
  context.on("console", onConsole).on("weberror", onError);
  let hasOwnClock = false;
  t.after(async () => {
    context.off("console", onConsole).off("weberror", onError);
    if (hasOwnClock) await context.close();
    else {
      await forget(place, site);
      free.push(place);
    }
    const unexpected = errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
    assert.deepEqual(unexpected, [], "unexpected console errors");
  });
  return {
    ...{ context, page },
    openTab: () => context.newPage(),
    async controlClock() {
      hasOwnClock = true;
      await page.clock.install();
    },
    expectConsoleError: (pattern) => void expected.push(pattern),
  };
}

async function openPlace(browser: Browser, { base }: TestSite): Promise<Place> {
  const context = await browser.newContext({ baseURL: base });
  context.setDefaultTimeout(HANGS_MS);
  await context.addInitScript(`${REPORT_POLICY};${OWN_CLIPBOARD}`);
  const first = await context.newPage();
  await first.goto("/robots.txt");
  return { context, first };
}

/** Closes the pages of a user and removes what they stored. */
async function forget({ context, first }: Place, { base }: TestSite): Promise<void> {
  for (const page of context.pages()) if (page !== first) await page.close();
  const devtools = await context.newCDPSession(first);
  await devtools.send("Storage.clearDataForOrigin", { origin: base, storageTypes: "all" });
  await devtools.detach();
  await context.clearCookies();
}

const REPORT_POLICY = `addEventListener("securitypolicyviolation", (event) =>
  console.error("Policy violated: " + event.violatedDirective + " " + event.blockedURI))`;

/** Opens a browser in which a new account is signed in. */
export async function openMember(
  t: TestContext,
  browser: Browser,
  site: TestSite,
  name?: string,
): Promise<BrowserUser & { email: string }> {
  const [user, { email, cookies }] = await Promise.all([
    openUser(t, browser, site),
    signUpByApi(site, name),
  ]);
  await user.context.addCookies(cookiesOf(cookies, site));
  return { ...user, email };
}

/** Cookies of `signUpByApi` for a browser. */
export const cookiesOf = (cookies: readonly string[], { base }: TestSite) =>
  cookies.map((cookie) => {
    const at = cookie.indexOf("=");
    return { name: cookie.slice(0, at), value: cookie.slice(at + 1), url: base };
  });

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name });

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("main").getByRole("button", { name });

/** Enters the address on the sign-in page. Ends on the page "Check your email". */
export async function askForCode(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await button(page, "Continue").click();
  await heading(page, "Check your email").waitFor();
}

/** Signs in, or up, on the sign-in page. `emails`: how many codes the address has got then. */
export async function signIn(page: Page, site: TestSite, email: string, emails = 1): Promise<void> {
  await askForCode(page, email);
  // A complete code is sent by itself.
  await page.getByLabel("Code").fill(await codeTo(site, email, emails));
}

/** What a person does in a browser: how often they click, and how many fields they fill in. */
export function countActions() {
  const counts = { clicks: 0, fields: 0 };
  return {
    counts,
    async click(target: Locator): Promise<void> {
      await target.click();
      counts.clicks += 1;
    },
    async fill(target: Locator, text: string): Promise<void> {
      await target.fill(text);
      counts.fields += 1;
    },
    /** A link outside of the browser, such as in an email. */
    async open(page: Page, url: string): Promise<void> {
      await page.goto(url);
      counts.clicks += 1;
    },
  };
}

/** The dialog that opens after a new account was made. */
export const firstKeyDialog = (page: Page) =>
  page.getByRole("dialog", { name: "Your first API key" });

/** Creates a key on the API keys page. Ends in the dialog that shows the key. */
export async function createKey(page: Page, label: string): Promise<string> {
  await button(page, "Create key").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label", { exact: true }).fill(label);
  await dialog.getByRole("button", { name: "Create key" }).click();
  return dialog.getByLabel("Your new key").inputValue();
}

/** The button that opens the menu of a key, on the API keys page. */
export const keyMenu = (page: Page, label: string) => button(page, `Actions for ${label}`);

/** Chooses an action of a key on the API keys page. Ends in its dialog. */
export async function chooseAction(page: Page, label: string, action: string): Promise<void> {
  await keyMenu(page, label).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Works from any page with the sidebar. */
export async function revokeKey(page: Page, label: string, calls: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
  await chooseAction(page, label, "Revoke");
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${calls} in the last 24 hours.`).waitFor();
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText(`Key “${label}” revoked.`).waitFor();
}

/** Works from any page with the sidebar. */
export async function closeAccount(page: Page, email: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Account" }).click();
  await button(page, "Close account…").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Confirm your email address").fill(email);
  await dialog.getByRole("button", { name: "Close account permanently" }).click();
}

/** The event that a tab gets when it becomes visible again. */
export const FOCUS_TAB = `document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`;

export const clipboard = (page: Page): Promise<string> =>
  page.evaluate("navigator.clipboard.readText()");

/** Runs a curl command in a shell and returns the body and the status of the response. */
export async function runInShell(line: string): Promise<{ body: string; status: number }> {
  assert.match(line, /^curl /);
  const status = " -s -w '\\n%{http_code}'";
  try {
    const { stdout } = await promisify(execFile)("bash", ["-c", line + status]);
    const end = stdout.lastIndexOf("\n");
    return { body: stdout.slice(0, end), status: Number(stdout.slice(end + 1)) };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 127) throw error;
    throw new Error("This test runs a command in a shell and needs curl, which is not installed");
  }
}
