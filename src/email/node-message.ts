/** A letter as nodemailer wants it. Addresses go in as objects, so that nothing in them is parsed as a list. */
import type { SendMailOptions } from "nodemailer/lib/mailer";
import { headersOf } from "./email-headers.ts";
import type { Email } from "./mail.ts";
import type { Sender } from "./transport.ts";

export const messageOf = (email: Email, messageId: string, from: Sender) =>
  ({
    from,
    to: { name: "", address: email.to },
    subject: email.subject,
    text: email.text,
    html: email.html,
    messageId,
    xMailer: false,
    headers: headersOf(email),
    disableFileAccess: true,
    disableUrlAccess: true,
  }) satisfies SendMailOptions;

export const envelopeOf = (email: Email, from: Sender) => ({
  from: from.address,
  to: [email.to],
});
