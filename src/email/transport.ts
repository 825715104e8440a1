/**
 * The port through which emails leave the service: SMTP, a provider's HTTP API, or the outbox folder.
 *
 * `send` resolves when the receiver has accepted the email. It throws one of the errors below if the cause is known.
 * Their messages are logged, so they contain codes and never a server's reply, which may quote the recipient or the
 * link.
 */
import type { Email } from "./mail.ts";

/** `smtp`: any transport that reaches recipients, HTTP included; `outbox`: a folder on this machine. */
export type TransportKind = "smtp" | "outbox";

export type Transport = {
  /** `messageId` is the same for every attempt, so that receivers can drop duplicates. Rejects soon after an abort. */
  send(email: Email, messageId: string, signal: AbortSignal): Promise<void>;
  close?(): void;
};

/** The receiver permanently rejected the email. */
export class Undeliverable extends Error {}

/** The attempt failed, and a later one may succeed. */
export class TemporaryFailure extends Error {
  /** How long the receiver asked us to wait, in milliseconds; 0 if it did not say. */
  readonly pauseMs: number;

  constructor(message: string, pauseMs = 0) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

/** The server cannot be used for any email: it is down, or does not accept our credentials. */
export class Unreachable extends Error {}

export type Sender = { name: string; address: string };

/** Headers for mail programs. The service generates every value; none contains user input. */
export function headersOf({ unsubscribe }: Email): Record<string, string> {
  const headers = {
    // RFC 3834, section 5: prevents out-of-office replies.
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "All",
  };
  if (unsubscribe === undefined) return headers;
  return {
    ...headers,
    // RFC 8058, section 3.1: mail programs unsubscribe with a single POST.
    "List-Unsubscribe": `<${unsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}
