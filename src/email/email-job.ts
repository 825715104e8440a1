import type { JobQueueName, NewJob } from "#jobs/job-queue.ts";
import type { QueuedEmail } from "./email-queue.ts";
import type { Email } from "./mail.ts";
import type { TransportKind } from "./transport.ts";

/** An email as a job: its recipient is the target, its domain is what logs may see. */
export function emailJob({
  id,
  to,
  kind,
  usefulUntil,
  transportKind,
  ...email
}: QueuedEmail): NewJob {
  const { subject, text, html, unsubscribe } = email;
  const payload = JSON.stringify({ subject, text, html, unsubscribe });
  const queue = transportKind === "smtp" ? "email" : "outbox";
  return { id, queue, kind, target: to, label: domainOf(to), payload, usefulUntil };
}

export const readEmail = ({ target, payload }: Pick<NewJob, "target" | "payload">): Email => ({
  to: target,
  ...(JSON.parse(payload) as Pick<Email, "subject" | "text" | "html" | "unsubscribe">),
});

/** What was posted for the outbox may go to a mail server as well. */
export const queuesOf = (transportKind: TransportKind): readonly JobQueueName[] =>
  transportKind === "smtp" ? ["email", "outbox"] : ["outbox"];

export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1);
