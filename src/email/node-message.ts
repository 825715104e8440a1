/** A letter as nodemailer wants it. Addresses go in as objects, so that nothing in them is parsed as a list. */
import type { SendMailOptions } from "nodemailer/lib/mailer";
import { headersOf } from "./email-headers.ts";
import type { Letter } from "./mail.ts";
import type { Sender } from "./transport.ts";

export const messageOf = (letter: Letter, messageId: string, from: Sender) =>
  ({
    from,
    to: { name: "", address: letter.to },
    subject: letter.subject,
    text: letter.text,
    html: letter.html,
    messageId,
    xMailer: false,
    headers: headersOf(letter),
    disableFileAccess: true,
    disableUrlAccess: true,
  }) satisfies SendMailOptions;

export const envelopeOf = (letter: Letter, from: Sender) => ({
  from: from.address,
  to: [letter.to],
});
