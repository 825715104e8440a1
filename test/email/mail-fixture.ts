/** The fixture of the email tests: a database, a queue, and a sender whose clock and transport the tests set. */
import { randomBytes } from "node:crypto";
import path from "node:path";
import type { TestContext } from "node:test";
import { createMail, emailSealer } from "#email/email-queue.ts";
import type { Email } from "#email/mail.ts";
import { createEmailSender } from "#email/send-emails.ts";
import type { Transport, TransportKind } from "#email/transport.ts";
import type { Sealer } from "#seal.ts";
import { createEmailQueue } from "#stores/sql/emails.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { emailsOf, type QueueUnderTest } from "../contract/email-queue-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const START = Date.UTC(2026, 10, 21, 10);
export const FROM = { name: "Toolbooth", address: "post@toolbooth.example" };

export function openEmails(file: string) {
  const driver = openNodeSqlite(file);
  const db = createSqliteDatabase(driver);
  const queue = emailsOf({ emailQueue: createEmailQueue(db), jobs: createJobQueue(db) });
  return { queue, db, driver, close: () => driver.close() };
}

export function openTemporaryEmails(t: TestContext) {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "toolbooth.sqlite");
  const { queue, close } = openEmails(file);
  t.after(close);
  return { queue, file, folder };
}

export const emailTo = (to: string, changes: Partial<Email> = {}): Email => ({
  to,
  subject: "Hello",
  text: "text",
  html: "<p>html</p>",
  ...changes,
});

type FixtureDeps = {
  transport: Transport;
  queue?: QueueUnderTest;
  now?: () => number;
  transportKind?: TransportKind;
  sealer?: Sealer;
};

export const SEALER = emailSealer(["the secret of the email tests"]);

/** Queues and sends emails with a clock that the test sets and without jitter, and collects logged errors. */
export function createFixture({
  transport,
  queue = openEmails(":memory:").queue,
  now,
  transportKind = "smtp",
  sealer = SEALER,
}: FixtureDeps) {
  const clock = { now: START };
  const loggedErrors: string[] = [];
  const deps = {
    transportKind,
    sealer,
    now: now ?? (() => clock.now),
    // The jitter uses one byte: zero makes every wait a full one. Ids use more.
    random: (count: number) => (count === 1 ? new Uint8Array(1) : randomBytes(count)),
    logError: (message: string) => void loggedErrors.push(message),
  };
  let enqueued = () => {};
  const mail = createMail({ queue, ...deps }, () => enqueued());
  const runner = createEmailSender({ jobs: queue.jobs, transport, from: FROM, ...deps });
  const sender = {
    mail,
    look: runner.look,
    deliverDue: runner.runDue,
    runner,
    onEnqueued(listener: () => void) {
      enqueued = listener;
    },
  };
  return { sender, mail, queue, clock, loggedErrors };
}

/** Resolves when a condition holds that other threads and sockets bring about. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
