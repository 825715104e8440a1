import type { EmailSender } from "#email/email-layout.ts";
import type { QueuedMail } from "#email/email-queue.ts";
import { createEmails } from "#email/emails.ts";
import type { ActivityLog } from "./activity-log.ts";

/**
 * Tells owners that passwords were retired, at most `max` at once, and each of them once, on whatever node. The others are told
 * later: the email queue must keep room for codes.
 */
export async function tellOwners(deps: {
  activityLog: Pick<ActivityLog, "listUntold" | "tellOwner">;
  mail: Pick<QueuedMail, "prepare" | "wake">;
  sender: EmailSender;
  now(): number;
  max: number;
}): Promise<void> {
  const { activityLog, mail, now, max } = deps;
  const emails = createEmails(deps.sender);
  let count = 0;
  for (const { user, email: to } of await activityLog.listUntold({ max })) {
    const email = await mail.prepare(emails.passwordsRetired({ to }));
    if (email === null) continue;
    const { sent } = await activityLog.tellOwner({ user, at: now(), email });
    if (sent) count += 1;
  }
  if (count > 0) mail.wake();
}
