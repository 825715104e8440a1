import assert from "node:assert/strict";
import { test } from "node:test";
import { emailQueueContract } from "../contract/email-queue.ts";
import { fillQueue } from "../contract/email-queue-fixture.ts";
import { openEmails, openTemporaryEmails, START } from "./mail-fixture.ts";

emailQueueContract("in SQLite", async (t) => {
  const { queue, db, close } = openEmails(":memory:");
  t.after(close);
  // One by one, as a service adds them, the whole queue takes thousands of commits.
  if (process.env["TEST_STORES"] === "all") return { queue };
  return { queue, fill: (count) => fillQueue(db, count) };
});

const waiting = (id: string) => ({
  id,
  to: "ada@example.org",
  content: "sealed",
  kind: "reset_password" as const,
  usefulUntil: null,
  transportKind: "smtp" as const,
});

test("an email outlives its process, in SQLite", async (t) => {
  const { queue, file } = openTemporaryEmails(t);
  await queue.add({ email: waiting("eml_1"), now: START });
  const again = openEmails(file);
  t.after(again.close);
  const { emails } = await again.queue.take({
    now: START,
    leaseUntil: START + 1,
    max: 9,
    transportKind: "smtp",
  });
  assert.deepEqual(emails, [{ ...waiting("eml_1"), postedAt: START, failures: 0, take: 1 }]);
});

test("two processes on one file never take the same email", async (t) => {
  const { queue, file } = openTemporaryEmails(t);
  const other = openEmails(file);
  t.after(other.close);
  for (const id of ["eml_1", "eml_2", "eml_3"])
    await queue.add({ email: { ...waiting(id), kind: "key_created" }, now: START });
  const order = { now: START, leaseUntil: START + 9, max: 2, transportKind: "smtp" as const };
  const [one, two] = [await queue.take(order), await other.queue.take(order)];
  assert.deepEqual(
    [one, two].map(({ emails }) => emails.map(({ id }) => id)),
    [["eml_1", "eml_2"], ["eml_3"]],
  );
});
