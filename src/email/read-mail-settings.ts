/**
 * Parses and checks SMTP_URL, MAIL_API_URL, MAIL_API_TOKEN and MAIL_FROM. Faults are sentences for the operator. They
 * never contain a URL or a token, because both may contain a password.
 */
import { slugOf, TOOLBOOTH } from "#brand.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import { MAIL_API_URL_DEFAULT } from "#limits.ts";
import { isPlainAddress, oneLine } from "./mail.ts";
import type { Sender, TransportKind } from "./transport.ts";

export type SmtpServer = {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps`); otherwise STARTTLS. */
  secure: boolean;
  /** A server on this machine may work without TLS, and its certificate is not checked. */
  isLoopback: boolean;
  login: { user: string; password: string } | null;
};

/** A provider with an HTTP API like Resend's `/emails`. */
export type MailApi = { url: string; token: string };

/** At most one of `smtp` and `api` is set. Without either, emails go to the outbox folder. */
export type MailSettings = { smtp: SmtpServer | null; api: MailApi | null; from: Sender };

export const transportKindOf = ({ smtp, api }: MailSettings): TransportKind =>
  smtp === null && api === null ? "outbox" : "smtp";

/** Of emails that stay in the outbox. */
const noSender = (name = TOOLBOOTH.name): Sender => ({
  name,
  address: `${slugOf(name)}@localhost`,
});

export function readMailSettings(env: {
  smtpUrl: string | undefined;
  apiUrl?: string | undefined;
  apiToken?: string | undefined;
  mailFrom: string | undefined;
  /** The name of the service, if it has one of its own: the sender's, where MAIL_FROM has none. */
  name?: string | undefined;
}): { settings: MailSettings; problems: string[] } {
  const { smtpUrl, apiUrl, apiToken, mailFrom, name } = env;
  const problems: string[] = [];
  const smtp = smtpUrl === undefined ? null : readSmtpUrl(smtpUrl, problems);
  const api = readMailApi(apiUrl, apiToken, problems);
  if (smtpUrl !== undefined && (apiToken ?? apiUrl) !== undefined) {
    problems.push(
      "SMTP_URL and MAIL_API_TOKEN are alternatives: set only one of them, and MAIL_API_URL only together with MAIL_API_TOKEN.",
    );
  }
  const transportSetting = smtpUrl === undefined ? "MAIL_API_TOKEN" : "SMTP_URL";
  if ((smtpUrl ?? apiToken) !== undefined && mailFrom === undefined) {
    problems.push(
      `MAIL_FROM is required with ${transportSetting}: set the sender of emails, such as Toolbooth <toolbooth@example.org>.`,
    );
  }
  const from = mailFrom === undefined ? noSender(name) : readSender(mailFrom, name, problems);
  return { settings: { smtp, api, from }, problems };
}

function readMailApi(
  address: string | undefined,
  token: string | undefined,
  problems: string[],
): MailApi | null {
  if (token === undefined) {
    if (address !== undefined) {
      problems.push(
        "MAIL_API_URL requires MAIL_API_TOKEN: set the API token of your email provider.",
      );
    }
    return null;
  }
  // The token goes into a header. Spaces and line breaks are usually left over from pasting.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    problems.push("MAIL_API_TOKEN must be printable ASCII without spaces or line breaks.");
  }
  const url = URL.parse(address ?? MAIL_API_URL_DEFAULT);
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(hostOf(url)));
  if (url !== null && isSafe && `${url.username}${url.password}${url.hash}` === "") {
    return { url: url.href, token };
  }
  problems.push(
    `MAIL_API_URL must be an https URL such as ${MAIL_API_URL_DEFAULT}, without user, password or fragment. http is allowed only for this machine.`,
  );
  return null;
}

const NOT_AN_URL =
  "SMTP_URL must look like smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465, without a path or query. Percent-encode special characters in the user and password, such as %40 for @.";

function readSmtpUrl(text: string, problems: string[]): SmtpServer | null {
  const url = URL.parse(text);
  const secure = url?.protocol === "smtps:";
  const hasMore = (url?.pathname ?? "").length > 1 || `${url?.search}${url?.hash}` !== "";
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || hasMore) {
    problems.push(NOT_AN_URL);
    return null;
  }
  if ((url.username === "") !== (url.password === "")) {
    problems.push("SMTP_URL must have both a user and a password, or neither.");
    return null;
  }
  const host = hostOf(url);
  const port = url.port === "" ? (secure ? 465 : 587) : Number(url.port);
  try {
    const user = decodeURIComponent(url.username);
    const login = user === "" ? null : { user, password: decodeURIComponent(url.password) };
    return { host, port, secure, isLoopback: isLoopback(host), login };
  } catch {
    problems.push(NOT_AN_URL);
    return null;
  }
}

const SENDER_NAME_CHARS_MAX = 100;

function readSender(text: string, own: string | undefined, problems: string[]): Sender {
  const match = /^\s*(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>]+?))\s*$/.exec(text);
  const address = match?.[2] ?? match?.[3] ?? "";
  const name = match?.[1] ?? "";
  if (isPlainAddress(address) && name === oneLine(name, SENDER_NAME_CHARS_MAX))
    return { name: name || (own ?? ""), address };
  problems.push(
    "MAIL_FROM must be an email address such as toolbooth@example.org, optionally with a name: Toolbooth <toolbooth@example.org>.",
  );
  return noSender();
}
