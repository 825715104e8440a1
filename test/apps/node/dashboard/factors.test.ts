import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createOTP } from "@better-auth/utils/otp";
import type { BrowserContext, Page } from "playwright-core";
import { databaseFile } from "../../../../src/apps/node/data-folder.ts";
import { decodeBase32 } from "../../../api/dashboard/factors-fixture.ts";
import * as session from "../../../support/dashboard-browser.ts";
import { shareShop } from "./shared-shop.ts";

/** Passkeys with Chromium's virtual authenticator, and an authenticator app, from the account page to the sign-in. */

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
  const db = new DatabaseSync(databaseFile(site.dataDir));
  db.exec("PRAGMA busy_timeout = 10000");
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  db.prepare(
    "UPDATE user_session SET createdAt = ?, provedAt = NULL WHERE userId = (SELECT id FROM users WHERE email = ?)",
  ).run(anHourAgo, email);
  db.close();
}

const signOut = async (page: Page) => {
  await page.goto("/settings/account");
  await session.button(page, "Sign out everywhere").click();
  await session.heading(page, "Sign in").waitFor();
};

test("a passkey is added, signs in by itself, is the second step after a password, and confirms who the user is", async (t) => {
  const user = await session.openMember(t, browser, local);
  const { page, credentials } = user;
  const { isTouched } = await addAuthenticator(user.context, page);
  await page.goto("/settings/account");
  await session.button(page, "Add passkey").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Test device");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Copy the recovery codes" }).click();
  const copied = (await session.clipboard(page)).trim().split("\n");
  assert.equal(copied.length, 10);
  await dialog.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("Passkey added: Test device.").waitFor();
  await isTouched(false);
  await signOut(page);

  await session.signIn(page, credentials);
  await session.heading(page, "Confirm your sign-in").waitFor();
  await isTouched(true);
  await session.button(page, "Use a passkey").click();
  await session.heading(page, "Home").waitFor();

  ageSessions(credentials.email);
  await page.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
  await session.button(page, "Create key").click();
  await page.getByRole("dialog").getByLabel("Label", { exact: true }).fill("proved");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
  user.expectConsoleError(/403 \(Forbidden\)/);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("textbox", { name: "Your new key" }).waitFor();

  // Without suggestions in the email field, the button is the way in.
  await page.addInitScript(NO_SUGGESTIONS);
  await signOut(page);
  await session.button(page, "Sign in with a passkey").click();
  await session.heading(page, "Home").waitFor();
});

const NO_SUGGESTIONS =
  "PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)";

test("an authenticator app is set up from the QR code's key, and its code is the second step", async (t) => {
  const user = await session.openMember(t, browser, local);
  const { page, credentials } = user;
  await page.goto("/settings/account");
  await session.button(page, "Set up authenticator app").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("img", { name: "QR code of the key" }).waitFor();
  const key = await dialog.getByLabel("Key", { exact: true }).inputValue();
  const otp = createOTP(decodeBase32(key));
  const codeAt = (steps: number) => otp.hotp(Math.floor(Date.now() / 30_000) + steps);
  const field = dialog.getByLabel("Code of your authenticator app");
  await field.fill("000000");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.getByText("This code is wrong or was already used").waitFor();
  user.expectConsoleError(/400 \(Bad Request\)/);
  await field.fill(await codeAt(0));
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.getByRole("list", { name: "Recovery codes" }).waitFor();
  await dialog.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("Authenticator app set up.").waitFor();
  await page.addInitScript(SUGGESTIONS_FAIL);
  const failed = page.waitForEvent("console", (message) => message.text() === "no suggestions");
  await signOut(page);
  // The user did not ask for suggestions, so a browser that cannot show them is no error.
  await failed;
  assert.equal(await page.getByText("Something went wrong").count(), 0);

  await session.signIn(page, credentials);
  await session.heading(page, "Confirm your sign-in").waitFor();
  // The code of this step was used for the setup; phones are often ahead of the server.
  await page.getByLabel("Code of your authenticator app").fill(await codeAt(1));
  await session.button(page, /^Sign in$/).click();
  await session.heading(page, "Home").waitFor();
});

/** Chromium without a device for passkeys. It says so some frames later, when an error would be on the page. */
const SUGGESTIONS_FAIL = `
PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(true);
const inFrames = (count) => count === 0 ? console.info("no suggestions") : requestAnimationFrame(() => inFrames(count - 1));
navigator.credentials.get = async () => {
  inFrames(5);
  throw new DOMException("Not supported at this time.", "NotSupportedError");
};`;
