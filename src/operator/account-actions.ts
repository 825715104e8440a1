import {
  AccountError,
  closeAccount,
  createKey,
  openAccount,
  runSteps,
} from "#accounts/accounts.ts";
import type { UserRecord } from "#accounts/activity-log.ts";
import { keyStart } from "#accounts/key-format.ts";
import { findOwnerToNotify, type NotifyOutcome } from "#accounts/notify-owner.ts";
import { createRecordActivity } from "#accounts/record-activity.ts";
import type { OperatorContext } from "./context.ts";

/** Operations on one account that take several steps. Each can safely be sent again and is carried out only once. */

type Context = Pick<OperatorContext, "ledger" | "directory" | "accountDeps" | "notify">;

/** Opens an account for a verified address. `credits` become a grant without expiry. */
export function openForOperator(
  { ledger, accountDeps }: Context,
  order: {
    account: string;
    email: string;
    credits: { grant: string; amount: number } | null;
    now: number;
  },
): Promise<{ account: string; email: string }> {
  return runSteps(async () => {
    const { now, credits } = order;
    const { account, email } = await openAccount(
      await accountDeps(),
      order.email,
      now,
      order.account,
    );
    if (credits !== null) {
      const { grant: id, amount } = credits;
      await ledger.grant({ account, id, kind: "operator", amount, expiresAt: null, now });
    }
    return { account, email };
  });
}

export async function closeForOperator(
  { ledger, directory, accountDeps, notify }: Context,
  { account, email, now }: { account: string; email: string; now: number },
): Promise<{ account: string; forfeited: number; notified: NotifyOutcome }> {
  const before = await ledger.findAccount({ account, now });
  const found = await directory.findByEmail({ email });
  const isOpen = found?.account === account;
  const isAlreadyClosed = found === null && before?.state === "closed";
  if (!isOpen && !isAlreadyClosed) throw new AccountError(`There is no account for ${email}.`);
  const notifyOwner = await findOwnerToNotify(notify, account);
  const deps = await accountDeps();
  return runSteps(async () => {
    const { forfeited } = isOpen
      ? await closeAccount(deps, email, now)
      : await ledger.closeAccount({ account, now });
    const notified = isOpen ? await notifyOwner({ kind: "account_closed" }, now) : null;
    return { account, forfeited, notified };
  });
}

export async function exportForOperator(
  { notify }: Pick<Context, "notify">,
  { account, now }: { account: string; now: number },
): Promise<UserRecord | null> {
  const user = await notify.activityLog.readUser({ account });
  if (user === null) return null;
  await createRecordActivity(notify)({
    ...({ user: user.id, at: now, kind: "data_exported", detail: "by the operator" } as const),
    ...{ address: null, userAgent: null, byOperator: true },
    // The owner asked for it, or the law does; the operator can read the data in any case.
    withoutEmail: true,
  });
  return user;
}

/**
 * Removes all second factors of the account's owner, who lost them. The password and linked providers stay; all sessions and
 * links end, because someone else may hold what was lost.
 */
export async function resetFactorsForOperator(
  { notify }: Pick<Context, "notify">,
  { account, now }: { account: string; now: number },
): Promise<{ found: boolean; passkeys: number; totp: boolean; notified: NotifyOutcome }> {
  const notifyOwner = await findOwnerToNotify(notify, account);
  const outcome = await notify.activityLog.resetFactors({ account });
  const notified = outcome.found ? await notifyOwner({ kind: "factors_reset" }, now) : null;
  return { ...outcome, notified };
}

/** Returns the key once. If the response is lost, the repeated order throws, and the operator must revoke the key. */
export async function createKeyForOperator(
  { ledger, accountDeps, notify }: Context,
  { account, id, label, now }: { account: string; id: string; label: string; now: number },
): Promise<{ id: string; key: string; notified: NotifyOutcome }> {
  const find = async () => (await ledger.listKeys({ account })).find((one) => one.id === id);
  if ((await find()) !== undefined) throw responseLost(id);
  const notifyOwner = await findOwnerToNotify(notify, account);
  const deps = await accountDeps();
  const { key } = await createKey(deps, account, label, now, id);
  // Of two concurrent orders with the same id, only one created the stored key.
  const stored = await runSteps(find);
  if (stored?.sha256 !== (await deps.hashKey(key))) throw responseLost(id);
  const notified = await notifyOwner(
    { kind: "key_created", key: { label: stored.label, start: keyStart(key) } },
    now,
  );
  return { id, key, notified };
}

const responseLost = (id: string) =>
  new AccountError(
    `The key ${id} was created, but the response with the key was lost, and the key cannot be shown again. Run key revoke ${id} and create another key.`,
  );

export async function revokeKeyForOperator(
  { ledger, notify }: Context,
  { account, id, now }: { account: string; id: string; now: number },
): Promise<{ found: boolean; revokedAt: number | null; notified: NotifyOutcome }> {
  const before = (await ledger.listKeys({ account })).find((one) => one.id === id);
  const notifyOwner = await findOwnerToNotify(notify, account);
  const { found } = await ledger.revokeKey({ account, id, now });
  if (!found || before === undefined) return { found, revokedAt: null, notified: null };
  if (before.revokedAt !== null) return { found, revokedAt: before.revokedAt, notified: null };
  const { label, start } = before;
  const notified = await notifyOwner({ kind: "key_revoked", key: { label, start } }, now);
  return { found, revokedAt: now, notified };
}
