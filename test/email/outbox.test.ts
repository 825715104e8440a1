import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import PostalMime from "postal-mime";
import { OUTBOX_EMAILS_MAX } from "#email/bounds.ts";
import { createEmails } from "#email/emails.ts";
import { createOutbox } from "#email/node-transports.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createFixture, emailTo, FROM, START } from "./mail-fixture.ts";

test("an email becomes a file that mail programs open, readable only by its owner, its text is logged, and its code and link are shown", async (t) => {
  const folder = path.join(temporaryFolder(t), "outbox");
  const logged: string[] = [];
  const log = (text: string) => logged.push(text);
  const shown: string[] = [];
  const show = (text: string) => void shown.push(text);
  const options = { folder, from: FROM, now: () => START, logsText: true, log, show };
  const transport = createOutbox(options);
  const { mail, sender } = createFixture({ transport });
  const link = "https://toolbooth.example/sign-in#token=abc";
  const { text } = createEmails({
    publicUrl: "https://toolbooth.example",
    name: "Toolbooth",
  }).signInCode({
    ...({ to: "ada@example.org", kind: "sign_in_code", code: "12345678", link } as const),
    ...{ now: START, expiresAt: START + 600_000, origin: [] },
  });
  await mail.enqueue(emailTo("ada@example.org", { subject: "Grüße 🐝", text }));
  assert.equal(await sender.deliverDue(), null);
  const [name, ...others] = readdirSync(folder);
  assert.deepEqual(others, []);
  assert.match(name as string, /^20261121T100000000Z-000001-eml_\w{24}\.eml$/);
  const file = path.join(folder, name as string);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  const email = await PostalMime.parse(readFileSync(file));
  assert.deepEqual([email.subject, email.text?.trimEnd()], ["Grüße 🐝", text.trimEnd()]);
  assert.equal(email.date, new Date(START).toISOString());
  assert.ok(logged[0]?.includes(text) && logged[0].includes(file));
  assert.deepEqual(shown, [`Email to ada@example.org: Grüße 🐝\nCode: 1234 5678\n${link}\n`]);
});

test(`the newest ${OUTBOX_EMAILS_MAX} emails stay, and partial files are deleted`, async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(path.join(folder, "left.eml.part"), "half");
  writeFileSync(path.join(folder, "notes.txt"), "mine");
  const transport = createOutbox({
    folder,
    from: FROM,
    now: () => START,
    logsText: true,
    log: () => {},
    show: () => {},
  });
  const signal = new AbortController().signal;
  for (let each = 1; each <= OUTBOX_EMAILS_MAX + 5; each += 1)
    await transport.send(emailTo("ada@example.org"), `<eml_${each}@toolbooth.example>`, signal);
  const names = readdirSync(folder).sort();
  assert.equal(names.length, OUTBOX_EMAILS_MAX + 1);
  assert.equal(names[0], "20261121T100000000Z-000006-eml_6.eml");
  assert.equal(names.at(-1), "notes.txt");
});

test("where others may read the log, it has the name of the file but nothing of its content", async (t) => {
  const folder = temporaryFolder(t);
  const logged: string[] = [];
  const log = (text: string) => logged.push(text);
  const show = () => assert.fail("nothing is shown");
  const options = { folder, from: FROM, now: () => START, logsText: false, log, show };
  const transport = createOutbox(options);
  const { mail, sender } = createFixture({ transport, transportKind: "outbox" });
  await mail.enqueue(emailTo("ada@example.org", { text: "https://toolbooth.example/?token=abc" }));
  await sender.deliverDue();
  const [name] = readdirSync(folder);
  assert.deepEqual(logged, [`Email written to ${path.join(folder, name as string)}`]);
});
