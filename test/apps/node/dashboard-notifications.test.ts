import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { openBrowser } from "../../support/chromium.ts";
import * as session from "../../support/dashboard-browser.ts";
import { emailsTo, member, openSite, until } from "../../support/dashboard-site.ts";

/** What a person is told, and where, with everything real: browser, service, mail server, receiver. */

type Heard = { headers: Record<string, string>; body: string };

/** Somebody's program that takes webhooks. */
async function openReceiver() {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    heard.push({ headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, heard, close };
}

const [browser, site, receiver] = await Promise.all([
  openBrowser(),
  openSite({ after }, { TOOLBOOTH_WEBHOOK_NETWORKS: "any" }),
  openReceiver(),
]);
after(() => Promise.all([browser.close(), receiver.close()]));

test("a webhook that is added on its page is signed, listed, sent again, paused and deleted", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page, context } = guest;
  await session.signInQuickly(guest, site, await member(site, "hooked"));
  await page.goto("/settings/webhooks");
  await session.button(page, "Add a webhook").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill(receiver.url);
  // The starter credits may be on their way still.
  await dialog.getByRole("checkbox", { name: "Credits were added" }).uncheck();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText(/^Added\./).waitFor();
  await page.getByRole("button", { name: /^Copy the secret/ }).click();
  const secret = await session.clipboard(page);

  const headers = { Origin: site.base };
  const made = await context.request.post("/dashboard/keys", {
    data: { label: "laptop" },
    headers,
  });
  assert.equal(made.status(), 201, await made.text());
  const first = await until("the webhook", () => receiver.heard[0]);
  const told = new Webhook(secret).verify(first.body, first.headers) as { type: string };
  assert.equal(told.type, "key.created");

  await session.button(page, /^Show deliveries/).click();
  const rows = page.getByRole("list", { name: /^Deliveries/ }).getByRole("listitem");
  await rows.first().locator("summary", { hasText: "key.created" }).click();
  await rows.first().getByText('"label": "laptop"').waitFor();
  await rows.first().getByRole("button", { name: "Send again" }).click();
  const second = await until("the same once more", () => receiver.heard[1]);
  assert.equal(second.body, first.body);
  assert.equal(second.headers["webhook-id"], first.headers["webhook-id"]);
  // The list is asked for again by itself until nothing waits any more.
  await rows.nth(1).getByText("Answered 204").waitFor();
  await rows.first().getByText("Answered 204").waitFor();

  await session.button(page, /^Pause/).click();
  await page.getByText("Nothing new is sent there").waitFor();
  await session.button(page, /^Delete/).click();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No webhooks yet").waitFor();
});

test("who is told of a low balance can end such letters from the letter, without signing in", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = await member(site, "low");
  await session.signInQuickly(guest, site, person);
  await page.goto("/settings/notifications");
  await page.getByRole("main").getByText(person.email).waitFor();
  await page.getByLabel("Low balance").fill("100");
  await session.button(page, "Save").click();
  await page.getByText("The balance counts as low below 100 credits.").waitFor();

  const headers = { Origin: site.base };
  const data = { label: "laptop" };
  const made = await guest.context.request.post("/dashboard/keys", { data, headers });
  const { secret } = (await made.json()) as { secret: string };
  // The first call is free, the second one takes the balance below the bound.
  for (let call = 0; call < 2; call += 1) {
    const authorization = { Authorization: `Bearer ${secret}` };
    const result = await fetch(`${site.base}/api/v1/uuid`, {
      ...{ method: "POST", headers: authorization },
    });
    assert.equal(result.status, 200);
  }
  const link = await until("the letter", () =>
    emailsTo(site, person.email)
      .map(({ email }) => /\S+\/unsubscribe\?token=\S+/.exec(email.text ?? "")?.[0])
      .find((found) => found !== undefined),
  );

  const outsider = await session.openGuest(t, browser, site);
  await outsider.page.goto(link);
  await session.button(outsider.page, "Stop these letters").click();
  await session.heading(outsider.page, "These letters have stopped").waitFor();
  await page.reload();
  const low = page.getByRole("switch", { name: /^When the balance is low/ });
  await low.waitFor();
  assert.equal(await low.isChecked(), false);
  const expiring = page.getByRole("switch", { name: /before credits expire$/ });
  assert.equal(await expiring.isChecked(), true);

  outsider.foresee(/status of 400 .*unsubscribe/);
  await outsider.page.goto("/unsubscribe?token=made-up");
  await session.button(outsider.page, "Stop these letters").click();
  await session.heading(outsider.page, "This link does not work").waitFor();
});
