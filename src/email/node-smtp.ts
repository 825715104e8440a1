/** Sends emails by SMTP over nodemailer's connection pool. Logs contain only the codes of the server's replies. */
import { createTransport } from "nodemailer";
import type { SendMailOptions } from "nodemailer/lib/mailer";
import {
  CONNECT_TIMEOUT_MS,
  EMAILS_AT_ONCE,
  GREETING_TIMEOUT_MS,
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
  const pool = createTransport({
    pool: true,
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
  });
  return {
    async send(email, messageId, signal) {
      const message = messageOf(email, messageId, from);
      const within = AbortSignal.any([signal, AbortSignal.timeout(times.sendMs)]);
      try {
        const envelope = { from: from.address, to: [email.to] };
        await pool.sendMail({ ...message, envelope, signal: within });
      } catch (error) {
        throw toTransportError(error as SmtpError);
      }
    },
    close: () => pool.close({ force: true }),
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
