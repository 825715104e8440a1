/**
 * The port to whoever carries letters away: SMTP, the outbox folder, or a provider's HTTP interface.
 * `send` resolves when the letter was taken for good. It throws one of the errors below where it knows why not; their
 * messages are logged, so they hold codes and never what a server wrote (it may quote the address or the link).
 */
import type { Email } from "./mail.ts";

/** Which transport: `smtp` stands for whatever takes letters to their readers, `outbox` for a folder here. */
export type TransportKind = "smtp" | "outbox";

export type Transport = {
  /** `messageId` is the same at every try, so that a receiver can drop a double. An abort makes it throw soon. */
  send(email: Email, messageId: string, signal: AbortSignal): Promise<void>;
  close?(): void;
};

/** Refused for good: the same letter would be refused again. */
export class Undeliverable extends Error {}

/** Refused or broken off this time; it may do later. */
export class TemporaryFailure extends Error {
  /** For how long it asks to be left alone; 0 where it did not say. */
  readonly pauseMs: number;

  constructor(message: string, pauseMs = 0) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

/** The server cannot be talked to at all, whatever the letter: it is gone, or does not let the service in. */
export class Unreachable extends Error {}

export type Sender = { name: string; address: string };
