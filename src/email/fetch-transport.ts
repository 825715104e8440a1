/**
 * Letters by HTTP, as JSON in the form that Resend's `/emails` takes: the way out where there is no SMTP. What the provider
 * writes is never passed on and never read: its status says enough.
 */
import { SEND_TIMEOUT_MS } from "./bounds.ts";
import { headersOf } from "./email-headers.ts";
import type { Email } from "./mail.ts";
import type { MailApi } from "./read-mail-settings.ts";
import {
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
      const response = await post(api, email, messageId, from, within);
      // Unread, or its connection would stay taken.
      await response.body?.cancel();
      if (response.ok) return;
      throw faultOf(response.status, response.headers.get("retry-after"));
    },
  };
}

async function post(
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
        // The same at every try, so that a letter whose answer was lost goes out once.
        "Idempotency-Key": messageId,
        // Resend lets nobody in who does not say what they are.
        "User-Agent": "toolbooth",
      },
      body: JSON.stringify(messageOf(email, from)),
      // A redirect would take the token along.
      redirect: "manual",
      signal,
    });
  } catch (error) {
    const isLate = (error as Error | undefined)?.name === "TimeoutError";
    const what = isLate ? "no answer in time" : "no connection";
    throw new Unreachable(`the mail provider cannot be reached (${what})`);
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

/** Characters that a name must be quoted for (RFC 5322, section 3.2.3). */
const SPECIALS = /[()[\]:;@\\,."]/;

function addressOf({ name, address }: Sender): string {
  if (name === "") return address;
  const quoted = SPECIALS.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name;
  return `${quoted} <${address}>`;
}

/** They say nothing of the letter: another way in, a token that is none, a bill, an address where nobody takes letters. */
const SHUT = [401, 402, 403, 404, 405, 407];
const LATER = [408, 409, 425, 429];

function faultOf(status: number, retryAfter: string | null): Error {
  if (SHUT.includes(status) || status < 400) {
    return new Unreachable(`the mail provider does not let the service in (${status})`);
  }
  if (LATER.includes(status) || status >= 500) {
    return new TemporaryFailure(
      `the mail provider did not take it (${status})`,
      pauseOf(retryAfter),
    );
  }
  return new Undeliverable(`the mail provider refuses it (${status})`);
}

/** Seconds alone: a date would need a clock that agrees with theirs. */
const pauseOf = (text: string | null): number =>
  text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : 0;
