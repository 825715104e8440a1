/** How emails enter the job queue (`src/jobs`): a port; stores implement it. Plain data; the time comes from the caller. */
import type { EmailKind } from "./mail.ts";
import type { TransportKind } from "./transport.ts";

export type QueuedEmail = {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  kind: EmailKind;
  usefulUntil: number | null;
  /** The transport that it was posted for. One posted for `smtp` never goes to the outbox: its link is not for us. */
  transportKind: TransportKind;
  /** Where a single POST unsubscribes from letters of its sort (RFC 8058). */
  unsubscribe?: string;
};

export type EmailQueue = {
  /**
   * Keeps a letter, due at once. The same id again is the first one. Beyond the bounds (`bounds.ts`) it is not kept.
   * One that anybody can cause (`letter-group.ts`) takes the place of those of its kind that wait for the recipient and
   * are under no lease; where it replaces none it counts for the recipient's hour and day.
   */
  add(order: { email: QueuedEmail; now: number }): Promise<{ outcome: EmailAdded }>;
};

export type EmailAdded = "added" | "recipient_full" | "queue_full" | "too_often";
