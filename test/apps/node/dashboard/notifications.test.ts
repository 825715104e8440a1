import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import * as session from "../../../support/dashboard-browser.ts";
import { emailsTo, until } from "../../../support/dashboard-site.ts";
import { listen } from "../../../support/ports.ts";
import { shareShop } from "./shared-shop.ts";

/** Notifications by webhook and by email. */

type Received = { headers: Record<string, string>; body: string };

/** A customer's server that receives webhooks. */
async function openReceiver() {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    received.push({ headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  const url = `http://127.0.0.1:${await listen(server)}/hooks`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, received, close };
}

const { browser, site } = await shareShop();

test("webhooks to an added endpoint are signed, listed and resent, and the endpoint is paused and deleted", async (t) => {
  const receiver = await openReceiver();
  t.after(receiver.close);
  const { page, context } = await session.openMember(t, browser, site, "hooked");
  await page.goto("/settings/webhooks");
  await session.button(page, "Add endpoint").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(receiver.url);
  // The starter credits may still be granted.
  await dialog.getByRole("checkbox", { name: "Credits added" }).uncheck();
  await dialog.getByRole("button", { name: "Add endpoint", exact: true }).click();
  await dialog.getByRole("button", { name: "Copy the secret" }).click();
  const secret = await session.clipboard(page);
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await page.getByText(/^Endpoint added\./).waitFor();

  const headers = { Origin: site.base };
  const created = await context.request.post("/dashboard/keys", {
    data: { label: "laptop" },
    headers,
  });
  assert.equal(created.status(), 201, await created.text());
  const first = await until("the webhook", () => receiver.received[0]);
  const event = new Webhook(secret).verify(first.body, first.headers) as { type: string };
  assert.equal(event.type, "key.created");

  await session.button(page, /^Show deliveries/).click();
  const rows = page.getByRole("list", { name: /^Deliveries/ }).getByRole("listitem");
  await rows.first().locator("summary", { hasText: "key.created" }).click();
  await rows.first().getByText('"label": "laptop"').waitFor();
  await rows.first().getByRole("button", { name: "Resend" }).click();
  const second = await until("the resent webhook", () => receiver.received[1]);
  assert.equal(second.body, first.body);
  assert.equal(second.headers["webhook-id"], first.headers["webhook-id"]);
  // The list polls until no delivery is waiting.
  await rows.nth(1).getByText("Status 204").waitFor();
  await rows.first().getByText("Status 204").waitFor();

  await session.button(page, /^Send test event/).click();
  const sentTest = await until("the test event", () => receiver.received[2]);
  const tested = new Webhook(secret).verify(sentTest.body, sentTest.headers) as { type: string };
  assert.equal(tested.type, "test");
  await rows.first().getByText("Status 204").waitFor();
  await rows.first().getByText("test", { exact: true }).waitFor();

  const choose = async (action: RegExp) => {
    await session.button(page, /^Actions for/).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  await choose(/^Rotate secret/);
  await dialog.getByRole("button", { name: "Rotate secret", exact: true }).click();
  await dialog.getByRole("button", { name: "Copy the secret" }).click();
  const fresh = await session.clipboard(page);
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await page.getByText("Webhooks are also signed with the old secret until").waitFor();
  await rows.first().locator("summary").click();
  await rows.first().getByRole("button", { name: "Resend" }).click();
  const third = await until("the webhook after the rotation", () => receiver.received[3]);
  for (const each of [fresh, secret]) new Webhook(each).verify(third.body, third.headers);
  assert.notEqual(fresh, secret);
  await choose(/^Rotate secret/);
  await dialog.getByText("This secret was rotated before").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  // The list must not ask for deliveries of an endpoint that is deleted.
  await rows.nth(3).getByText("Status 204").waitFor();
  await rows.first().getByText("Status 204").waitFor();

  await choose(/^Pause/);
  await page.getByText("by you. Deliveries wait until you resume the endpoint.").waitFor();
  await choose(/^Delete/);
  await dialog.getByRole("button", { name: "Delete endpoint", exact: true }).click();
  await page.getByText("No webhook endpoints yet").waitFor();
});

test("the choice of emails is that of the service, whatever another tab chose and whichever save failed", async (t) => {
  const user = await session.openMember(t, browser, site, "chooser");
  const { page } = user;
  const switches = (tab: Page) =>
    [/^Low balance/, /^Credits expiring/].map((name) => tab.getByRole("switch", { name }));
  const [low, expiring] = switches(page) as [Locator, Locator];
  await page.goto("/settings/notifications");
  await low.waitFor();
  const other = await user.openTab();
  await other.goto("/settings/notifications");
  const [otherLow, otherExpiring] = switches(other) as [Locator, Locator];
  await otherExpiring.uncheck();
  await other.getByText(/^Saved\./).waitFor();
  await page.evaluate(session.FOCUS_TAB);
  await until("the choice of the other tab", async () => !(await expiring.isChecked()));
  await low.uncheck();
  await page.getByText(/^Saved\./).waitFor();
  await other.reload();
  await otherLow.waitFor();
  assert.deepEqual([await otherLow.isChecked(), await otherExpiring.isChecked()], [false, false]);

  // Of two saves the second fails, while the first was under way.
  user.expectConsoleError(/status of 500 /);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let saves = 0;
  await page.route("**/dashboard/notifications", async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    saves += 1;
    if (saves > 1) return route.fulfill({ status: 500, json: { code: "internal", detail: "No." } });
    await held;
    return route.continue();
  });
  await low.check();
  await expiring.check();
  release();
  await page.getByText("Your last change was not saved.").waitFor();
  assert.deepEqual([await low.isChecked(), await expiring.isChecked()], [true, false]);
});

test("a user can unsubscribe from low-balance emails through the link in one, without signing in", async (t) => {
  const { page, context, email: address } = await session.openMember(t, browser, site, "low");
  await page.goto("/settings/notifications");
  await page.getByRole("main").getByText(address).waitFor();
  // Saved by itself, undone, and saved again.
  const threshold = page.getByLabel("Alert me when my balance drops below");
  await threshold.fill("100");
  const saved = page.getByText("We will email you when your balance drops below 100 credits.");
  await saved.waitFor();
  await session.button(page, "Undo").click();
  await page.getByText("We will email you when your balance drops below 20 credits.").waitFor();
  assert.equal(await threshold.inputValue(), "20");
  await threshold.fill("100");
  await threshold.press("Enter");
  await saved.waitFor();

  const headers = { Origin: site.base };
  const data = { label: "laptop" };
  const created = await context.request.post("/dashboard/keys", { data, headers });
  const { secret } = (await created.json()) as { secret: string };
  // The first call is free; the second one takes the balance below the threshold.
  for (let call = 0; call < 2; call += 1) {
    const authorization = { Authorization: `Bearer ${secret}` };
    const result = await fetch(`${site.base}/api/v1/uuid`, {
      method: "POST",
      headers: authorization,
    });
    assert.equal(result.status, 200);
  }
  const link = await until("the email", () =>
    emailsTo(site, address)
      .map(({ email }) => /\S+\/unsubscribe\?token=\S+/.exec(email.text ?? "")?.[0])
      .find((found) => found !== undefined),
  );

  const signedOut = await session.openUser(t, browser, site);
  await signedOut.page.goto(link);
  await session.button(signedOut.page, "Unsubscribe").click();
  await session.heading(signedOut.page, "You are unsubscribed").waitFor();
  await page.reload();
  const low = page.getByRole("switch", { name: /^Low balance/ });
  await low.waitFor();
  assert.equal(await low.isChecked(), false);
  const expiring = page.getByRole("switch", { name: /^Credits expiring/ });
  assert.equal(await expiring.isChecked(), true);

  signedOut.expectConsoleError(/status of 400 .*unsubscribe/);
  await signedOut.page.goto("/unsubscribe?token=made-up");
  await session.button(signedOut.page, "Unsubscribe").click();
  await session.heading(signedOut.page, "This link does not work").waitFor();
});
