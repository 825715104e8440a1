import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { LEASE_MS } from "#email/bounds.ts";
import { startJobs } from "#jobs/node-schedule.ts";
import { createFixture, emailTo, openEmails, openTemporaryEmails, until } from "./mail-fixture.ts";
import { at, openTransport, startMailServer } from "./smtp-fixture.ts";

const logError = (message: string) => assert.fail(message);

test("a hundred emails are sent, each once", async (t) => {
  const { queue } = openTemporaryEmails(t);
  const server = await startMailServer(t);
  const transport = openTransport(t, at(server.port));
  const { mail, sender } = createFixture({ transport, queue, now: Date.now });
  const delivery = startJobs(sender.runner, { logError });
  sender.onEnqueued(delivery.wake);
  for (let each = 0; each < 100; each += 1) await mail.enqueue(emailTo(`a${each}@example.org`));
  await until(async () => (await queue.count({ transportKind: "smtp" })).waiting === 0);
  await delivery.stop();
  assert.equal(server.received.length, 100);
  assert.equal(new Set(server.received.map(({ to }) => to[0])).size, 100);
});

test("emails can be queued while the server is silent, and a stop leaves them for the next start", async (t) => {
  const { queue, file } = openTemporaryEmails(t);
  const hanging = await startMailServer(t, { onData: (stream) => void stream.resume() });
  const slow = openTransport(t, at(hanging.port));
  const before = createFixture({ transport: slow, queue, now: Date.now });
  const delivery = startJobs(before.sender.runner, { logError });
  before.sender.onEnqueued(delivery.wake);
  for (let each = 0; each < 10; each += 1)
    await before.mail.enqueue(emailTo(`${each}@example.org`));
  await delivery.stop();
  assert.equal((await queue.count({ transportKind: "smtp" })).waiting, 10);

  const server = await startMailServer(t);
  const again = openEmails(file);
  t.after(again.close);
  const transport = openTransport(t, at(server.port));
  const after = createFixture({ transport, queue: again.queue, now: Date.now });
  assert.equal(await after.sender.deliverDue(), null, "none waits for a lease to end");
  assert.equal(server.received.length, 10);
});

test("a process killed between taking an email and sending it loses nothing: the email arrives after a restart", async (t) => {
  const { queue, file } = openTemporaryEmails(t);
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      path.join(import.meta.dirname, "enqueue-and-hang.ts"),
      file,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  t.after(() => child.kill("SIGKILL"));
  const messageId = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;

  const server = await startMailServer(t);
  const transport = openTransport(t, at(server.port));
  let now = Date.now();
  const { sender } = createFixture({ transport, queue, now: () => now });
  const next = await sender.deliverDue();
  assert.ok(next !== null && next <= now + LEASE_MS);
  now = next;
  assert.equal(await sender.deliverDue(), null);
  assert.deepEqual(
    server.received.map(({ email }) => email.messageId),
    [messageId],
  );
});
