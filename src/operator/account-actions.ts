import { addressChangedEmail, UNDO_MS } from "#accounts/account-emails.ts";
import {
  AccountError,
  closeAccount,
  createKey,
  openAccount,
  readEmail,
  recordFormerEmail,
  rotateKey,
  runSteps,
} from "#accounts/accounts.ts";
import type { UserRecord } from "#accounts/activity-log.ts";
import { hashOf } from "#accounts/attempts.ts";
import { keyStart } from "#accounts/key-format.ts";
import type { KeyLimitsForm } from "#accounts/key-limits.ts";
import { findOwnerToNotify, type NotifyOutcome } from "#accounts/notify-owner.ts";
import { createRecordActivity } from "#accounts/record-activity.ts";
import { originFacts } from "#accounts/security-emails.ts";
import { quotedCommand } from "#command-line.ts";
import { randomBase62 } from "#ids.ts";
import type { KeyLimits } from "#ledger/port.ts";
import { everyGrant } from "#ledger/read-pages.ts";
import type { OperatorContext } from "./context.ts";

/** Operations on one account that take several steps. Each can safely be sent again and is carried out only once. */

type Context = Pick<
  OperatorContext,
  "ledger" | "directory" | "accountDeps" | "keyBounds" | "notify"
>;

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
    if (isAlreadyClosed) await deps.forgetRequests?.({ account, now });
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

/** Kinds of events that `account show` lists as sign-ins. */
const SIGN_INS = ["signed_up", "signed_in", "signed_in_new_browser", "sign_in_failed"] as const;
const SIGN_INS_SHOWN = 5;
const EVENTS_READ = 100;

/** Reads who an account belongs to: its address, and how its owner signs in. Unlike an export, it leaves no record. */
export async function findOwnerForOperator(
  { notify, directory }: Pick<Context, "notify" | "directory">,
  { account }: { account: string },
) {
  const { activityLog } = notify;
  const [address, user, claim] = await Promise.all([
    directory.findByAccount({ account }),
    activityLog.readUser({ account }),
    directory.findStarter({ account }),
  ]);
  const starter = claim === null ? null : { at: claim.at, outcome: claim.outcome };
  if (user === null) return { email: address?.email ?? null, starter, owner: null };
  const { createdAt, logins, passkeys, demandsPasskey, sessions } = user;
  const { events } = await activityLog.listEvents({
    user: user.id,
    after: null,
    max: EVENTS_READ,
  });
  const signIns = events
    .filter(({ kind }) => (SIGN_INS as readonly string[]).includes(kind))
    .slice(0, SIGN_INS_SHOWN);
  return {
    email: address?.email ?? user.email,
    starter,
    owner: {
      ...{ createdAt, demandsPasskey, signIns },
      logins: logins.map(({ provider }) => provider),
      passkeys: passkeys.length,
      sessions: sessions.length,
    },
  };
}

/**
 * Sets how many credits of a grant are clawed back, so a repeated order changes nothing. Purchases have their own clawbacks, which
 * follow the refunded money.
 */
export async function clawBackForOperator(
  { ledger }: Pick<Context, "ledger">,
  order: { account: string; grant: string; credits: number; now: number },
) {
  const { account, grant: id, credits, now } = order;
  const find = async () =>
    (await everyGrant(ledger, { account, now })).find((one) => one.id === id) ?? null;
  const grant = await find();
  const nothing = { clawedBack: 0, spent: 0 };
  if (grant === null) return { outcome: "no_grant" as const, grant, ...nothing };
  if (grant.kind !== "operator" && grant.kind !== "starter")
    return { outcome: "bought" as const, grant, ...nothing };
  const clawed = await ledger.clawback({
    ...{ account, grant: id, credits, now },
    version: now,
    onlyRaises: true,
  });
  if (clawed.outcome === "no_grant") return { outcome: clawed.outcome, grant: null, ...nothing };
  const { outcome, voided: clawedBack, spent } = clawed;
  return { outcome, grant: await find(), clawedBack, spent };
}

/**
 * Removes all passkeys of the account's owner, who lost them, so that an emailed code signs in again. All sessions end, because
 * someone else may hold what was lost.
 */
export async function resetPasskeysForOperator(
  { notify }: Pick<Context, "notify">,
  { account, now }: { account: string; now: number },
): Promise<{ found: boolean; passkeys: number; notified: NotifyOutcome }> {
  const notifyOwner = await findOwnerToNotify(notify, account);
  const outcome = await notify.activityLog.resetPasskeys({ account });
  const notified = outcome.passkeys > 0 ? await notifyOwner({ kind: "passkeys_reset" }, now) : null;
  return { ...outcome, notified };
}

/**
 * Gives an account another address, for an owner who lost their mailbox. All sessions end. The old address gets a link that undoes
 * it for 72 hours, because the operator may have been deceived.
 */
export async function setEmailForOperator(
  { accountDeps, notify }: Pick<Context, "accountDeps" | "notify">,
  { account, from, to: typed, now }: { account: string; from: string; to: string; now: number },
): Promise<{
  outcome: "changed" | "taken" | "unchanged" | "no_account";
  notified: NotifyOutcome;
}> {
  const deps = await accountDeps();
  const to = readEmail(typed);
  const [id, undo] = [randomBase62(24, deps.random), randomBase62(32, deps.random)];
  const notifyOwner = await findOwnerToNotify(notify, account);
  const origin = originFacts({ at: now, address: null, browser: null, byOperator: true });
  const about = { to: from, newAddress: to, origin, undo, now };
  const { outcome } = await notify.activityLog.changeAddress({
    ...{ account, from, to, at: now, keptSession: null },
    undo: { id, link: hashOf(undo), until: now + UNDO_MS },
    email: await notify.mail.prepare(addressChangedEmail(notify.publicUrl, about)),
  });
  if (outcome !== "changed") return { outcome, notified: null };
  notify.mail.wake();
  await recordFormerEmail(deps, from, now);
  return { outcome, notified: await notifyOwner({ kind: "email_changed", to }, now) };
}

/** Returns the key once. If the response is lost, the repeated order throws, and the operator must revoke the key. */
export async function createKeyForOperator(
  { ledger, accountDeps, keyBounds, notify }: Context,
  order: {
    account: string;
    id: string;
    label: string;
    limits?: KeyLimitsForm | null | undefined;
    now: number;
  },
): Promise<{ id: string; key: string; notified: NotifyOutcome }> {
  const { account, id, label, now } = order;
  const find = async () => (await ledger.listKeys({ account })).find((one) => one.id === id);
  if ((await find()) !== undefined) throw responseLost(id);
  const notifyOwner = await findOwnerToNotify(notify, account);
  const deps = await accountDeps();
  const limits = await readLimits({ keyBounds }, order.limits ?? null, now);
  const { key } = await createKey(deps, account, label, now, id, limits);
  // Of two concurrent orders with the same id, only one created the stored key.
  const stored = await runSteps(find);
  if (stored?.sha256 !== (await deps.hashKey(key))) throw responseLost(id);
  const notified = await notifyOwner(
    { kind: "key_created", key: { label: stored.label, start: keyStart(key) } },
    now,
  );
  return { id, key, notified };
}

/** Imports the schema here, because most keys have no limits and the command line should start fast. */
async function readLimits(
  { keyBounds }: Pick<Context, "keyBounds">,
  limits: KeyLimitsForm | null,
  now: number,
  before: KeyLimits | null = null,
): Promise<KeyLimits | null> {
  if (limits === null) return null;
  const { readKeyLimits } = await import("#accounts/key-limits.ts");
  return readKeyLimits(limits, await keyBounds(), now, before);
}

const findKey = async ({ ledger }: Pick<Context, "ledger">, account: string, id: string) =>
  (await ledger.listKeys({ account })).find((one) => one.id === id);

/** Replaces all limits of a key. */
export async function limitKeyForOperator(
  context: Context,
  order: { account: string; id: string; limits: KeyLimitsForm | null; now: number },
): Promise<{ found: boolean; limits: KeyLimits | null; notified: NotifyOutcome }> {
  const { account, id, now } = order;
  const before = await findKey(context, account, id);
  if (before === undefined) return { found: false, limits: null, notified: null };
  const limits = await readLimits(context, order.limits, now, before.limits);
  const notifyOwner = await findOwnerToNotify(context.notify, account);
  const { found } = await context.ledger.limitKey({ account, id, limits, now });
  if (!found) return { found, limits: before.limits, notified: null };
  const notified = await notifyOwner({ kind: "key_limited", key: before }, now);
  return { found, limits, notified };
}

/** Returns the new secret once. If the response is lost, the operator has to rotate the key again. */
export async function rotateKeyForOperator(
  context: Context,
  order: { account: string; id: string; previousUntil: number; now: number },
): Promise<{ id: string; key: string; previousUntil: number; notified: NotifyOutcome }> {
  const { account, id, previousUntil, now } = order;
  const before = await findKey(context, account, id);
  const notifyOwner = await findOwnerToNotify(context.notify, account);
  const { key } = await rotateKey(await context.accountDeps(), order);
  const label = before?.label ?? id;
  const notified = await notifyOwner(
    { kind: "key_rotated", key: { label, start: keyStart(key), previousUntil } },
    now,
  );
  return { id, key, previousUntil, notified };
}

const responseLost = (id: string) =>
  new AccountError(
    `The key ${id} was created, but the response with the key was lost, and the key cannot be shown again. Run ${quotedCommand("key revoke", id)} and create another key.`,
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
