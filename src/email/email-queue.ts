/** How emails enter the job queue (`src/jobs`): the port, and an email as a job. */
import type { JobQueueName, NewJob } from "#jobs/job-queue.ts";
import type { Email, EmailKind } from "./mail.ts";
import type { RequestedBounds, RequestedCounts, Requester } from "./requested-bounds.ts";
import type { TransportKind } from "./transport.ts";

export type QueuedEmail = {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  kind: EmailKind;
  usefulUntil: number | null;
  /**
   * The transport that it was queued for. An email for `smtp` never goes to the outbox, because the operator must not
   * see its link.
   */
  transportKind: TransportKind;
  /** URL at which a single POST unsubscribes from emails on this topic (RFC 8058). */
  unsubscribe?: string;
};

export type EmailQueue = {
  /**
   * Stores an email that is due immediately; an id that is already stored changes nothing. Beyond the bounds
   * (`bounds.ts`) it stores nothing, and the outcome says why. An email that anyone can request (`email-group.ts`)
   * replaces those of its kind that are queued for the recipient and not leased. If it replaces none, it counts towards
   * the recipient's hourly and daily limits, and towards `bounds` for all recipients (omitted: none).
   */
  add(order: {
    email: QueuedEmail;
    now: number;
    bounds?: RequestedBounds | undefined;
    requester?: Requester | undefined;
  }): Promise<{ outcome: EmailAdded }>;
  /** How many emails that anyone can request count in this UTC hour and day; of no network where `network` is empty. */
  countRequested(order: { now: number; network: string }): Promise<RequestedCounts>;
};

export type EmailAdded =
  | "added"
  | "recipient_full"
  | "queue_full"
  | "too_often"
  | "total_full"
  | "network_full";

/** Returns an email as a job. The recipient is the job's target; logs may contain only its label, the domain. */
export function emailJob({
  id,
  to,
  kind,
  usefulUntil,
  transportKind,
  ...email
}: QueuedEmail): NewJob {
  const { subject, text, html, unsubscribe } = email;
  return {
    id,
    queue: transportKind === "smtp" ? "email" : "outbox",
    kind,
    target: to,
    label: domainOf(to),
    payload: JSON.stringify({ subject, text, html, unsubscribe }),
    usefulUntil,
  };
}

/** Returns the email of a job that `emailJob` made. */
export const emailOfJob = ({ target, payload }: Pick<NewJob, "target" | "payload">): Email => ({
  to: target,
  ...(JSON.parse(payload) as Pick<Email, "subject" | "text" | "html" | "unsubscribe">),
});

/** The queues that a transport processes: a mail server also sends emails that were queued for the outbox. */
export const queuesOf = (transportKind: TransportKind): readonly JobQueueName[] =>
  transportKind === "smtp" ? ["email", "outbox"] : ["outbox"];

export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1);
