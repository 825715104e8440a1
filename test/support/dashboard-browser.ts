/** Steps that a user takes in a browser, for end-to-end tests. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import {
  CONFIRM,
  type Credentials,
  linkTo,
  newIpAddress,
  type TestSite,
} from "./dashboard-site.ts";

const STEP_DEADLINE_MS = 120_000;

export type BrowserUser = {
  context: BrowserContext;
  page: Page;
  /** Opens another tab in the same browser context. */
  openTab(): Promise<Page>;
  /** Allows console errors that match. Any other console error fails the test. */
  expectConsoleError(pattern: RegExp): void;
};

/** Opens a browser context with its own IP address. Console errors that the test does not expect fail it. */
export async function openUser(
  t: TestContext,
  browser: Browser,
  site: TestSite,
): Promise<BrowserUser> {
  const context = await browser.newContext({
    baseURL: site.base,
    extraHTTPHeaders: { "X-Forwarded-For": newIpAddress() },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const errors: string[] = [];
  const expected: RegExp[] = [];
  context.setDefaultTimeout(STEP_DEADLINE_MS);
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    errors.push(`${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => errors.push(error.error().stack ?? String(error.error())));
  await context.addInitScript(REPORT_POLICY);
  t.after(async () => {
    await context.close();
    const unexpected = errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
    assert.deepEqual(unexpected, [], "unexpected console errors");
  });
  return {
    context,
    page: await context.newPage(),
    openTab: () => context.newPage(),
    expectConsoleError: (pattern) => void expected.push(pattern),
  };
}

const REPORT_POLICY = `addEventListener("securitypolicyviolation", (event) =>
  console.error("Policy violated: " + event.violatedDirective + " " + event.blockedURI));`;

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name });

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("main").getByRole("button", { name });

export async function fillCredentials(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page
    .getByLabel("Password", { exact: true })
    .or(page.getByLabel("New password"))
    .fill(password);
}

/** Ends on the page "Check your email". */
export async function signUp(page: Page, credentials: Credentials): Promise<void> {
  await page.goto("/sign-up");
  await fillCredentials(page, credentials);
  await button(page, "Sign up").click();
  await heading(page, "Check your email").waitFor();
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

/** The dialog that opens after the address of a new account was confirmed. */
export const firstKeyDialog = (page: Page) =>
  page.getByRole("dialog", { name: "Your first API key" });

/** Opens the link in the email and confirms the address, in the browser that signed up. Ends on the home page, signed in. */
export async function confirmAddress(
  page: Page,
  site: TestSite,
  credentials: Credentials,
): Promise<void> {
  await page.goto(await linkTo(site, credentials.email, CONFIRM));
  await button(page, "Confirm address").click();
  await firstKeyDialog(page).getByRole("button", { name: "Not now" }).click();
  await heading(page, "Home").waitFor();
}

/** Submits the form of the sign-in page. */
export async function signIn(page: Page, credentials: Credentials): Promise<void> {
  await fillCredentials(page, credentials);
  await button(page, /^Sign in$/).click();
}

/** Signs in through the API, without the sign-in page. */
export async function signInByApi(
  user: BrowserUser,
  site: TestSite,
  credentials: Credentials,
): Promise<void> {
  const response = await user.context.request.post("/dashboard/auth/sign-in/email", {
    data: credentials,
    headers: { Origin: site.base },
  });
  assert.equal(response.status(), 200, await response.text());
}

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
export async function closeAccount(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Account" }).click();
  await button(page, "Close account…").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Confirm your email address").fill(email);
  await dialog.getByLabel("Your password", { exact: true }).fill(password);
  await dialog.getByRole("button", { name: "Close account permanently" }).click();
}

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
