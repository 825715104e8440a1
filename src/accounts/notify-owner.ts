import type { Mail } from "#email/mail.ts";
import { accountEmails } from "./account-emails.ts";
import type { ActivityLog } from "./activity-log.ts";

/** What an operator did to an account. Its owner gets an email, and keys are recorded in the owner's activity log. */
export type OperatorChange =
  | { kind: "key_created" | "key_revoked"; key: { label: string; start: string } }
  | { kind: "account_closed" };

/** Who was notified; `error`: why the email was not queued. Null where nobody has signed up for the account. */
export type NotifyOutcome = { email: string; error: string | null } | null;

export type NotifyDeps = {
  activityLog: Pick<ActivityLog, "findUser" | "recordEvent" | "resetFactors">;
  mail: Mail;
  publicUrl: string;
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
    try {
      const { error } = await notify(deps, owner, change, now);
      return { email: owner.email, error };
    } catch (error) {
      return { email: owner.email, error: error instanceof Error ? error.message : String(error) };
    }
  };
}

async function notify(
  { activityLog, mail, publicUrl }: NotifyDeps,
  { user, email }: { user: string; email: string },
  change: OperatorChange,
  at: number,
): Promise<{ error: string | null }> {
  const emails = accountEmails({ publicUrl, mail, now: () => at });
  if (change.kind === "account_closed") return emails.accountClosed(email);
  const { kind, key } = change;
  await activityLog.recordEvent({
    user,
    at,
    kind,
    address: null,
    detail: `${key.label} (by the operator)`,
  });
  return kind === "key_created" ? emails.keyCreated(email, key) : emails.keyRevoked(email, key);
}
