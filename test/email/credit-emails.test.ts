import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import PostalMime from "postal-mime";
import { createEmails } from "#email/emails.ts";
import { createFetchTransport } from "#email/fetch-transport.ts";
import type { Email } from "#email/mail.ts";
import { createOutbox } from "#email/node-transports.ts";
import type { Transport } from "#email/transport.ts";
import { createFixture, emailTo, FROM, START, temporaryFolder } from "./mail-fixture.ts";
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
      ["credits_depleted", "You've used all your Toolbooth credits"],
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

/** The emails about credits, and one from which people cannot unsubscribe. */
const ENQUEUED: Email[] = [...ALL, emailTo("ada@example.org")];
async function sendAll(transport: Transport): Promise<void> {
  const { mail, sender } = createFixture({ transport });
  for (const email of ENQUEUED) await mail.enqueue(email);
  await sender.deliverDue();
}

async function assertHeaders(files: (string | Buffer)[]): Promise<void> {
  const seen = await Promise.all(
    files.map(async (file) => {
      const { headers } = await PostalMime.parse(file);
      const ours = headers.filter(({ key }) => key.startsWith("list-"));
      return Object.fromEntries(ours.map(({ key, value }) => [key, value]));
    }),
  );
  const byCount = seen.toSorted((a, b) => Object.keys(a).length - Object.keys(b).length);
  assert.deepEqual(byCount, [{}, HEADERS, HEADERS, HEADERS]);
}

test("over SMTP, emails about credits have the headers of RFC 8058 and other emails have none", async (t) => {
  const server = await startMailServer(t);
  await sendAll(openTransport(t, at(server.port)));
  await assertHeaders(server.received.map(({ raw }) => raw));
});

test("in the outbox, emails about credits have the headers of RFC 8058 and other emails have none", async (t) => {
  const folder = path.join(temporaryFolder(t), "outbox");
  const options = {
    folder,
    from: FROM,
    now: () => START,
    logsText: false,
    log: () => {},
    show: () => {},
  };
  await sendAll(createOutbox(options));
  await assertHeaders(readdirSync(folder).map((name) => readFileSync(path.join(folder, name))));
});

test("over HTTP, emails about credits have the headers of RFC 8058 and other emails have none", async (t) => {
  const { url, bodies } = await openProvider(t);
  await sendAll(createFetchTransport({ url, token: "token" }, FROM));
  const seen = bodies.map(
    (body) => (JSON.parse(body) as { headers: Record<string, string> }).headers,
  );
  const common = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };
  const withUnsubscribe = {
    ...common,
    "List-Unsubscribe": HEADERS["list-unsubscribe"],
    "List-Unsubscribe-Post": HEADERS["list-unsubscribe-post"],
  };
  const byCount = seen.toSorted((a, b) => Object.keys(a).length - Object.keys(b).length);
  assert.deepEqual(byCount, [common, withUnsubscribe, withUnsubscribe, withUnsubscribe]);
});

async function openProvider(t: TestContext) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/emails` };
}
