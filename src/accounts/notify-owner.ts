import type { QueuedMail } from "#email/email-queue.ts";
import { accountEmails } from "./account-emails.ts";
import type { ActivityLog, EventEmailed } from "./activity-log.ts";
import { type ActivityDeps, createRecordActivity } from "./record-activity.ts";
import { keyFacts, rotationFacts } from "./security-emails.ts";

/** What an operator did to an account. Its owner gets an email, and keys are recorded in the owner's activity log. */
export type OperatorChange =
  | {
      kind: "key_created" | "key_limited" | "key_revoked";
      key: { label: string; start: string };
    }
  | { kind: "key_rotated"; key: { label: string; start: string; previousUntil: number } }
  | { kind: "passkeys_reset" }
  | { kind: "email_changed"; to: string }
  | { kind: "account_closed" };

/** Whose addresses get an email; `error`: why the email was not queued. Null where nobody has signed up for the account. */
export type NotifyOutcome = { emails: string; error: string | null } | null;

export type NotifyDeps = Omit<ActivityDeps, "mail" | "activityLog"> & {
  activityLog: Pick<
    ActivityLog,
    | "findUser"
    | "findAddress"
    | "recordEvent"
    | "readUser"
    | "listEvents"
    | "resetPasskeys"
    | "changeAddress"
  >;
  mail: QueuedMail;
};

/**
 * Finds the account's owner before the change, because closing an account deletes their address. The returned function
 * notifies them after the change. It does not reject: the change stands, whether or not the email could be queued.
 */
export async function findOwnerToNotify(
  deps: NotifyDeps,
  account: string,
): Promise<(change: OperatorChange, now: number) => Promise<NotifyOutcome>> {
  const owner = await deps.activityLog.findUser({ account });
  return async (change, now) => {
    if (owner === null) return null;
    // The old address gets an email with the change itself.
    const emails =
      change.kind === "email_changed" ? `${owner.email} and ${change.to}` : owner.email;
    try {
      const { error } = await notify(deps, owner, change, now);
      return { emails, error };
    } catch (error) {
      return { emails, error: error instanceof Error ? error.message : String(error) };
    }
  };
}

async function notify(
  deps: NotifyDeps,
  { user, email }: { user: string; email: string },
  change: OperatorChange,
  at: number,
): Promise<{ error: string | null }> {
  if (change.kind === "account_closed")
    return accountEmails(deps, { mail: deps.mail, now: () => at }).accountClosed(email);
  const { kind } = change;
  const { emailed } = await createRecordActivity(deps)({
    user,
    email: kind === "email_changed" ? change.to : email,
    at,
    kind,
    ...detailOf(change, at),
    address: null,
    userAgent: null,
    byOperator: true,
  });
  return { error: emailed === null ? null : ERRORS[emailed] };
}

function detailOf(change: Exclude<OperatorChange, { kind: "account_closed" }>, now: number) {
  if (change.kind === "passkeys_reset") return { detail: null };
  if (change.kind === "email_changed") return { detail: change.to };
  const facts =
    change.kind === "key_rotated" ? rotationFacts(change.key, now) : keyFacts(change.key);
  return { detail: `${change.key.label} (by the operator)`, facts };
}

const ERRORS: Record<EventEmailed, string | null> = {
  each: null,
  summary: null,
  over_limit:
    "a summary of such changes was sent within 24 hours; the activity list shows this one",
  queue_full: "the email queue is full",
};
