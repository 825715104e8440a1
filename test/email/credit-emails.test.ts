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
import { createOutbox } from "#email/node-outbox.ts";
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
const emails = createEmails(SITE);
const LOW = emails.creditsLow({ ...order, balance: 19, lowBalance: 1_000 });
const GONE = emails.creditsUsedUp(order);
const ENDING = emails.creditsExpiring({ ...order, remaining: 1_234, expiresAt: END });
const ALL = [LOW, GONE, ENDING];

test("each letter about credits says what happened and when, what is left, and where credits are seen and got", () => {
  assert.deepEqual(
    ALL.map(({ kind, subject }) => [kind, subject]),
    [
      ["credits_low", "Your Toolbooth credits run low"],
      ["credits_depleted", "Your Toolbooth credits are used up"],
      ["credits_expiring", "Some of your Toolbooth credits end soon"],
    ],
  );
  for (const { text, html } of ALL) {
    for (const body of [text, html]) {
      assert.ok(body.includes(`${SITE}/credits`));
      assert.ok(body.includes("2026-11-21 10:00 UTC"));
      assert.match(body, /You get this letter because/);
    }
  }
  assert.match(LOW.text, /below 1,000 credits[\s\S]*Balance: 19 credits/);
  assert.match(GONE.text, /Balance: 0 credits[\s\S]*refused with 402/);
  assert.match(ENDING.text, /1,234 can be spent until 2026-12-21 10:00 UTC/);
});

test("one credit is one credit", () => {
  const one = emails.creditsLow({ ...order, balance: 1, lowBalance: 2 });
  assert.match(one.text, /Balance: 1 credit\n/);
  const ending = emails.creditsExpiring({ ...order, remaining: 1, expiresAt: END });
  assert.match(ending.text, /^1 credit ends soon\n/);
});

test("a letter about credits that end is of use until they have; the others stay", () => {
  assert.deepEqual(
    ALL.map(({ usefulUntil }) => usefulUntil),
    [null, null, END],
  );
});

test("each has a link for its reader to end letters of its sort, and an address for their mail program", () => {
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

/** Of the letters about credits, and of one that cannot be ended. */
const POSTED: Email[] = [...ALL, emailTo("ada@example.org")];
async function post(transport: Transport): Promise<void> {
  const { mail, office } = createFixture({ transport });
  for (const email of POSTED) await mail.post(email);
  await office.deliverDue();
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

test("by SMTP these letters carry the headers of RFC 8058, and others carry none", async (t) => {
  const server = await startMailServer(t);
  await post(openTransport(t, at(server.port)));
  await assertHeaders(server.received.map(({ raw }) => raw));
});

test("so they do in the outbox", async (t) => {
  const folder = path.join(temporaryFolder(t), "outbox");
  const wiring = { folder, from: FROM, now: () => START, logsText: false, tell: () => {} };
  await post(createOutbox(wiring));
  await assertHeaders(readdirSync(folder).map((name) => readFileSync(path.join(folder, name))));
});

test("so they do by HTTP", async (t) => {
  const { url, bodies } = await openProvider(t);
  await post(createFetchTransport({ url, token: "token" }, FROM));
  const seen = bodies.map(
    (body) => (JSON.parse(body) as { headers: Record<string, string> }).headers,
  );
  const common = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };
  const theirs = {
    ...{ ...common, "List-Unsubscribe": HEADERS["list-unsubscribe"] },
    "List-Unsubscribe-Post": HEADERS["list-unsubscribe-post"],
  };
  const byCount = seen.toSorted((a, b) => Object.keys(a).length - Object.keys(b).length);
  assert.deepEqual(byCount, [common, theirs, theirs, theirs]);
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
