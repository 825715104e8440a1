import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmails } from "#email/emails.ts";
import { createFixture, emailTo, START } from "./mail-fixture.ts";
import { at, openTransport, startMailServer } from "./smtp-fixture.ts";

const SITE = "https://toolbooth.example/tools";
const TOKEN = `acc_000000000001.low.${"a".repeat(40)}`;
const unsubscribe = {
  page: `${SITE}/unsubscribe?token=${TOKEN}`,
  post: `${SITE}/dashboard/notifications/unsubscribe?token=${TOKEN}`,
};
const order = { to: "ada@example.org", at: START, unsubscribe };
const END = Date.UTC(2026, 11, 21, 10);
const emails = createEmails({ publicUrl: SITE, name: "Toolbooth" });
const LOW = emails.creditsLow({ ...order, balance: 19, lowBalance: 1_000 });
const DEPLETED = emails.creditsUsedUp(order);
const EXPIRING = emails.creditsExpiring({ ...order, remaining: 1_234, expiresAt: END });
const ALL = [LOW, DEPLETED, EXPIRING];

test("every email about credits says what happened and when, what is left, and links to the credits page", () => {
  assert.deepEqual(
    ALL.map(({ kind, subject }) => [kind, subject]),
    [
      ["credits_low", "Your Toolbooth credits are running low"],
      ["credits_depleted", "You're out of Toolbooth credits"],
      ["credits_expiring", "Some of your Toolbooth credits expire soon"],
    ],
  );
  for (const { text, html } of ALL) {
    for (const body of [text, html]) {
      assert.ok(body.includes(`${SITE}/credits`));
      assert.ok(body.includes("November 21, 2026 at 10:00 UTC"));
      assert.match(body, /You received this email because/);
    }
  }
  assert.match(LOW.text, /below 1,000 credits[\s\S]*Balance: 19 credits/);
  assert.match(DEPLETED.text, /Balance: 0 credits[\s\S]*rejects calls with 402/);
  assert.match(EXPIRING.text, /1,234 credits that expire on December 21, 2026 at 10:00 UTC/);
});

test("one credit is written in the singular", () => {
  const one = emails.creditsLow({ ...order, balance: 1, lowBalance: 2 });
  assert.match(one.text, /Balance: 1 credit\n/);
  const ending = emails.creditsExpiring({ ...order, remaining: 1, expiresAt: END });
  assert.match(ending.text, /^1 credit expires soon\n/);
});

test("an email about expiring credits is useful until they expire; the others do not expire", () => {
  assert.deepEqual(
    ALL.map(({ usefulUntil }) => usefulUntil),
    [null, null, END],
  );
});

test("every email about credits has an unsubscribe page for its reader and an unsubscribe URL for mail programs", () => {
  for (const email of ALL) {
    assert.ok(email.text.split("\n").includes(unsubscribe.page));
    assert.ok(email.html.includes(`href="${unsubscribe.page}"`));
    assert.equal(email.unsubscribe, unsubscribe.post);
    assert.ok(!email.text.includes(unsubscribe.post));
  }
  const bad = { ...unsubscribe, post: "https://x.example/>\r\nBcc: eve@example.org" };
  assert.throws(() => emails.creditsUsedUp({ ...order, unsubscribe: bad }), TypeError);
});

const HEADERS = {
  "list-unsubscribe": `<${unsubscribe.post}>`,
  "list-unsubscribe-post": "List-Unsubscribe=One-Click",
};

test("emails about credits have the headers of RFC 8058 and other emails have none", async (t) => {
  const server = await startMailServer(t);
  const { mail, sender } = createFixture({ transport: openTransport(t, at(server.port)) });
  for (const email of [...ALL, emailTo("ada@example.org")]) await mail.enqueue(email);
  await sender.deliverDue();
  const seen = server.received.map(({ email: { headers } }) => {
    const ours = headers.filter(({ key }) => key.startsWith("list-"));
    return Object.fromEntries(ours.map(({ key, value }) => [key, value]));
  });
  const byCount = seen.toSorted((a, b) => Object.keys(a).length - Object.keys(b).length);
  assert.deepEqual(byCount, [{}, HEADERS, HEADERS, HEADERS]);
});
