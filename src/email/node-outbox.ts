/**
 * Where no mail server is set, letters stay here: each becomes a file that any mail reader opens. Whoever tries the
 * service on their own machine finds the text with its link in the log too; elsewhere the log may be read by many.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createTransport } from "nodemailer";
import { OUTBOX_EMAILS_MAX } from "./bounds.ts";
import type { Email } from "./mail.ts";
import { messageOf } from "./node-message.ts";
import type { Sender, Transport } from "./transport.ts";

export type OutboxWiring = {
  /** Made when the first letter comes. */
  folder: string;
  from: Sender;
  now: () => number;
  /** Whether `tell` gets the whole letter as text, its link included, or the name of the file alone. */
  logsText: boolean;
  tell: (text: string) => void;
};

export function createOutbox({ folder, from, now, logsText, tell }: OutboxWiring): Transport {
  const composer = createTransport({ streamTransport: true, buffer: true });
  let count = 0;
  return {
    async send(email, messageId) {
      const date = new Date(now());
      const { message } = await composer.sendMail({ ...messageOf(email, messageId, from), date });
      count += 1;
      const file = path.join(folder, fileName(date, count, messageId));
      keep(folder, file, message as Buffer);
      tell(logsText ? asText(email, file) : `A letter was written to ${file}`);
    },
  };
}

/** By time, then by the order within the process: names sort as the letters were written. */
function fileName(date: Date, count: number, messageId: string): string {
  const time = date.toISOString().replace(/[-:.]/g, "");
  const id = messageId.replace(/^<|@.*$/g, "").replace(/[^\w-]/g, "");
  return `${time}-${String(count).padStart(6, "0")}-${id}.eml`;
}

/** Without waiting in between: two letters never meet in the folder, and who reads it sees whole files only. */
function keep(folder: string, file: string, message: Buffer): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = `${file}.part`;
  writeFileSync(partial, message, { mode: 0o600 });
  renameSync(partial, file);
  const files = readdirSync(folder);
  const emails = files.filter((name) => name.endsWith(".eml")).sort();
  const left = files.filter((name) => name.endsWith(".eml.part"));
  for (const name of [...emails.slice(0, -OUTBOX_EMAILS_MAX), ...left])
    rmSync(path.join(folder, name), { force: true });
}

const asText = ({ to, subject, text }: Email, file: string) =>
  `A letter was written to ${file}\nTo: ${to}\nSubject: ${subject}\n\n${text}`;
