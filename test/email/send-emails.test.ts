import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ASKED_PER_HOUR_MAX,
  EMAILS_AT_ONCE,
  GIVE_UP_AFTER_MS,
  LEASE_MS,
  PAUSE_MAX_MS,
  RETRY_FIRST_MS,
  RETRY_MAX_MS,
} from "#email/bounds.ts";
import type { Email } from "#email/mail.ts";
import { NotNow, type Transport, Undeliverable, Unreachable } from "#email/transport.ts";
import { doubling, withJitter } from "#jobs/back-off.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import { HOUR_MS } from "#limits.ts";
import { createFixture, emailTo, openEmails, START, until } from "./mail-fixture.ts";

type Sent = { email: Email; messageId: string };

/** A transport that fails as long as the test says so, and keeps what it took. */
function createCarrier() {
  const carrier = { sent: [] as Sent[], tries: [] as Sent[], fault: null as Error | null };
  const transport: Transport = {
    async send(email, messageId) {
      carrier.tries.push({ email, messageId });
      if (carrier.fault !== null) throw carrier.fault;
      carrier.sent.push({ email, messageId });
    },
  };
  return { carrier, transport };
}

test("a posted letter is carried once and leaves the queue", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail, queue } = createFixture({ transport });
  await mail.post(emailTo("ada@example.org", { subject: "Grüße 🐝" }));
  assert.equal(await office.deliverDue(), null);
  assert.equal(await office.deliverDue(), null);
  assert.equal(carrier.sent.length, 1);
  const { email, messageId } = carrier.sent[0] as Sent;
  assert.deepEqual([email.to, email.subject], ["ada@example.org", "Grüße 🐝"]);
  assert.match(messageId, /^<let_\w{24}@toolbooth\.example>$/);
  assert.equal((await queue.count({ way: "smtp" })).waiting, 0);
});

test("a letter that fails waits longer and longer, under one Message-ID, and is given up after three days", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail, clock, loggedErrors } = createFixture({ transport });
  carrier.fault = new NotNow("the mail server did not take it (451)");
  await mail.post(emailTo("ada@example.org"));
  const waits: number[] = [];
  let next = await office.deliverDue();
  while (next !== null) {
    waits.push((next - clock.now) / 1000);
    clock.now = next;
    next = await office.deliverDue();
  }
  const doubling = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560];
  assert.deepEqual(waits.slice(0, 11), [...doubling, 3600]);
  assert.ok(waits.slice(10).every((wait) => wait === 3600));
  assert.ok(clock.now - START >= GIVE_UP_AFTER_MS);
  assert.ok(clock.now - START < GIVE_UP_AFTER_MS + 3_600_000);
  assert.equal(new Set(carrier.tries.map(({ messageId }) => messageId)).size, 1);
  assert.match(
    loggedErrors.at(-1) as string,
    /failed for good: the mail server did not take it \(451\)/,
  );
});

test("chance takes up to a quarter off a wait", () => {
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

test("a letter refused for good is given up at once", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail, loggedErrors } = createFixture({ transport });
  carrier.fault = new Undeliverable("the mail server refuses it (550 5.1.1, RCPT TO)");
  await mail.post(emailTo("ada@example.org", { kind: "reset_password", text: "SECRET" }));
  assert.equal(await office.deliverDue(), null);
  assert.equal(carrier.tries.length, 1);
  assert.match(
    loggedErrors.join("\n"),
    /^Email let_\w+ \(reset_password, to example\.org\) failed for good: .*550 5\.1\.1/,
  );
});

test("of a letter that was given up no link stays; a notice can be retried until it is three days old", async () => {
  const { carrier, transport } = createCarrier();
  const { queue, driver } = openEmails(":memory:");
  const { office, mail, clock } = createFixture({ transport, queue });
  const operator = operatorJobs([queue.jobs]);
  carrier.fault = new Undeliverable("the mail server refuses the sender (550)");
  const link = { kind: "reset_password", usefulUntil: START + HOUR_MS } as const;
  await mail.post(emailTo("ada@example.org", { ...link, text: "https://SECRET", html: "SECRET" }));
  await mail.post(emailTo("bob@example.org", { kind: "key_created", text: "a key" }));
  assert.equal(await office.deliverDue(), null);
  const rows = () => JSON.stringify(driver.prepare("SELECT * FROM job").all());
  assert.doesNotMatch(rows(), /SECRET|ada@/);
  const { jobs: dead } = await operator.listJobs({ dead: true, after: null, max: 9 });
  const error = "the mail server refuses the sender (550)";
  assert.deepEqual(
    dead.map(({ kind, label, lastError, hasPayload }) => [kind, label, lastError, hasPayload]),
    [
      ["reset_password", "example.org", error, false],
      ["key_created", "example.org", error, true],
    ],
  );
  assert.equal(dead[0]?.diedAt, START);
  const [reset = "", event = ""] = dead.map(({ id }) => id);
  const retry = async (id: string) => (await operator.retryJob({ id, now: clock.now })).outcome;
  assert.equal(await retry(reset), "erased");
  assert.equal(await retry(event), "retried");
  carrier.fault = null;
  assert.equal(await office.deliverDue(), null);
  assert.deepEqual(
    carrier.sent.map(({ email }) => email.to),
    ["bob@example.org"],
  );
  carrier.fault = new Undeliverable("refused");
  await mail.post(emailTo("eve@example.org", { kind: "key_revoked" }));
  await office.deliverDue();
  await queue.jobs.forget({ now: START + GIVE_UP_AFTER_MS, before: START, max: 99 });
  assert.doesNotMatch(rows(), /@/);
  assert.match(rows(), /key_revoked/);
});

test("a letter whose link has ended is dropped, not sent", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail, clock, loggedErrors } = createFixture({ transport });
  await mail.post(emailTo("ada@example.org", { usefulUntil: START + 1_000 }));
  clock.now = START + 1_000;
  assert.equal(await office.deliverDue(), null);
  assert.equal(carrier.tries.length, 0);
  assert.match(loggedErrors.join("\n"), /dropped: its time ended/);
});

test("while the server is out of reach one letter at a time tries, and when it is back all go", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail, clock, loggedErrors } = createFixture({ transport });
  carrier.fault = new Unreachable("the mail server cannot be used (ECONNREFUSED)");
  for (let each = 0; each < 30; each += 1) await mail.post(emailTo(`${each}@example.org`));
  let next = await office.deliverDue();
  const before = carrier.tries.length;
  assert.ok(before <= EMAILS_AT_ONCE);
  for (let each = 0; each < 12; each += 1) {
    assert.ok(next !== null && next > clock.now && next - clock.now <= PAUSE_MAX_MS);
    clock.now = next;
    next = await office.deliverDue();
  }
  assert.equal(carrier.tries.length, before + 12);
  assert.equal(loggedErrors.length, 1, "one complaint for all of it");
  carrier.fault = null;
  clock.now = next as number;
  // Those that tried last are due a moment later than the one that finds the server back.
  next = await office.deliverDue();
  assert.ok(carrier.sent.length >= 29);
  if (next !== null) clock.now = next;
  assert.equal(await office.deliverDue(), null);
  assert.equal(carrier.sent.length, 30);
});

test("an unknown fault is a failure of the letter, and its words are not repeated", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail, loggedErrors } = createFixture({ transport });
  carrier.fault = new RangeError("https://toolbooth.example/verify?token=SECRET ada@example.org");
  await mail.post(emailTo("ada@example.org"));
  assert.equal(await office.deliverDue(), START + 5_000);
  assert.doesNotMatch(loggedErrors.join("\n"), /SECRET|ada@/);
  assert.match(loggedErrors.join("\n"), /unexpected RangeError/);
});

test("a letter that was carried is not carried again when the queue could not be told", async () => {
  const { carrier, transport } = createCarrier();
  const { queue } = openEmails(":memory:");
  let isBroken = true;
  const { settle } = queue.jobs;
  queue.jobs.settle = async (order) => {
    if (isBroken) throw new Error("disk full");
    return settle(order);
  };
  const { office, mail, clock, loggedErrors } = createFixture({ transport, queue });
  await mail.post(emailTo("ada@example.org"));
  await office.deliverDue();
  isBroken = false;
  clock.now = START + LEASE_MS;
  assert.equal(await office.deliverDue(), null);
  assert.equal(carrier.tries.length, 1);
  assert.match(loggedErrors.join("\n"), /Emails: the job queue failed/);
});

test("posting does not wait for the transport, and a few letters are on their way at once", async () => {
  const open: (() => void)[] = [];
  const transport: Transport = { send: () => new Promise((resolve) => open.push(resolve)) };
  const { office, mail, queue } = createFixture({ transport });
  for (let each = 0; each < 10; each += 1) await mail.post(emailTo(`${each}@example.org`));
  const delivered = office.deliverDue();
  await until(() => open.length === EMAILS_AT_ONCE);
  await mail.post(emailTo("late@example.org"));
  office.look();
  assert.equal(open.length, EMAILS_AT_ONCE);
  let carried = 0;
  for (; carried < 11; carried += 1) {
    await until(() => open.length > 0);
    open.shift()?.();
  }
  assert.equal(await delivered, null);
  assert.equal((await queue.count({ way: "smtp" })).waiting, 0);
});

test("an address that could be several, and a letter too many, are left out with a complaint", async () => {
  const { transport } = createCarrier();
  const { mail, queue, loggedErrors } = createFixture({ transport });
  await mail.post(emailTo("ada@example.org\r\nBcc: eve@example.org"));
  for (let each = 0; each < 21; each += 1) await mail.post(emailTo("ada@example.org"));
  assert.equal((await queue.count({ way: "smtp" })).waiting, 20);
  assert.match(loggedErrors[0] as string, /its address cannot be used/);
  assert.match(loggedErrors[1] as string, /too many letters to this address/);
  assert.equal(loggedErrors.length, 2);
});

test("a subject of several lines becomes one", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail } = createFixture({ transport });
  await mail.post(emailTo("ada@example.org", { subject: "Hello\r\nBcc: eve@example.org" }));
  await office.deliverDue();
  assert.equal(carrier.sent[0]?.email.subject, "Hello Bcc: eve@example.org");
});

test("letters that are asked for without end are left out, with one complaint an hour", async () => {
  const { carrier, transport } = createCarrier();
  const { office, mail, clock, loggedErrors } = createFixture({ transport });
  const askFor = async () => {
    await mail.post(emailTo("ada@example.org", { kind: "reset_password", text: "SECRET" }));
    await office.deliverDue();
  };
  for (let each = 0; each < 50; each += 1) await askFor();
  assert.equal(carrier.sent.length, ASKED_PER_HOUR_MAX);
  assert.equal(loggedErrors.length, 1);
  assert.match(
    loggedErrors[0] as string,
    /reset_password, to example\.org\) was not kept: too many/,
  );
  clock.now = START + 24 * HOUR_MS;
  for (let each = 0; each < 50; each += 1) await askFor();
  assert.equal(carrier.sent.length, 2 * ASKED_PER_HOUR_MAX);
  assert.equal(loggedErrors.length, 2);
});
