import type { EmailSender } from "#email/email-layout.ts";
import type { QueuedMail } from "#email/email-queue.ts";
import type { Email } from "#email/mail.ts";
import type { ActivityLog, EventEmailed, EventEmails } from "./activity-log.ts";
import { browserName } from "./browser-name.ts";
import {
  type SecurityEvent,
  securityEmail,
  securitySummary,
  securityText,
} from "./security-emails.ts";

/** An event of a user's account, from whatever caused it. */
export type Activity = Omit<SecurityEvent, "browser"> & {
  user: string;
  /** The user's address, where the caller has just read it. Omitted: it is read now, which takes a query more. */
  email?: string | undefined;
  userAgent: string | null;
  /** Emails to other addresses than the user's, such as the one that the account had before. */
  alsoEmails?: readonly Email[];
  /** Set for an event that is part of something that the user just did, such as signing up. */
  withoutEmail?: boolean;
};

export type ActivityDeps = EmailSender & {
  activityLog: Pick<ActivityLog, "recordEvent" | "findAddress">;
  mail: Pick<QueuedMail, "prepare" | "wake">;
};

export type RecordActivity = (
  activity: Activity,
) => Promise<{ recorded: boolean; emailed: EventEmailed | null }>;

/** What to log about an event whose email was dropped. */
export const EMAIL_DROPPED = "An email about a security event was dropped: the email queue is full";

/**
 * Records events in the activity log. If the table in `security-emails.ts` has an email for the kind of the event, the same
 * transaction queues it, so that no recorded event lacks its email. Rejects if nothing was recorded.
 */
export function createRecordActivity(deps: ActivityDeps): RecordActivity {
  const { activityLog, mail } = deps;
  async function emailsFor(activity: Activity, event: SecurityEvent): Promise<EventEmails | null> {
    const { user, alsoEmails = [], withoutEmail = false } = activity;
    if (withoutEmail || securityText(event) === null) return null;
    const to = activity.email ?? (await activityLog.findAddress({ user }))?.email;
    if (to === undefined) return null;
    const [own, summary, ...others] = await Promise.all(
      [
        ...[securityEmail, securitySummary].map((write) => write(deps, to, event)),
        ...alsoEmails,
      ].map(async (email) => (email === null ? null : mail.prepare(email))),
    );
    if (own == null || summary == null) return null;
    return { each: [own, ...others.filter((each) => each !== null)], summary };
  }

  return async (activity) => {
    const { user, at, kind, detail, address } = activity;
    const browser = browserName(activity.userAgent);
    const event = { ...activity, browser };
    const emails = await emailsFor(activity, event);
    const order = { user, at, kind, detail, address, browser, emails };
    const { recorded, emailed } = await activityLog.recordEvent(order);
    if (emailed === "each" || emailed === "summary") mail.wake();
    return { recorded, emailed };
  };
}
