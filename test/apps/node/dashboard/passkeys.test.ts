import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { databaseFile } from "../../../../src/apps/node/data-folder.ts";
import * as session from "../../../support/dashboard-browser.ts";
import { codeTo } from "../../../support/dashboard-site.ts";
import { HANGS_MS } from "../../../support/deadline.ts";
import { shareShop } from "./shared-shop.ts";

/** Passkeys with Chromium's virtual authenticator, and proofs of who the user is. */

const { browser, site } = await shareShop();
// Passkeys do not work under an IP address.
const local = { ...site, base: site.base.replace("127.0.0.1", "localhost") };

/** `isTouched`: the device confirms at once, also where the page only offers passkeys as suggestions. */
async function addAuthenticator(context: BrowserContext, page: Page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  const isTouched = (enabled: boolean) =>
    devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  return { isTouched };
}

/** Makes the sign-ins of a user an hour older. */
function ageSessions(email: string): void {
  const db = new DatabaseSync(databaseFile(site.dataDir), { timeout: HANGS_MS });
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  db.prepare(
    "UPDATE user_session SET createdAt = ? WHERE userId = (SELECT id FROM users WHERE email = ?)",
  ).run(anHourAgo, email);
  db.close();
}

const signOut = async (page: Page) => {
  await page.goto("/settings/account");
  await session.button(page, "Sign out everywhere").click();
  await session.heading(page, "Sign in").waitFor();
};

/** Creates a key, for which the service wants a proof. */
async function createKeyWithProof(user: session.BrowserUser, label: string) {
  const { page } = user;
  user.expectConsoleError(/403 \(Forbidden\)/);
  await page.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
  await session.button(page, "Create key").first().click();
  await page.getByRole("dialog").getByLabel("Label", { exact: true }).fill(label);
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.waitFor();
  return dialog;
}

test("a passkey is added, signs in, confirms who the user is, and is required", async (t) => {
  const user = await session.openMember(t, browser, local);
  const { page, email } = user;
  const { isTouched } = await addAuthenticator(user.context, page);
  await page.addInitScript(COUNT_ALLOWED);
  await page.goto("/settings/account");
  await session.button(page, "Add passkey").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Test device");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Passkey added: Test device.").waitFor();
  // The switch shows what was chosen before the service has it, and then the sessions may be older.
  const required = page.waitForResponse(/passkeys\/required/);
  await page.getByRole("switch", { name: "Require a passkey" }).click();
  assert.equal((await required).status(), 200);
  await page.getByRole("switch", { name: "Require a passkey", checked: true }).waitFor();

  ageSessions(email);
  const asking = await createKeyWithProof(user, "proved");
  await asking.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("textbox", { name: "Your new key" }).waitFor();
  assert.equal(await page.evaluate("allowed"), 1, "only a passkey of this user is a proof");
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();

  // A code is not enough any more.
  await page.addInitScript(NO_SUGGESTIONS);
  await isTouched(false);
  await signOut(page);
  await session.signIn(page, local, email, 2);
  await page.getByText("passkey").first().waitFor();
  await isTouched(true);
  await session.button(page, "Sign in with a passkey").click();
  await session.heading(page, "Home").waitFor();

  // Where a link leads whose account requires a passkey, also in a browser that is signed in.
  await page.goto("/sign-in?error=passkey_required");
  await page.getByText("This account requires a passkey").waitFor();
  await session.button(page, "Sign in with a passkey").click();
  await session.heading(page, "Home").waitFor();
  assert.equal(await page.evaluate("allowed"), 0, "a passkey of any user signs in");
});

/** How many passkeys the page names when it asks for one. */
const COUNT_ALLOWED = `{
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (options) => {
    globalThis.allowed = (options.publicKey.allowCredentials ?? []).length;
    return get(options);
  };
}`;

const NO_SUGGESTIONS =
  "PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)";

test("without a passkey a code from an email confirms who the user is", async (t) => {
  const user = await session.openMember(t, browser, local);
  const { page, email } = user;
  await page.addInitScript(SUGGESTIONS_FAIL);
  await page.goto("/home");
  ageSessions(email);
  const asking = await createKeyWithProof(user, "proved");
  await asking.getByRole("button", { name: "Send code" }).click();
  await asking.getByLabel("Code").fill(await codeTo(local, email, 2));
  await page.getByRole("textbox", { name: "Your new key" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();

  // The user did not ask for suggestions, so a browser that cannot show them is no error.
  const failed = page.waitForEvent("console", (message) => message.text() === "no suggestions");
  await signOut(page);
  await failed;
  assert.equal(await page.getByText("Something went wrong").count(), 0);
});

/** Chromium without a device for passkeys. It says so some frames later, when an error would be on the page. */
const SUGGESTIONS_FAIL = `
PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(true);
const inFrames = (count) => count === 0 ? console.info("no suggestions") : requestAnimationFrame(() => inFrames(count - 1));
navigator.credentials.get = async () => {
  inFrames(5);
  throw new DOMException("Not supported at this time.", "NotSupportedError");
};`;
