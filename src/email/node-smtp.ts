/** Letters by SMTP, through nodemailer's pool of connections. What the server writes is never passed on: only codes. */
import { createTransport } from "nodemailer";
import {
  CONNECT_TIMEOUT_MS,
  EMAILS_AT_ONCE,
  GREETING_TIMEOUT_MS,
  SEND_TIMEOUT_MS,
  SILENCE_TIMEOUT_MS,
} from "./bounds.ts";
import { envelopeOf, messageOf } from "./node-message.ts";
import type { SmtpServer } from "./read-mail-settings.ts";
import {
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
    // A server on this machine has a certificate of its own making, if any; nobody else can listen.
    tls: { rejectUnauthorized: !isLoopback },
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    maxConnections: EMAILS_AT_ONCE,
    // Once, for a connection that the server had closed while it was idle; the queue does the rest.
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
        const envelope = envelopeOf(email, from);
        await pool.sendMail({ ...message, envelope, signal: within });
      } catch (error) {
        throw faultOf(error as SmtpError);
      }
    },
    close: () => pool.close({ force: true }),
  };
}

type SmtpError = Error & {
  code?: string | undefined;
  command?: string | undefined;
  responseCode?: number | undefined;
  response?: string | undefined;
  permanent?: boolean | undefined;
  originalCode?: string | undefined;
  timeoutType?: string | undefined;
};

/** Faults that say nothing of the letter: no connection, no TLS, no log-in. */
const OUT_OF_REACH = ["EDNS", "ETLS", "EREQUIRETLS", "EAUTH", "ENOAUTH", "EOAUTH2", "EPROXY"];
const BEFORE_THE_EMAIL = ["CONNECT_TIMEOUT", "GREETING_TIMEOUT", "UPGRADE_TIMEOUT"];
/** How a connection ends that was there; every other fault of a socket is one of connecting, certificates included. */
const CUT = ["ECONNRESET", "ECONNABORTED", "EPIPE"];

function faultOf(error: SmtpError): Error {
  const { code = "", command = "", responseCode, timeoutType = "", originalCode = "" } = error;
  const words = wordsOf(error);
  const isShut =
    responseCode === 421 ||
    OUT_OF_REACH.includes(code) ||
    BEFORE_THE_EMAIL.includes(timeoutType) ||
    (code === "ESOCKET" && !CUT.includes(originalCode)) ||
    // Closed again and again before a command was sent.
    (code === "ECONNECTION" && command === "");
  // A refusal before the recipient was named is one of the service or its sender's address.
  const isEarly = responseCode !== undefined && !/^(?:RCPT TO|DATA)/.test(command);
  if (isShut || isEarly) return new Unreachable(`the mail server cannot be used (${words})`);
  if (error.permanent === true) return new Undeliverable(`the mail server refuses it (${words})`);
  // Addresses that cannot be written into an envelope, and letters over the server's size.
  if (responseCode === undefined && (code === "EENVELOPE" || code === "EMESSAGE"))
    return new Undeliverable(`it cannot be sent over this mail server (${words})`);
  return new TemporaryFailure(`the mail server did not take it (${words})`);
}

/** `550 5.1.1, RCPT TO`: codes alone, for the rest of a reply may quote the address or the link. */
function wordsOf(error: SmtpError): string {
  const { responseCode, response = "", command, code, originalCode } = error;
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const reply = [responseCode, enhanced].filter((part) => part !== undefined).join(" ");
  const step = /^[A-Z][A-Z0-9 -]{1,19}/.exec(command ?? "")?.[0];
  return [reply, originalCode ?? code, step].filter(Boolean).join(", ");
}
