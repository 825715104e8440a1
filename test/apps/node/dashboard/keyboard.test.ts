import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import * as session from "../../../support/dashboard-browser.ts";
import {
  assertFocusKept,
  assertFocusMoves,
  press,
  tabTo,
  type,
} from "../../../support/dashboard-keyboard.ts";
import { codeTo, newAddress, until } from "../../../support/dashboard-site.ts";
import { shareShop } from "./shared-shop.ts";

/** Complete tasks by keyboard alone: everything is reachable, and the focus is visible and never lost. */

const { browser, site } = await shareShop();

/** Chooses an action in the menu of a key. Ends in its dialog. */
async function chooseAction(page: Page, label: string, action: string): Promise<void> {
  await press(page, session.keyMenu(page, label));
  await tabTo(page, page.getByRole("menuitem", { name: action }), "ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
}

test("a user gets from the front page to the first key", async (t) => {
  const { page } = await session.openUser(t, browser, site);
  const email = newAddress();
  const main = page.getByRole("main");
  await page.goto("/");
  await press(
    page,
    main.getByRole("link", { name: /^(?:Get started|Create an account)$/ }).first(),
  );
  await session.heading(page, "Sign in").waitFor();
  await type(page, page.getByLabel("Email address"), email);
  await page.keyboard.press("Enter");
  await session.heading(page, "Check your email").waitFor();
  await assertFocusKept(page, "asking for a code");
  // The field has the focus, and a complete code is sent.
  await page.keyboard.type(await codeTo(site, email));
  const dialog = page.getByRole("dialog");
  const reveal = dialog.getByRole("button", { name: "Reveal and copy" });
  await reveal.waitFor();
  await assertFocusKept(page, "signing up");
  await until("the focus on the button", async () => {
    const focused = await page.evaluate("document.activeElement.textContent");
    return focused === "Reveal and copy";
  });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await assertFocusKept(page, "closing the dialog");
  await press(page, main.getByRole("button", { name: "Reveal your first key" }));
  await press(page, dialog.getByRole("tab", { name: "curl" }), "ArrowRight");
  await press(page, reveal);
  await dialog.getByRole("button", { name: "Copy the key" }).waitFor();
  await assertFocusKept(page, "revealing the key");
  const secret = await dialog.getByLabel("Your API key").inputValue();
  const copied = await session.clipboard(page);
  assert.ok(copied.startsWith("const response = await fetch(") && copied.includes(secret));
  await press(page, dialog.getByRole("button", { name: "Copy the key" }), "Space");
  assert.equal(await session.clipboard(page), secret);
  await assertFocusKept(page, "copying the key");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await assertFocusKept(page, "closing the dialog of the key");
  await main.getByText("Waiting for your first call…").waitFor();
});

test("a key is renamed and revoked, and Escape changes nothing", async (t) => {
  const { page } = await session.openMember(t, browser, site);
  await page.goto("/settings/api-keys");
  await session.createKey(page, "old");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await press(page, session.keyMenu(page, "old"));
  await tabTo(page, page.getByRole("menuitem", { name: "Revoke" }), "ArrowDown");
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "hidden" });
  await assertFocusMoves(page, session.keyMenu(page, "old"));
  await chooseAction(page, "old", "Rename");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await assertFocusMoves(page, session.keyMenu(page, "old"));
  await chooseAction(page, "old", "Rename");
  await tabTo(page, dialog.getByLabel("Label", { exact: true }));
  await page.keyboard.press("Control+A");
  await page.keyboard.type("new");
  await page.keyboard.press("Enter");
  await page.getByText("Key renamed from “old” to “new”.").waitFor();
  await assertFocusKept(page, "renaming");
  await chooseAction(page, "new", "Revoke");
  await assertFocusMoves(page, dialog.getByRole("button", { name: "Keep key" }));
  await press(page, dialog.getByRole("button", { name: "Revoke key" }), "Space");
  await page.getByText("Key “new” revoked.").waitFor();
  await page.getByText("No active API keys").waitFor();
  await assertFocusKept(page, "revoking");
});

test("a key is created with limits, its limits are edited, and it gets a new secret", async (t) => {
  const { page } = await session.openMember(t, browser, site);
  await page.goto("/settings/api-keys");
  const dialog = page.getByRole("dialog");
  await press(page, session.button(page, "Create key"));
  await type(page, dialog.getByLabel("Label", { exact: true }), "partner");
  await press(page, dialog.getByText("Limits (optional)"));
  await press(page, dialog.getByLabel("All tools, including future ones"), "ArrowDown");
  await press(page, dialog.getByLabel("hash"), "Space");
  await type(page, dialog.getByLabel("Per day"), "1,000");
  await type(page, dialog.getByLabel("Allowed networks"), "203.0.113.300");
  await press(page, dialog.getByRole("button", { name: "Create key" }));
  // The page finds the mistake itself, and the focus goes to the field.
  await dialog.getByText("“203.0.113.300” is not an address or a network.").waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("203.0.113.0/24");
  await press(page, dialog.getByRole("button", { name: "Create key" }));
  const first = await dialog.getByLabel("Your new key").inputValue();
  await press(page, dialog.getByRole("button", { name: "I have stored it" }));
  await page.getByText("hash only · 0 of 1,000 credits today · from 203.0.113.0/24").waitFor();
  await assertFocusKept(page, "creating a key with limits");

  await chooseAction(page, "partner", "Edit limits");
  await dialog.getByText("0 of 1,000 spent.").waitFor();
  await tabTo(page, dialog.getByLabel("Allowed networks"));
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await press(page, dialog.getByRole("button", { name: "Save limits" }));
  await page
    .getByText("Limits of “partner” saved: hash only · 0 of 1,000 credits today.")
    .waitFor();
  await assertFocusKept(page, "editing limits");

  await chooseAction(page, "partner", "Rotate");
  await press(page, dialog.getByRole("button", { name: "Rotate key" }));
  const second = await dialog.getByLabel("Your new secret").inputValue();
  await dialog.getByText("The old secret works until").waitFor();
  assert.notEqual(second, first);
  await press(page, dialog.getByRole("button", { name: "I have stored it" }));
  await page.getByText("Old secret until").waitFor();
  await assertFocusKept(page, "rotating");
});

test("a user opens a browser tool, fills it in, chooses an option with the arrow keys and copies the result", async (t) => {
  const { page } = await session.openUser(t, browser, site);
  await page.goto("/tools");
  await press(page, page.getByRole("main").getByRole("link", { name: /^Hash/ }));
  await session.heading(page, "Hash").waitFor();
  await assertFocusKept(page, "choosing a tool");
  const text = page.getByRole("textbox").first();
  await tabTo(page, text);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("abc");
  const result = page.locator(".play-result");
  await result.getByText("ba7816bf8f01cfea414140de5dae2223").first().waitFor();
  await tabTo(page, page.getByRole("radio", { name: "SHA-256" }));
  await page.keyboard.press("ArrowLeft");
  await result.getByText("SHA-1, 40 hex digits").waitFor();
  await assertFocusKept(page, "choosing with the arrows");
  await press(page, result.getByRole("button", { name: /^Copy/ }).first());
  assert.match(await session.clipboard(page), /a9993e364706816aba3e25717850c26c9cd0d89d/);
  await assertFocusKept(page, "copying");
});

test("the account menu opens, closes and signs out", async (t) => {
  const user = await session.openMember(t, browser, site);
  const { page } = user;
  await page.goto("/home");
  const account = page.getByRole("button", { name: /^Account:/ });
  await press(page, account);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Sign out" }).waitFor({ state: "hidden" });
  await assertFocusMoves(page, account);
  await page.keyboard.press("Enter");
  // The home page may refetch its data while the session ends.
  user.expectConsoleError(/401 \(Unauthorized\).*\/dashboard\/home/);
  await press(page, page.getByRole("button", { name: "Sign out" }));
  await session.heading(page, "Sign in").waitFor();
});
