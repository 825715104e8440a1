import { actInSteps } from "#accounts/act-in-steps.ts";
import { keyStart } from "#accounts/key-format.ts";
import { personToNotify, type Told } from "#accounts/notify-person.ts";
import { AccountError, closeAccount, createKey, openAccount } from "#accounts/people.ts";
import type { OperatorContext } from "./context.ts";

/** What operators do to one account in several steps; each may be sent again, and is carried out once. */

type Context = Pick<OperatorContext, "ledger" | "directory" | "accountDeps" | "tell">;

/** For an address that counts as verified; `credits` become a grant of that id without expiry. */
export function openForOperator(
  { ledger, accountDeps }: Context,
  order: {
    account: string;
    email: string;
    credits: { grant: string; amount: number } | null;
    now: number;
  },
): Promise<{ account: string; email: string }> {
  return actInSteps(async () => {
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
  { ledger, directory, accountDeps, tell }: Context,
  { account, email, now }: { account: string; email: string; now: number },
): Promise<{ account: string; forfeited: number; told: Told }> {
  const before = await ledger.findAccount({ account, now });
  const found = await directory.findByEmail({ email });
  const isItself = found?.account === account;
  if (!isItself && !(found === null && before?.state === "closed"))
    throw new AccountError(`There is no account for ${email}.`);
  const notifyPerson = await personToNotify(tell, account);
  const own = await accountDeps();
  return actInSteps(async () => {
    const { forfeited } = isItself
      ? await closeAccount(own, email, now)
      : await ledger.closeAccount({ account, now });
    const told = isItself ? await notifyPerson({ kind: "account_closed" }, now) : null;
    return { account, forfeited, told };
  });
}

/** The key leaves once: the order sent again is refused, and the key has to be revoked. */
export async function createKeyForOperator(
  { ledger, accountDeps, tell }: Context,
  { account, id, label, now }: { account: string; id: string; label: string; now: number },
): Promise<{ id: string; key: string; told: Told }> {
  const find = async () => (await ledger.listKeys({ account })).find((one) => one.id === id);
  if ((await find()) !== undefined) throw responseLost(id);
  const notifyPerson = await personToNotify(tell, account);
  const own = await accountDeps();
  const { key } = await createKey(own, account, label, now, id);
  // Of two such orders at once one alone has made the key that is kept.
  const kept = await actInSteps(find);
  if (kept?.sha256 !== (await own.hashKey(key))) throw responseLost(id);
  const told = await notifyPerson(
    { kind: "key_created", key: { label: kept.label, start: keyStart(key) } },
    now,
  );
  return { id, key, told };
}

const responseLost = (id: string) =>
  new AccountError(
    `The key ${id} was made, but the answer with it was lost on the way, and it cannot be shown again. Revoke it (key revoke ${id}) and make another.`,
  );

export async function revokeKeyForOperator(
  { ledger, tell }: Context,
  { account, id, now }: { account: string; id: string; now: number },
): Promise<{ found: boolean; revokedAt: number | null; told: Told }> {
  const before = (await ledger.listKeys({ account })).find((one) => one.id === id);
  const notifyPerson = await personToNotify(tell, account);
  const { found } = await ledger.revokeKey({ account, id, now });
  if (!found || before === undefined) return { found, revokedAt: null, told: null };
  if (before.revokedAt !== null) return { found, revokedAt: before.revokedAt, told: null };
  const { label, start } = before;
  const told = await notifyPerson({ kind: "key_revoked", key: { label, start } }, now);
  return { found, revokedAt: now, told };
}
