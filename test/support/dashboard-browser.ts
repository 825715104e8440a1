/** What a person does in a browser, step by step, for the tests that follow one through the service. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { CONFIRM, type Credentials, linkTo, newAddress, type Place } from "./dashboard-site.ts";

const STEP_DEADLINE_MS = 120_000;

export type Guest = {
  context: BrowserContext;
  page: Page;
  /** Another tab of the same browser. */
  openTab(): Promise<Page>;
  /** What the browser's console will say because of what this test does, and nothing else. */
  foresee(pattern: RegExp): void;
};

/** Somebody with a browser of their own. Whatever the browser complains of fails the test, unless it was foreseen. */
export async function openGuest(t: TestContext, browser: Browser, site: Place): Promise<Guest> {
  const context = await browser.newContext({
    baseURL: site.base,
    extraHTTPHeaders: { "X-Forwarded-For": newAddress() },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const faults: string[] = [];
  const foreseen: RegExp[] = [];
  context.setDefaultTimeout(STEP_DEADLINE_MS);
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    faults.push(`${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => faults.push(error.error().stack ?? String(error.error())));
  await context.addInitScript(REPORT_POLICY);
  t.after(async () => {
    await context.close();
    const unforeseen = faults.filter((fault) => !foreseen.some((each) => each.test(fault)));
    assert.deepEqual(unforeseen, [], "the browser complained");
  });
  return {
    context,
    page: await context.newPage(),
    openTab: () => context.newPage(),
    foresee: (pattern) => void foreseen.push(pattern),
  };
}

const REPORT_POLICY = `addEventListener("securitypolicyviolation", (event) =>
  console.error("Policy violated: " + event.violatedDirective + " " + event.blockedURI));`;

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name });

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("main").getByRole("button", { name });

export async function fillIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page
    .getByLabel("Password", { exact: true })
    .or(page.getByLabel("New password"))
    .fill(password);
}

/** Leaves the person at "Check your mail". */
export async function signUp(page: Page, person: Credentials): Promise<void> {
  await page.goto("/sign-up");
  await fillIn(page, person);
  await button(page, "Sign up").click();
  await heading(page, "Check your mail").waitFor();
}

/** Follows the link of the letter and confirms. */
export async function confirm(page: Page, site: Place, person: Credentials): Promise<void> {
  await page.goto(await linkTo(site, person.email, CONFIRM));
  await button(page, "Confirm my address").click();
  await heading(page, "Your address is confirmed").waitFor();
}

/** On the sign-in page; leaves the person where that leads. */
export async function signIn(page: Page, person: Credentials): Promise<void> {
  await fillIn(page, person);
  await button(page, "Sign in").click();
}

/** Without the pages. */
export async function signInQuickly(guest: Guest, site: Place, person: Credentials): Promise<void> {
  const response = await guest.context.request.post("/dashboard/auth/sign-in/email", {
    data: person,
    headers: { Origin: site.base },
  });
  assert.equal(response.status(), 200, await response.text());
}

/** On the page of the keys; leaves the person with the new key in sight. */
export async function createKey(page: Page, label: string): Promise<string> {
  await button(page, /^Create a? ?key$/).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label", { exact: true }).fill(label);
  await dialog.getByRole("button", { name: "Create key" }).click();
  return dialog.getByLabel("Your new key").inputValue();
}

/** From any page of a member. */
export async function revokeKey(page: Page, label: string, calls: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
  await button(page, new RegExp(`^Revoke\\s${label}`)).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${calls} in the last 24 hours.`).waitFor();
  await dialog.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByText(`“${label}” is revoked.`).waitFor();
}

/** From any page of a member. */
export async function closeAccount(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Account" }).click();
  await button(page, "Close the account…").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your e-mail address, to confirm").fill(email);
  await dialog.getByLabel("Your password", { exact: true }).fill(password);
  await dialog.getByRole("button", { name: "Close it for good" }).click();
}

export const clipboard = (page: Page): Promise<string> =>
  page.evaluate("navigator.clipboard.readText()");

/** What a shell prints when this is pasted into it, and the status of the answer at its end. */
export async function paste(line: string): Promise<{ body: string; status: number }> {
  assert.match(line, /^curl /);
  const status = " -s -w '\\n%{http_code}'";
  try {
    const { stdout } = await promisify(execFile)("bash", ["-c", line + status]);
    const end = stdout.lastIndexOf("\n");
    return { body: stdout.slice(0, end), status: Number(stdout.slice(end + 1)) };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 127) throw error;
    throw new Error(
      "This test pastes a line into a shell and needs curl, which this machine lacks",
    );
  }
}
