import type { Mail } from "#email/mail.ts";
import { accountEmails } from "./account-emails.ts";
import type { Journal } from "./journal.ts";

/** What the operator does to an account, its person is told: by a letter, and in the list of what happened. */
export type OperatorAct =
  | { kind: "key_created" | "key_revoked"; key: { label: string; start: string } }
  | { kind: "account_closed" };

/** Who was told; `fault`: why not. Null where the account has no person, because the operator alone has handled it. */
export type Told = { email: string; fault: string | null } | null;

export type NotifyDeps = {
  journal: Pick<Journal, "findPerson" | "recordEvent">;
  mail: Mail;
  publicUrl: string;
};

/**
 * Finds the person before the act, for closing an account forgets them; the function that it gives tells them after it.
 * A letter waits in the queue until the service sends it. Where it cannot be posted the act was done all the same.
 */
export async function findPersonToNotify(
  wiring: NotifyDeps,
  account: string,
): Promise<(deed: OperatorAct, now: number) => Promise<Told>> {
  const found = await wiring.journal.findPerson({ account });
  return async (deed, now) => {
    if (found === null) return null;
    const told = tell(wiring, found, deed, now);
    const { fault } = await told.catch((error: Error) => ({ fault: error.message }));
    return { email: found.email, fault };
  };
}

async function tell(
  { journal, mail, publicUrl }: NotifyDeps,
  { person, email }: { person: string; email: string },
  deed: OperatorAct,
  at: number,
): ReturnType<Mail["post"]> {
  const emails = accountEmails({ publicUrl, mail, now: () => at });
  if (deed.kind === "account_closed") return emails.closed(email);
  const { kind, key } = deed;
  // It came from no network address.
  await journal.recordEvent({
    ...{ person, at, kind, address: null },
    detail: `${key.label} (by the operator)`,
  });
  return kind === "key_created" ? emails.keyCreated(email, key) : emails.keyRevoked(email, key);
}
