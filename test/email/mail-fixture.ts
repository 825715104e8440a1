/** What the tests of letters share: a database, a queue, and a post office whose clock and transport are theirs. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { createPosting } from "#email/enqueue-emails.ts";
import type { Letter } from "#email/mail.ts";
import { createEmailSender } from "#email/send-emails.ts";
import type { Transport, Way } from "#email/transport.ts";
import { createLetterQueue } from "#stores/sql/emails.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { type EmailQueue, emailsOf } from "../contract/email-queue-fixture.ts";

export const START = Date.UTC(2026, 10, 21, 10);
export const FROM = { name: "Toolbooth", address: "post@toolbooth.example" };

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-mail-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function openLetters(file: string) {
  const driver = openNodeSqlite(file);
  const db = createSqliteDatabase(driver);
  const queue = emailsOf({ letterQueue: createLetterQueue(db), jobs: createJobQueue(db) });
  return { queue, driver, close: () => driver.close() };
}

export function openTemporaryLetters(t: TestContext) {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "toolbooth.sqlite");
  const { queue, close } = openLetters(file);
  t.after(close);
  return { queue, file, folder };
}

export const letterTo = (to: string, changes: Partial<Letter> = {}): Letter => ({
  to,
  subject: "Hello",
  text: "text",
  html: "<p>html</p>",
  ...changes,
});

type SceneWiring = {
  transport: Transport;
  queue?: EmailQueue;
  now?: () => number;
  way?: Way;
};

/** Posting and sending with a clock that the test sets, no jitter, and its complaints as a list. */
export function createScene({
  transport,
  queue = openLetters(":memory:").queue,
  now,
  way = "smtp",
}: SceneWiring) {
  const clock = { now: START };
  const complaints: string[] = [];
  const given = {
    ...{ way, now: now ?? (() => clock.now) },
    // The jitter asks for one byte: zero makes every wait a full one. Ids ask for more.
    random: (count: number) => (count === 1 ? new Uint8Array(1) : randomBytes(count)),
    complain: (message: string) => void complaints.push(message),
  };
  let posted = () => {};
  const mail = createPosting({ queue, ...given }, () => posted());
  const runner = createEmailSender({ jobs: queue.jobs, transport, from: FROM, ...given });
  const office = {
    ...{ mail, look: runner.look, deliverDue: runner.runDue, runner },
    onPosted(listener: () => void) {
      posted = listener;
    },
  };
  return { office, mail, queue, clock, complaints };
}

/** Resolves when a condition holds; for things that other threads and sockets do. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
