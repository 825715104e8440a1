/** A process that posts a letter, takes it, says under which Message-ID, and never delivers it. */
import type { Transport } from "#email/transport.ts";
import { createFixture, emailTo, openEmails } from "./mail-fixture.ts";

const transport: Transport = {
  send(_, messageId) {
    process.stdout.write(`${messageId}\n`);
    return new Promise((resolve) => setTimeout(resolve, 600_000));
  },
};
const { queue } = openEmails(process.argv[2] as string);
const { mail, office } = createFixture({ transport, queue, now: Date.now });
await mail.enqueue(emailTo("ada@example.org"));
await office.deliverDue();
