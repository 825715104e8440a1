import { createKey, readLabel, rotateKey } from "#accounts/accounts.ts";
import { keyStart } from "#accounts/key-format.ts";
import { readKeepMs, readKeyLimits } from "#accounts/key-limits.ts";
import { keyFacts, rotationFacts } from "#accounts/security-emails.ts";
import { budgetsAt, isSameLimits, isUnused } from "#ledger/key-limits.ts";
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
  readAsActiveMember,
  readAsMember,
  readJson,
  recordEvent,
} from "./request-context.ts";
import type { KeysView, KeyView } from "./shapes.ts";
import { recentCalls } from "./usage.ts";

export async function listKeys(context: RequestContext): Promise<Response> {
  const [, keys] = await readAsMember(context, (owner) => viewKeys(context, owner));
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
export async function makeKey(context: RequestContext): Promise<Response> {
  const { deps, keyTurns } = context;
  const { ledger } = deps.accountDeps;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  try {
    const [member, keys] = await readAsActiveMember(context, async ({ account }) => {
      const before = keyTurns.get(account);
      const turn = (before ?? Promise.resolve()).then(() => ended);
      keyTurns.set(account, turn);
      void turn.then(() => keyTurns.get(account) === turn && keyTurns.delete(account));
      await before;
      return ledger.listKeys({ account });
    });
    requireFreshProof(context, member);
    const { label = "", limits = null } = await readKeyChange(context);
    requireKeyLeft(keys, context.now);
    return await createAndShow(context, member, label, limits);
  } finally {
    end();
  }
}

function requireKeyLeft(keys: readonly Key[], now: number): void {
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
}

async function createAndShow(
  context: RequestContext,
  member: Member,
  label: string,
  limits: KeyLimits | null,
): Promise<Response> {
  const { deps, now } = context;
  const { account, user } = member;
  const made = await createKey(deps.accountDeps, account, label, now, undefined, limits);
  const { id, key: secret } = made;
  const facts = keyFacts({ start: keyStart(secret) });
  const recording = recordEvent(context, user, "key_created", label, { facts });
  return json({ key: await viewChanged(context, member, id, recording), secret }, 201);
}

/** Changes the label of a key, its limits, or both. */
export async function changeKey(context: RequestContext): Promise<Response> {
  const { deps, id, now } = context;
  const { ledger } = deps.accountDeps;
  const [member, keys] = await readAsMember(context, ({ account }) => ledger.listKeys({ account }));
  const { account, user } = member;
  const before = keys.find((key) => key.id === id);
  const change = await readKeyChange(context, before?.limits);
  const { label, limits } = change;
  // A limit protects the credits, and removing it makes a weak key a strong one.
  if (limits !== undefined) requireFreshProof(context, member);
  const { found } = await ledger.changeKey({ account, id, ...change, now });
  if (!found) throw noSuchKey();
  let recording = Promise.resolve();
  if (limits !== undefined && !isSameLimits(limits, before?.limits ?? null)) {
    const facts = before && keyFacts(before);
    const detail = label ?? before?.label ?? null;
    recording = recordEvent(context, user, "key_limited", detail, facts && { facts });
  }
  if (label !== undefined && label !== before?.label)
    recording = recording.then(() => recordEvent(context, user, "key_renamed", label));
  return json({ key: await viewChanged(context, member, id, recording) });
}

/** Gives a key a new secret. The old one keeps working for as long as the order says. */
export async function rotate(context: RequestContext): Promise<Response> {
  const { deps, id, now } = context;
  const { ledger } = deps.accountDeps;
  const [member, keys] = await readAsActiveMember(context, ({ account }) =>
    ledger.listKeys({ account }),
  );
  // The new secret is shown, as that of a new key.
  requireFreshProof(context, member);
  const { account, user } = member;
  const { keepHours, again } = await readJson(context);
  const before = findKey(keys, id);
  if (before.revokedAt !== null) throw noSuchKey();
  const previousUntil =
    again === undefined
      ? now + readKeepMs(Number(keepHours ?? Number.NaN) * HOUR_MS)
      : readEndAgain(again, before, now);
  const order = { account, id, previousUntil, now };
  const { key: secret } = await rotateKey(deps.accountDeps, order);
  const facts = rotationFacts({ start: keyStart(secret), previousUntil }, now);
  const recording = recordEvent(context, user, "key_rotated", before.label, { facts });
  return json({ key: await viewChanged(context, member, id, recording), secret });
}

/** The end that the old secret has. If it has ended meanwhile, the secret that nobody saw ends at once. */
function readEndAgain(again: unknown, { previous }: Key, now: number): number {
  if (typeof again === "number" && again === previous?.until) return Math.max(again, now);
  throw new DashboardError(
    "invalid_request",
    "The key was rotated by someone else in the meantime. Reload the page.",
  );
}

/** Revoking a revoked key succeeds and does nothing. */
export async function revokeKey(context: RequestContext): Promise<Response> {
  const { deps, now, id } = context;
  const { ledger } = deps.accountDeps;
  const [member, keys] = await readAsMember(context, ({ account }) => ledger.listKeys({ account }));
  const before = findKey(keys, id);
  let recording = Promise.resolve();
  if (before.revokedAt === null) {
    await ledger.revokeKey({ account: member.account, id, now });
    const facts = keyFacts(before);
    recording = recordEvent(context, member.user, "key_revoked", before.label, { facts });
  }
  return json({ key: await viewChanged(context, member, id, recording) });
}

async function viewKeys(
  { deps, now }: RequestContext,
  { account }: Pick<Member, "account">,
): Promise<KeyView[]> {
  const { ledger } = deps.accountDeps;
  const [keys, used] = await Promise.all([
    ledger.listKeys({ account }),
    recentCalls(ledger, account, now - DAY_MS),
  ]);
  const calls = used && new Map(used.map((row) => [row.key, row.calls]));
  return keys.map((key) => view(key, calls && (calls.get(key.id) ?? 0), now));
}

/** The key after a change, which is recorded meanwhile; it is also recorded if the key cannot be read. */
async function viewChanged(
  context: RequestContext,
  member: Member,
  id: string,
  recording: Promise<void>,
): Promise<KeyView> {
  return findKey(await viewKeys(context, member).finally(() => recording), id);
}

function findKey<Found extends { id: string }>(keys: readonly Found[], id: string): Found {
  const found = keys.find((key) => key.id === id);
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
  return {
    // A body without either is one without a label.
    ...(label === undefined && limits !== undefined
      ? {}
      : { label: readLabel(typeof label === "string" ? label : "") }),
    ...(limits === undefined
      ? {}
      : { limits: readKeyLimits(limits, keyBounds, context.now, before) }),
  };
}

const noSuchKey = () => new DashboardError("not_found", "This account has no such key.");
