/** SMTP_URL and MAIL_FROM, checked. Faults are whole sentences and never repeat SMTP_URL: it may hold a password. */
import { isPlainAddress, oneLine } from "./one-line.ts";
import type { Sender } from "./transport.ts";

export type SmtpServer = {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps`); otherwise the connection is upgraded. */
  secure: boolean;
  /** A server on this machine may do without TLS, and its certificate is not checked. */
  isLoopback: boolean;
  login: { user: string; password: string } | null;
};

/** `smtp` is null where no server is set: letters then go to the outbox. */
export type MailSettings = { smtp: SmtpServer | null; from: Sender };

const NO_SENDER: Sender = { name: "Toolbooth", address: "toolbooth@localhost" };

export function readMailSettings(given: {
  smtpUrl: string | undefined;
  mailFrom: string | undefined;
}): { settings: MailSettings; faults: string[] } {
  const faults: string[] = [];
  const smtp = given.smtpUrl === undefined ? null : readSmtpUrl(given.smtpUrl, faults);
  if (given.smtpUrl !== undefined && given.mailFrom === undefined) {
    faults.push(
      "MAIL_FROM is needed with SMTP_URL: the address that letters come from, such as Toolbooth <post@example.org>.",
    );
  }
  const from = given.mailFrom === undefined ? NO_SENDER : readSender(given.mailFrom, faults);
  return { settings: { smtp, from }, faults };
}

const NOT_AN_URL =
  "SMTP_URL must be like smtp://user:password@host:587 (upgraded to TLS) or smtps://user:password@host:465, without path and query; special characters in user and password are written as %40.";

function readSmtpUrl(text: string, faults: string[]): SmtpServer | null {
  const url = URL.parse(text);
  const secure = url?.protocol === "smtps:";
  const hasMore = (url?.pathname ?? "").length > 1 || `${url?.search}${url?.hash}` !== "";
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || hasMore) {
    faults.push(NOT_AN_URL);
    return null;
  }
  if ((url.username === "") !== (url.password === "")) {
    faults.push("SMTP_URL must have both a user and a password, or neither.");
    return null;
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (secure ? 465 : 587) : Number(url.port);
  try {
    const user = decodeURIComponent(url.username);
    const login = user === "" ? null : { user, password: decodeURIComponent(url.password) };
    return { host, port, secure, isLoopback: isLoopback(host), login };
  } catch {
    faults.push(NOT_AN_URL);
    return null;
  }
}

const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);

const SENDER_NAME_CHARS_MAX = 100;

function readSender(text: string, faults: string[]): Sender {
  const match = /^\s*(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>]+?))\s*$/.exec(text);
  const address = match?.[2] ?? match?.[3] ?? "";
  const name = match?.[1] ?? "";
  if (isPlainAddress(address) && name === oneLine(name, SENDER_NAME_CHARS_MAX))
    return { name, address };
  faults.push(
    "MAIL_FROM must be an address such as post@example.org, or a name with one: Toolbooth <post@example.org>.",
  );
  return NO_SENDER;
}
