import { AccountError, createKey, readLabel, rotateKey } from "#accounts/accounts.ts";
import { readKeepMs, readKeyLimits } from "#accounts/key-limits.ts";
import { keyFacts, rotationFacts } from "#accounts/security-emails.ts";
import { budgetsAt, isUnused } from "#ledger/key-limits.ts";
import type { Key, KeyLimits } from "#ledger/port.ts";
import {
  DAY_MS,
  HOUR_MS,
  KEY_NETWORKS_MAX,
  KEYS_PER_ACCOUNT_MAX,
  ROTATION_DAYS_MAX,
} from "#limits.ts";
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
import type { KeysView, KeyView } from "./shapes.ts";
import { recentCalls } from "./usage.ts";

export async function listKeys(context: RequestContext): Promise<Response> {
  const member = await requireMember(context);
  const keys = await viewKeys(context, member);
  const old = keys
    .filter(({ revokedAt }) => revokedAt !== null && revokedAt < context.now - OLD_MS)
    .sort((a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0))
    .slice(OLD_SHOWN_MAX);
  const hidden = new Set(old.map(({ id }) => id));
  const { keyBounds } = context.deps.settings;
  const view: KeysView = {
    keys: keys.filter(({ id }) => !hidden.has(id)),
    bounds: {
      ...keyBounds,
      networksMax: KEY_NETWORKS_MAX,
      rotationDaysMax: ROTATION_DAYS_MAX,
    },
  };
  return json(view);
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
    const { label = "", limits = null } = await readKeyChange(context);
    const { account } = member;
    const before = last.get(account) ?? Promise.resolve();
    const making = before.then(() => makeKey(context, member, label, limits));
    const settled = making.catch(() => {});
    last.set(account, settled);
    try {
      return await making;
    } finally {
      if (last.get(account) === settled) last.delete(account);
    }
  };
}

async function makeKey(
  context: RequestContext,
  member: Member,
  label: string,
  limits: KeyLimits | null,
): Promise<Response> {
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
  const { id, key: secret } = await createKey(
    deps.accountDeps,
    member.account,
    label,
    now,
    undefined,
    limits,
  );
  const key = await viewKey(context, member, id);
  await recordEvent(context, member.user.id, "key_created", label, { facts: keyFacts(key) });
  return json({ key, secret }, 201);
}

/** Changes the label of a key, its limits, or both. */
export async function changeKey(context: RequestContext): Promise<Response> {
  const member = await requireMember(context);
  const { deps, id, now } = context;
  const { ledger } = deps.accountDeps;
  const { account } = member;
  const before = (await ledger.listKeys({ account })).find((key) => key.id === id);
  const { label, limits } = await readKeyChange(context, before?.limits);
  const user = member.user.id;
  if (limits !== undefined) {
    // A limit protects the credits, and removing it makes a weak key a strong one.
    requireFreshProof(context, member);
    const { found } = await ledger.limitKey({ account, id, limits, now });
    if (!found) throw noSuchKey();
    const facts = before && keyFacts(before);
    const detail = label ?? before?.label ?? null;
    await recordEvent(context, user, "key_limited", detail, facts && { facts });
  }
  if (label !== undefined) {
    const { found } = await ledger.relabelKey({ account, id, label });
    if (!found) throw noSuchKey();
    if (label !== before?.label) await recordEvent(context, user, "key_renamed", label);
  }
  return json({ key: await viewKey(context, member, id) });
}

/** Gives a key a new secret. The old one keeps working for as long as the order says. */
export async function rotate(context: RequestContext): Promise<Response> {
  const member = await requireActiveMember(context);
  // The new secret is shown, as that of a new key.
  requireFreshProof(context, member);
  const { deps, id, now } = context;
  const { keepHours, again } = await readJson(context);
  const before = await viewKey(context, member, id);
  if (before.revokedAt !== null) throw noSuchKey();
  const { key: secret } = await asDashboardErrors(() => {
    const previousUntil =
      again === undefined
        ? now + readKeepMs(Number(keepHours ?? Number.NaN) * HOUR_MS)
        : readEndAgain(again, before);
    return rotateKey(deps.accountDeps, { account: member.account, id, previousUntil, now });
  });
  const key = await viewKey(context, member, id);
  await recordEvent(context, member.user.id, "key_rotated", key.label, {
    facts: rotationFacts(key, now),
  });
  return json({ key, secret });
}

function readEndAgain(again: unknown, { previousUntil }: KeyView): number {
  if (typeof again === "number" && again === previousUntil) return again;
  throw new DashboardError(
    "invalid_request",
    "The key was rotated by someone else in the meantime. Reload the page.",
  );
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
  const used = await recentCalls(ledger, account, now - DAY_MS);
  const calls = used && new Map(used.map((row) => [row.key, row.calls]));
  return keys.map((key) => view(key, calls && (calls.get(key.id) ?? 0), now));
}

async function viewKey(context: RequestContext, member: Member, id: string): Promise<KeyView> {
  const found = (await viewKeys(context, member)).find((key) => key.id === id);
  if (found === undefined) throw noSuchKey();
  return found;
}

const view = (
  { id, label, start, createdAt, lastUsedAt, revokedAt, limits, spent, previous }: Key,
  callsLastDay: number | null,
  now: number,
): KeyView => ({
  id,
  label,
  start,
  createdAt,
  lastUsedAt,
  revokedAt,
  callsLastDay,
  limits: limits && { ...limits, budgets: budgetsAt({ limits, spent }, now) },
  previousUntil: previous?.until ?? null,
  isUnused: isUnused({ createdAt, lastUsedAt, revokedAt }, now),
});

/** `limits` is undefined if the body has none. `before`: the limits of the key that is changed. */
async function readKeyChange(
  context: RequestContext,
  before: KeyLimits | null = null,
): Promise<{ label?: string; limits?: KeyLimits | null }> {
  const { label, limits } = await readJson(context);
  const { keyBounds } = context.deps.settings;
  return asDashboardErrors(() => ({
    // A body without either is one without a label.
    ...(label === undefined && limits !== undefined
      ? {}
      : { label: readLabel(typeof label === "string" ? label : "") }),
    ...(limits === undefined
      ? {}
      : { limits: readKeyLimits(limits, keyBounds, context.now, before) }),
  }));
}

/** What the user can correct becomes an error of the dashboard. */
async function asDashboardErrors<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AccountError) throw new DashboardError("invalid_request", error.message);
    throw error;
  }
}

const noSuchKey = () => new DashboardError("not_found", "This account has no such key.");
