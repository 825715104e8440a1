/**
 * The transport for a service without a mail server: writes each email to a file that any mail program can open. On the
 * operator's own machine it also logs the text with its link; elsewhere more people may be able to read the log.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createTransport } from "nodemailer";
import { OUTBOX_EMAILS_MAX } from "./bounds.ts";
import type { Email } from "./mail.ts";
import { messageOf } from "./node-smtp.ts";
import type { Sender, Transport } from "./transport.ts";

export type OutboxOptions = {
  /** Created with the first email. */
  folder: string;
  from: Sender;
  now: () => number;
  /** Whether to log the email's text with its link, or only the name of its file. */
  logsText: boolean;
  log: (text: string) => void;
  /** Called for the links and codes of an email, with their subject, if `logsText`. A person copies them from the terminal. */
  show: (text: string) => void;
};

export function createOutbox({ folder, from, now, logsText, log, show }: OutboxOptions): Transport {
  const composer = createTransport({ streamTransport: true, buffer: true });
  let count = 0;
  return {
    async send(email, messageId) {
      const date = new Date(now());
      const { message } = await composer.sendMail({ ...messageOf(email, messageId, from), date });
      count += 1;
      const file = path.join(folder, fileName(date, count, messageId));
      writeAndPrune(folder, file, message as Buffer);
      log(logsText ? describe(email, file) : `Email written to ${file}`);
      const actions = actionsOf(email);
      if (logsText && actions.length > 0)
        show(`Email to ${email.to}: ${email.subject}\n${actions.join("\n")}\n`);
    },
  };
}

/** File names sort in the order of writing: by time, then by count. */
function fileName(date: Date, count: number, messageId: string): string {
  const time = date.toISOString().replace(/[-:.]/g, "");
  const id = messageId.replace(/^<|@.*$/g, "").replace(/[^\w-]/g, "");
  return `${time}-${String(count).padStart(6, "0")}-${id}.eml`;
}

/** Synchronous, so that two emails never prune at the same time. Readers of the folder see only complete files. */
function writeAndPrune(folder: string, file: string, message: Buffer): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = `${file}.part`;
  writeFileSync(partial, message, { mode: 0o600 });
  renameSync(partial, file);
  const files = readdirSync(folder);
  const emails = files.filter((name) => name.endsWith(".eml")).sort();
  const partials = files.filter((name) => name.endsWith(".eml.part"));
  for (const name of [...emails.slice(0, -OUTBOX_EMAILS_MAX), ...partials])
    rmSync(path.join(folder, name), { force: true });
}

/** The lines of the text that are a link or a code, without those of the footer. */
const actionsOf = ({ text }: Email): string[] =>
  (text.split("\n-- \n")[0] ?? "")
    .split("\n")
    .filter((line) => /^https?:\/\/\S+$|^\d{6,8}$/.test(line));

const describe = ({ to, subject, text }: Email, file: string) =>
  `Email written to ${file}\nTo: ${to}\nSubject: ${subject}\n\n${text}`;
