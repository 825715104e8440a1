/** How emails enter the job queue (`src/jobs`): the port, and an email as a job. */
import type { JobQueueName, NewJob } from "#jobs/job-queue.ts";
import { createSealer, type Sealer } from "#seal.ts";
import type { Email, EmailKind } from "./mail.ts";
import type { RequestedBounds, RequestedCounts } from "./requested-bounds.ts";
import type { TransportKind } from "./transport.ts";

export type QueuedEmail = {
  id: string;
  to: string;
  /** Subject, texts and links, sealed: a link that signs in must not be readable in a copy of the database. */
  content: string;
  kind: EmailKind;
  usefulUntil: number | null;
  /**
   * The transport that it was queued for. An email for `smtp` never goes to the outbox, because the operator must not
   * see its link.
   */
  transportKind: TransportKind;
};

type EmailContent = Pick<Email, "subject" | "text" | "html" | "unsubscribe">;

/** Seals and opens the content of queued emails. */
export const emailSealer = (secrets: readonly string[]): Sealer => createSealer(secrets, "email");

/** Returns the content as the queue stores it. It can be opened only for the email with this id. */
export const sealContent = (
  { subject, text, html, unsubscribe }: EmailContent,
  id: string,
  sealer: Pick<Sealer, "seal">,
): Promise<string> => sealer.seal(JSON.stringify({ subject, text, html, unsubscribe }), id);

export type EmailQueue = {
  /**
   * Stores an email that is due immediately; an id that is already stored changes nothing. Beyond the bounds
   * (`bounds.ts`) it stores nothing, and the outcome says why. An email that anyone can request (`email-group.ts`)
   * counts towards the recipient's hourly and daily limits of its group, and towards `bounds` for all recipients (omitted:
   * none). It replaces no other, because each has a code of its own. `network`: as in `Email`.
   */
  add(order: {
    email: QueuedEmail;
    now: number;
    bounds?: RequestedBounds | undefined;
    network?: string | undefined;
  }): Promise<{ outcome: EmailAdded }>;
  countRequested(order: { now: number }): Promise<RequestedCounts>;
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
  content,
}: QueuedEmail): NewJob {
  return {
    id,
    queue: transportKind === "smtp" ? "email" : "outbox",
    kind,
    target: to,
    label: domainOf(to),
    payload: content,
    usefulUntil,
  };
}

/** Returns the email of a job that `emailJob` made. Throws a `SealError` if its content cannot be opened. */
export async function emailOfJob(
  { id, target, payload }: Pick<NewJob, "id" | "target" | "payload">,
  sealer: Pick<Sealer, "open">,
): Promise<Email> {
  return { to: target, ...(JSON.parse(await sealer.open(payload, id)) as EmailContent) };
}

/** The queues that a transport processes: a mail server also sends emails that were queued for the outbox. */
export const queuesOf = (transportKind: TransportKind): readonly JobQueueName[] =>
  transportKind === "smtp" ? ["email", "outbox"] : ["outbox"];

export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1);
