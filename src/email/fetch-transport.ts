/**
 * Sends emails over HTTPS, as JSON in the format of Resend's `/emails`, for runtimes without SMTP. The status of the
 * response is enough, so its body is neither read nor logged.
 */
import { SEND_TIMEOUT_MS } from "./bounds.ts";
import type { Email } from "./mail.ts";
import type { MailApi } from "./read-mail-settings.ts";
import {
  headersOf,
  type Sender,
  TemporaryFailure,
  type Transport,
  Undeliverable,
  Unreachable,
} from "./transport.ts";

export function createFetchTransport(
  api: MailApi,
  from: Sender,
  timeoutMs: number = SEND_TIMEOUT_MS,
): Transport {
  return {
    async send(email, messageId, signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const response = await sendRequest(api, email, messageId, from, within);
      // An unread body keeps the connection open.
      await response.body?.cancel();
      if (response.ok) return;
      throw errorOf(response.status, response.headers.get("retry-after"));
    },
  };
}

async function sendRequest(
  { url, token }: MailApi,
  email: Email,
  messageId: string,
  from: Sender,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        // The same for every attempt, so that the provider sends an email only once even if its response was lost.
        "Idempotency-Key": messageId,
        // Resend rejects requests without a user agent.
        "User-Agent": "toolbooth",
      },
      body: JSON.stringify(messageOf(email, from)),
      // A redirect would send the token to another host.
      redirect: "manual",
      signal,
    });
  } catch (error) {
    const isLate = (error as Error | undefined)?.name === "TimeoutError";
    const reason = isLate ? "timeout" : "no connection";
    throw new Unreachable(`the email provider is unreachable (${reason})`);
  }
}

const messageOf = (email: Email, from: Sender) => ({
  from: addressOf(from),
  to: [email.to],
  subject: email.subject,
  text: email.text,
  html: email.html,
  headers: headersOf(email),
});

/** Characters that require quotes around a display name (RFC 5322, section 3.2.3). */
const SPECIALS = /[()[\]:;@\\,."]/;

function addressOf({ name, address }: Sender): string {
  if (name === "") return address;
  const quoted = SPECIALS.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name;
  return `${quoted} <${address}>`;
}

/** Statuses that concern the account or the URL, not the email: wrong token, unpaid bill, wrong path or method. */
const REJECTS_SERVICE = [401, 402, 403, 404, 405, 407];
/** Statuses after which a later attempt may succeed, as after 5xx. */
const TEMPORARY = [408, 409, 425, 429];

function errorOf(status: number, retryAfter: string | null): Error {
  if (REJECTS_SERVICE.includes(status) || status < 400) {
    return new Unreachable(`the email provider rejects the service (${status})`);
  }
  if (TEMPORARY.includes(status) || status >= 500) {
    return new TemporaryFailure(
      `the email provider did not accept it (${status})`,
      pauseOf(retryAfter),
    );
  }
  return new Undeliverable(`the email provider rejected it (${status})`);
}

/** Accepts only seconds; a date requires synchronized clocks. */
const pauseOf = (text: string | null): number =>
  text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : 0;
