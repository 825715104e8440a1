import assert from "node:assert/strict";
import { test } from "node:test";
import {
  EMAILS_AT_ONCE,
  GIVE_UP_AFTER_MS,
  LEASE_MS,
  PAUSE_MAX_MS,
  REQUESTED_PER_HOUR_MAX,
  RETRY_FIRST_MS,
  RETRY_MAX_MS,
} from "#email/bounds.ts";
import { emailSealer } from "#email/email-queue.ts";
import type { Email } from "#email/mail.ts";
import { TemporaryFailure, type Transport, Undeliverable, Unreachable } from "#email/transport.ts";
import { doubling, withJitter } from "#jobs/back-off.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import { HOUR_MS } from "#limits.ts";
import { createFixture, emailTo, openEmails, START, until } from "./mail-fixture.ts";

type Sent = { email: Email; messageId: string };

/** A transport that fails while the test says so, and collects the emails that it accepted. */
function createFakeTransport() {
  const fake = { sent: [] as Sent[], tries: [] as Sent[], error: null as Error | null };
  const transport: Transport = {
    async send(email, messageId) {
      fake.tries.push({ email, messageId });
      if (fake.error !== null) throw fake.error;
      fake.sent.push({ email, messageId });
    },
  };
  return { fake, transport };
}

test("a queued email is sent once and leaves the queue", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, queue } = createFixture({ transport });
  await mail.enqueue(emailTo("ada@example.org", { subject: "Grüße 🐝" }));
  assert.equal(await sender.deliverDue(), null);
  assert.equal(await sender.deliverDue(), null);
  assert.equal(fake.sent.length, 1);
  const { email, messageId } = fake.sent[0] as Sent;
  assert.deepEqual([email.to, email.subject], ["ada@example.org", "Grüße 🐝"]);
  assert.match(messageId, /^<eml_\w{24}@toolbooth\.example>$/);
  assert.equal((await queue.count({ transportKind: "smtp" })).waiting, 0);
});

test("a failing email waits longer and longer, keeps its Message-ID, and is given up after three days", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, clock, loggedErrors } = createFixture({ transport });
  fake.error = new TemporaryFailure("the mail server did not accept it (451)");
  await mail.enqueue(emailTo("ada@example.org"));
  const waits: number[] = [];
  let next = await sender.deliverDue();
  while (next !== null) {
    waits.push((next - clock.now) / 1000);
    clock.now = next;
    next = await sender.deliverDue();
  }
  const doubling = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560];
  assert.deepEqual(waits.slice(0, 11), [...doubling, 3600]);
  assert.ok(waits.slice(10).every((wait) => wait === 3600));
  assert.ok(clock.now - START >= GIVE_UP_AFTER_MS);
  assert.ok(clock.now - START < GIVE_UP_AFTER_MS + 3_600_000);
  assert.equal(new Set(fake.tries.map(({ messageId }) => messageId)).size, 1);
  assert.match(
    loggedErrors.at(-1) as string,
    /failed for good: the mail server did not accept it \(451\)/,
  );
});

test("jitter shortens a wait by up to a quarter", () => {
  for (const [byte, failures, wait] of [
    [0, 1, 5_000],
    [255, 1, 3_755],
    [128, 3, 17_500],
    [0, 99, 3_600_000],
    [255, 99, 2_703_516],
  ] as const)
    assert.equal(
      withJitter(doubling(failures, RETRY_FIRST_MS, RETRY_MAX_MS), () => Uint8Array.of(byte)),
      wait,
    );
});

test("an email that is rejected for good is given up at once", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, loggedErrors } = createFixture({ transport });
  fake.error = new Undeliverable("the mail server rejected it (550 5.1.1, RCPT TO)");
  await mail.enqueue(emailTo("ada@example.org", { kind: "sign_in_code", text: "SECRET" }));
  assert.equal(await sender.deliverDue(), null);
  assert.equal(fake.tries.length, 1);
  assert.match(
    loggedErrors.join("\n"),
    /^Email eml_\w+ \(sign_in_code, to example\.org\) failed for good: .*550 5\.1\.1/,
  );
});

test("an email with a link is erased when it is given up; a notification can be retried until it is three days old", async () => {
  const { fake, transport } = createFakeTransport();
  const { queue, driver } = openEmails(":memory:");
  const { sender, mail, clock } = createFixture({ transport, queue });
  const operator = operatorJobs([queue.jobs]);
  fake.error = new Undeliverable("the mail server rejected the sender (550)");
  const link = { kind: "sign_in_code", usefulUntil: START + HOUR_MS } as const;
  await mail.enqueue(
    emailTo("ada@example.org", { ...link, text: "https://SECRET", html: "SECRET" }),
  );
  await mail.enqueue(emailTo("bob@example.org", { kind: "key_created", text: "a key" }));
  assert.equal(await sender.deliverDue(), null);
  const rows = () => JSON.stringify(driver.prepare("SELECT * FROM job").all());
  assert.doesNotMatch(rows(), /SECRET|ada@/);
  const { jobs: dead } = await operator.listJobs({ dead: true, after: null, max: 9 });
  const error = "the mail server rejected the sender (550)";
  assert.deepEqual(
    dead.map(({ kind, label, lastError, hasPayload }) => [kind, label, lastError, hasPayload]),
    [
      ["sign_in_code", "example.org", error, false],
      ["key_created", "example.org", error, true],
    ],
  );
  assert.equal(dead[0]?.diedAt, START);
  const [reset = "", event = ""] = dead.map(({ id }) => id);
  const retry = async (id: string) => (await operator.retryJob({ id, now: clock.now })).outcome;
  assert.equal(await retry(reset), "erased");
  assert.equal(await retry(event), "retried");
  fake.error = null;
  assert.equal(await sender.deliverDue(), null);
  assert.deepEqual(
    fake.sent.map(({ email }) => email.to),
    ["bob@example.org"],
  );
  fake.error = new Undeliverable("refused");
  await mail.enqueue(emailTo("eve@example.org", { kind: "key_revoked" }));
  await sender.deliverDue();
  await queue.jobs.forget({ now: START + GIVE_UP_AFTER_MS, before: START, max: 99 });
  assert.doesNotMatch(rows(), /@/);
  assert.match(rows(), /key_revoked/);
});

test("an email whose link has expired is dropped, not sent", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, clock, loggedErrors } = createFixture({ transport });
  await mail.enqueue(emailTo("ada@example.org", { usefulUntil: START + 1_000 }));
  clock.now = START + 1_000;
  assert.equal(await sender.deliverDue(), null);
  assert.equal(fake.tries.length, 0);
  assert.match(loggedErrors.join("\n"), /was dropped: it expired before an attempt succeeded/);
});

test("an email that was sealed with another SECRET waits for a node that has it", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, queue, clock } = createFixture({ transport });
  await mail.enqueue(emailTo("ada@example.org", { usefulUntil: START + HOUR_MS }));
  const other = createFixture({ transport, queue, sealer: emailSealer(["a newer secret"]) });
  const dueAt = await other.sender.deliverDue();
  assert.equal(dueAt, START + RETRY_FIRST_MS);
  assert.match(other.loggedErrors.join(), /will be retried: it was sealed with another SECRET/);
  clock.now = dueAt;
  assert.equal(await sender.deliverDue(), null);
  assert.deepEqual(
    fake.sent.map(({ email }) => email.to),
    ["ada@example.org"],
  );
});

test("while the server is unreachable one email at a time is tried, and when it is back all are sent", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, clock, loggedErrors } = createFixture({ transport });
  fake.error = new Unreachable("the mail server cannot be used (ECONNREFUSED)");
  for (let each = 0; each < 30; each += 1) await mail.enqueue(emailTo(`${each}@example.org`));
  let next = await sender.deliverDue();
  const before = fake.tries.length;
  assert.ok(before <= EMAILS_AT_ONCE);
  for (let each = 0; each < 12; each += 1) {
    assert.ok(next !== null && next > clock.now && next - clock.now <= PAUSE_MAX_MS);
    clock.now = next;
    next = await sender.deliverDue();
  }
  assert.equal(fake.tries.length, before + 12);
  assert.equal(loggedErrors.length, 1, "logged once for all of them");
  fake.error = null;
  clock.now = next as number;
  // The emails that were tried last are due a moment after the one that finds the server back.
  next = await sender.deliverDue();
  assert.ok(fake.sent.length >= 29);
  if (next !== null) clock.now = next;
  assert.equal(await sender.deliverDue(), null);
  assert.equal(fake.sent.length, 30);
});

test("an unexpected error counts as a failure of the email, and its message is not logged", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, loggedErrors } = createFixture({ transport });
  fake.error = new RangeError("https://toolbooth.example/verify?token=SECRET ada@example.org");
  await mail.enqueue(emailTo("ada@example.org"));
  assert.equal(await sender.deliverDue(), START + 5_000);
  assert.doesNotMatch(loggedErrors.join("\n"), /SECRET|ada@/);
  assert.match(loggedErrors.join("\n"), /unexpected RangeError/);
});

test("an email that was sent is not sent again when the queue could not record it", async () => {
  const { fake, transport } = createFakeTransport();
  const { queue } = openEmails(":memory:");
  let isBroken = true;
  const { settle } = queue.jobs;
  queue.jobs.settle = async (order) => {
    if (isBroken) throw new Error("disk full");
    return settle(order);
  };
  const { sender, mail, clock, loggedErrors } = createFixture({ transport, queue });
  await mail.enqueue(emailTo("ada@example.org"));
  await sender.deliverDue();
  isBroken = false;
  clock.now = START + LEASE_MS;
  assert.equal(await sender.deliverDue(), null);
  assert.equal(fake.tries.length, 1);
  assert.match(loggedErrors.join("\n"), /Emails: the job queue failed/);
});

test("queueing does not wait for the transport, and only a few emails are sent at once", async () => {
  const open: (() => void)[] = [];
  const transport: Transport = { send: () => new Promise((resolve) => open.push(resolve)) };
  const { sender, mail, queue } = createFixture({ transport });
  for (let each = 0; each < 10; each += 1) await mail.enqueue(emailTo(`${each}@example.org`));
  const delivered = sender.deliverDue();
  await until(() => open.length === EMAILS_AT_ONCE);
  await mail.enqueue(emailTo("late@example.org"));
  sender.look();
  assert.equal(open.length, EMAILS_AT_ONCE);
  for (let sent = 0; sent < 11; sent += 1) {
    await until(() => open.length > 0);
    open.shift()?.();
  }
  assert.equal(await delivered, null);
  assert.equal((await queue.count({ transportKind: "smtp" })).waiting, 0);
});

test("an ambiguous address, and an email over the limit, is dropped and logged", async () => {
  const { transport } = createFakeTransport();
  const { mail, queue, loggedErrors } = createFixture({ transport });
  await mail.enqueue(emailTo("ada@example.org\r\nBcc: eve@example.org"));
  for (let each = 0; each < 21; each += 1) await mail.enqueue(emailTo("ada@example.org"));
  assert.equal((await queue.count({ transportKind: "smtp" })).waiting, 20);
  assert.match(loggedErrors[0] as string, /its address is not valid/);
  assert.match(loggedErrors[1] as string, /too many emails to this address/);
  assert.equal(loggedErrors.length, 2);
});

test("a subject of several lines becomes one line", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail } = createFixture({ transport });
  await mail.enqueue(emailTo("ada@example.org", { subject: "Hello\r\nBcc: eve@example.org" }));
  await sender.deliverDue();
  assert.equal(fake.sent[0]?.email.subject, "Hello Bcc: eve@example.org");
});

test("emails over the limit on requests are dropped, and logged once an hour", async () => {
  const { fake, transport } = createFakeTransport();
  const { sender, mail, clock, loggedErrors } = createFixture({ transport });
  const requestReset = async () => {
    await mail.enqueue(emailTo("ada@example.org", { kind: "sign_in_code", text: "SECRET" }));
    await sender.deliverDue();
  };
  for (let each = 0; each < 50; each += 1) await requestReset();
  assert.equal(fake.sent.length, REQUESTED_PER_HOUR_MAX);
  assert.equal(loggedErrors.length, 1);
  assert.match(loggedErrors[0] as string, /sign_in_code, to example\.org\) dropped: too many/);
  clock.now = START + 24 * HOUR_MS;
  for (let each = 0; each < 50; each += 1) await requestReset();
  assert.equal(fake.sent.length, 2 * REQUESTED_PER_HOUR_MAX);
  assert.equal(loggedErrors.length, 2);
});
