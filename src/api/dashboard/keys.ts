import { AccountError, createKey, readLabel } from "#accounts/accounts.ts";
import { keyFacts } from "#accounts/security-emails.ts";
import type { Key } from "#ledger/port.ts";
import { DAY_MS, KEYS_PER_ACCOUNT_MAX } from "#limits.ts";
import { DashboardError, retryAfter } from "./dashboard-error.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import {
  json,
  type Member,
  type RequestContext,
  readJson,
  recordEvent,
  requireActiveMember,
  requireMember,
} from "./request-context.ts";
import type { KeyView } from "./shapes.ts";

export async function listKeys(context: RequestContext): Promise<Response> {
  const member = await requireMember(context);
  const keys = await viewKeys(context, member);
  const old = keys
    .filter(({ revokedAt }) => revokedAt !== null && revokedAt < context.now - OLD_MS)
    .sort((a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0))
    .slice(OLD_SHOWN_MAX);
  const hidden = new Set(old.map(({ id }) => id));
  return json({ keys: keys.filter(({ id }) => !hidden.has(id)) });
}

/** The ledger keeps every key forever, so we limit how many can be created and how many revoked keys are listed. */
const CREATED_A_DAY_MAX = 100;
const OLD_MS = 90 * DAY_MS;
const OLD_SHOWN_MAX = 100;

/** Creates an account's keys one at a time, so that parallel requests together cannot exceed the limit. */
export function createMakeKey() {
  const last = new Map<string, Promise<unknown>>();
  return async (context: RequestContext): Promise<Response> => {
    const member = await requireActiveMember(context);
    requireFreshProof(context, member);
    const label = await readKeyLabel(context);
    const { account } = member;
    const before = last.get(account) ?? Promise.resolve();
    const making = before.then(() => makeKey(context, member, label));
    const settled = making.catch(() => {});
    last.set(account, settled);
    try {
      return await making;
    } finally {
      if (last.get(account) === settled) last.delete(account);
    }
  };
}

async function makeKey(context: RequestContext, member: Member, label: string): Promise<Response> {
  const { deps, now } = context;
  const { ledger } = deps.accountDeps;
  const keys = await ledger.listKeys({ account: member.account });
  if (keys.filter(({ revokedAt }) => revokedAt === null).length >= KEYS_PER_ACCOUNT_MAX) {
    throw new DashboardError(
      "invalid_request",
      `An account can have at most ${KEYS_PER_ACCOUNT_MAX} keys. Revoke a key that you no longer use.`,
    );
  }
  const created = keys.map(({ createdAt }) => createdAt).filter((at) => at > now - DAY_MS);
  if (created.length >= CREATED_A_DAY_MAX) {
    const first = created.sort((a, b) => b - a)[CREATED_A_DAY_MAX - 1] ?? now;
    throw new DashboardError(
      "too_many_requests",
      `An account can create at most ${CREATED_A_DAY_MAX} keys within 24 hours, including revoked ones. Create the next one later.`,
      retryAfter(first + DAY_MS - now),
    );
  }
  const { id, key: secret } = await createKey(deps.accountDeps, member.account, label, now);
  const key = await viewKey(context, member, id);
  await recordEvent(context, member.user.id, "key_created", label, { facts: keyFacts(key) });
  return json({ key, secret }, 201);
}

export async function renameKey(context: RequestContext): Promise<Response> {
  const member = await requireMember(context);
  const { deps, id } = context;
  const label = await readKeyLabel(context);
  const { found } = await deps.accountDeps.ledger.relabelKey({
    account: member.account,
    id,
    label,
  });
  if (!found) throw noSuchKey();
  const user = member.user.id;
  await recordEvent(context, user, "key_renamed", label);
  return json({ key: await viewKey(context, member, id) });
}

/** Revoking a revoked key succeeds and does nothing. */
export async function revokeKey(context: RequestContext): Promise<Response> {
  const member = await requireMember(context);
  const { deps, now, id } = context;
  const before = await viewKey(context, member, id);
  if (before.revokedAt === null) {
    await deps.accountDeps.ledger.revokeKey({ account: member.account, id, now });
    const facts = keyFacts(before);
    await recordEvent(context, member.user.id, "key_revoked", before.label, { facts });
  }
  return json({ key: await viewKey(context, member, id) });
}

async function viewKeys({ deps, now }: RequestContext, { account }: Member): Promise<KeyView[]> {
  const { ledger } = deps.accountDeps;
  const keys = await ledger.listKeys({ account });
  const used = await ledger.recentCalls({ account, from: now - DAY_MS });
  const calls = new Map(used.map((row) => [row.key, row.calls]));
  return keys.map((key) => view(key, calls.get(key.id) ?? 0));
}

async function viewKey(context: RequestContext, member: Member, id: string): Promise<KeyView> {
  const found = (await viewKeys(context, member)).find((key) => key.id === id);
  if (found === undefined) throw noSuchKey();
  return found;
}

const view = (
  { id, label, start, createdAt, lastUsedAt, revokedAt }: Key,
  callsLastDay: number,
): KeyView => ({
  id,
  label,
  start,
  createdAt,
  lastUsedAt,
  revokedAt,
  callsLastDay,
});

async function readKeyLabel(context: RequestContext): Promise<string> {
  const { label } = await readJson(context);
  try {
    return readLabel(typeof label === "string" ? label : "");
  } catch (error) {
    if (error instanceof AccountError) throw new DashboardError("invalid_request", error.message);
    throw error;
  }
}

const noSuchKey = () => new DashboardError("not_found", "This account has no such key.");
