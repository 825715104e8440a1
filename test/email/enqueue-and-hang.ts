/** A process that queues an email, takes it, prints its Message-ID, and never sends it. */
import type { Transport } from "#email/transport.ts";
import { createFixture, emailTo, openEmails } from "./mail-fixture.ts";

const transport: Transport = {
  send(_, messageId) {
    process.stdout.write(`${messageId}\n`);
    return new Promise((resolve) => setTimeout(resolve, 600_000));
  },
};
const { queue } = openEmails(process.argv[2] as string);
const { mail, sender } = createFixture({ transport, queue, now: Date.now });
await mail.enqueue(emailTo("ada@example.org"));
await sender.deliverDue();
