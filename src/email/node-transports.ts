/**
 * The transports of Node, both over nodemailer, which the first email loads: SMTP, and the outbox folder for a service without a mail
 * server. Logs contain only the codes of a server's replies.
 */

import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SendMailOptions } from "nodemailer/lib/mailer";
import {
  CONNECT_TIMEOUT_MS,
  EMAILS_AT_ONCE,
  GREETING_TIMEOUT_MS,
  OUTBOX_EMAILS_MAX,
  SEND_TIMEOUT_MS,
  SILENCE_TIMEOUT_MS,
} from "./bounds.ts";
import type { Email } from "./mail.ts";
import type { SmtpServer } from "./read-mail-settings.ts";
import {
  headersOf,
  type Sender,
  TemporaryFailure,
  type Transport,
  Undeliverable,
  Unreachable,
} from "./transport.ts";

export type SmtpTimes = {
  connectMs: number;
  greetingMs: number;
  silenceMs: number;
  sendMs: number;
};

const TIMES: SmtpTimes = {
  connectMs: CONNECT_TIMEOUT_MS,
  greetingMs: GREETING_TIMEOUT_MS,
  silenceMs: SILENCE_TIMEOUT_MS,
  sendMs: SEND_TIMEOUT_MS,
};

export function createSmtpTransport(
  server: SmtpServer,
  from: Sender,
  times: SmtpTimes = TIMES,
): Transport {
  const { host, port, secure, isLoopback, login } = server;
  const options = {
    pool: true as const,
    host,
    port,
    secure,
    requireTLS: !secure && !isLoopback,
    // A server on this machine has at most a self-signed certificate, and connections to it cannot be intercepted.
    tls: { rejectUnauthorized: !isLoopback },
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    maxConnections: EMAILS_AT_ONCE,
    // One retry, for a connection that the server closed while idle. The queue makes all other retries.
    maxRequeues: 1,
    connectionTimeout: times.connectMs,
    dnsTimeout: times.connectMs,
    greetingTimeout: times.greetingMs,
    socketTimeout: times.silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  };
  const openPool = async () => (await import("nodemailer")).createTransport(options);
  let opened: ReturnType<typeof openPool> | undefined;
  return {
    async send(email, messageId, signal) {
      opened ??= openPool();
      const pool = await opened;
      const message = messageOf(email, messageId, from);
      const within = AbortSignal.any([signal, AbortSignal.timeout(times.sendMs)]);
      try {
        const envelope = { from: from.address, to: [email.to] };
        await pool.sendMail({ ...message, envelope, signal: within });
      } catch (error) {
        throw toTransportError(error as SmtpError);
      }
    },
    close: () => void opened?.then((pool) => pool.close({ force: true })),
  };
}

/** Returns an email as nodemailer expects it. Addresses are objects, so nodemailer does not parse them as a list. */
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

type SmtpError = Error & {
  code?: string | undefined;
  command?: string | undefined;
  responseCode?: number | undefined;
  response?: string | undefined;
  permanent?: boolean | undefined;
  originalCode?: string | undefined;
  timeoutType?: string | undefined;
};

/** Errors that concern the server, not the email: no connection, no TLS, no authentication. */
const SERVER_ERRORS = ["EDNS", "ETLS", "EREQUIRETLS", "EAUTH", "ENOAUTH", "EOAUTH2", "EPROXY"];
const TIMEOUTS_BEFORE_EMAIL = ["CONNECT_TIMEOUT", "GREETING_TIMEOUT", "UPGRADE_TIMEOUT"];
/**
 * Error codes of an established connection that broke. Every other socket error, including those about certificates,
 * occurs while connecting.
 */
const CONNECTION_LOST = ["ECONNRESET", "ECONNABORTED", "EPIPE"];

function toTransportError(error: SmtpError): Error {
  const { code = "", command = "", responseCode, timeoutType = "", originalCode = "" } = error;
  const details = detailsOf(error);
  const isServerError =
    responseCode === 421 ||
    SERVER_ERRORS.includes(code) ||
    TIMEOUTS_BEFORE_EMAIL.includes(timeoutType) ||
    (code === "ESOCKET" && !CONNECTION_LOST.includes(originalCode)) ||
    // The connection closed repeatedly before a command was sent.
    (code === "ECONNECTION" && command === "");
  // A rejection before the recipient was sent concerns the service or its sender address.
  const isBeforeRecipient = responseCode !== undefined && !/^(?:RCPT TO|DATA)/.test(command);
  if (isServerError || isBeforeRecipient)
    return new Unreachable(`the mail server cannot be used (${details})`);
  if (error.permanent === true)
    return new Undeliverable(`the mail server rejected it (${details})`);
  // The address cannot be used in an envelope, or the email exceeds the server's size limit.
  if (responseCode === undefined && (code === "EENVELOPE" || code === "EMESSAGE"))
    return new Undeliverable(`it cannot be sent over this mail server (${details})`);
  return new TemporaryFailure(`the mail server did not accept it (${details})`);
}

/** Codes such as `550 5.1.1, RCPT TO`. The rest of a reply may quote the recipient or the link. */
function detailsOf(error: SmtpError): string {
  const { responseCode, response = "", command, code, originalCode } = error;
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const reply = [responseCode, enhanced].filter((part) => part !== undefined).join(" ");
  const step = /^[A-Z][A-Z0-9 -]{1,19}/.exec(command ?? "")?.[0];
  return [reply, originalCode ?? code, step].filter(Boolean).join(", ");
}

/**
 * The transport for a service without a mail server: writes each email to a file that any mail program can open. On the
 * operator's own machine it also logs the text with its link; elsewhere more people may be able to read the log.
 */

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
  let count = 0;
  return {
    async send(email, messageId) {
      const date = new Date(now());
      const { createTransport } = await import("nodemailer");
      const composer = createTransport({ streamTransport: true, buffer: true });
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
    .filter((line) => /^https?:\/\/\S+$|^Code: \d{4} \d{4}$/.test(line));

const describe = ({ to, subject, text }: Email, file: string) =>
  `Email written to ${file}\nTo: ${to}\nSubject: ${subject}\n\n${text}`;
