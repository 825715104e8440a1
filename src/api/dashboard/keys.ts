import { createKey, DeskRefusal, readLabel } from "#accounts/people.ts";
import type { Key } from "#ledger/port.ts";
import { DAY_MS, KEYS_PER_ACCOUNT_MAX } from "#limits.ts";
import { PeopleFault } from "./dashboard-error.ts";
import {
  json,
  type Member,
  note,
  readJson,
  requireActiveMember,
  requireMember,
  tell,
  type Visit,
} from "./request-context.ts";
import type { KeyView } from "./shapes.ts";

export async function listKeys(visit: Visit): Promise<Response> {
  const member = await requireMember(visit);
  const keys = await viewKeys(visit, member);
  const old = keys
    .filter(({ revokedAt }) => revokedAt !== null && revokedAt < visit.now - OLD_MS)
    .sort((a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0))
    .slice(OLD_SHOWN_MAX);
  const hidden = new Set(old.map(({ id }) => id));
  return json({ keys: keys.filter(({ id }) => !hidden.has(id)) });
}

/** A key stays in the books for ever, so making and revoking has a bound, and the list of them one too. */
const MADE_A_DAY_MAX = 100;
const OLD_MS = 90 * DAY_MS;
const OLD_SHOWN_MAX = 100;

/** One at a time for an account, so that many at once do not pass the limit together. */
export function createMakeKey() {
  const last = new Map<string, Promise<unknown>>();
  return async (visit: Visit): Promise<Response> => {
    const member = await requireActiveMember(visit);
    const label = await readKeyLabel(visit);
    const { account } = member;
    const before = last.get(account) ?? Promise.resolve();
    const making = before.then(() => makeKey(visit, member, label));
    const settled = making.catch(() => {});
    last.set(account, settled);
    try {
      return await making;
    } finally {
      if (last.get(account) === settled) last.delete(account);
    }
  };
}

async function makeKey(visit: Visit, member: Member, label: string): Promise<Response> {
  const { house, now } = visit;
  const { ledger } = house.desk;
  const keys = await ledger.listKeys({ account: member.account });
  if (keys.filter(({ revokedAt }) => revokedAt === null).length >= KEYS_PER_ACCOUNT_MAX) {
    throw new PeopleFault(
      "invalid_request",
      `An account has at most ${KEYS_PER_ACCOUNT_MAX} keys. Revoke one that you no longer use.`,
    );
  }
  const made = keys.map(({ createdAt }) => createdAt).filter((at) => at > now - DAY_MS);
  if (made.length >= MADE_A_DAY_MAX) {
    const first = made.sort((a, b) => b - a)[MADE_A_DAY_MAX - 1] ?? now;
    throw new PeopleFault(
      "too_many_requests",
      `An account makes at most ${MADE_A_DAY_MAX} keys within 24 hours, revoked ones among them. Make the next one later.`,
      Math.max(1, Math.ceil((first + DAY_MS - now) / 1_000)),
    );
  }
  const { id, key: secret } = await createKey(house.desk, member.account, label, now);
  const key = await viewKey(visit, member, id);
  await note(visit, member.person.id, "key_created", label);
  await tell(visit, house.letters.keyCreated(member.person.email, key));
  return json({ key, secret }, 201);
}

export async function renameKey(visit: Visit): Promise<Response> {
  const member = await requireMember(visit);
  const { house, id } = visit;
  const label = await readKeyLabel(visit);
  const { found } = await house.desk.ledger.relabelKey({ account: member.account, id, label });
  if (!found) throw noSuchKey();
  const person = member.person.id;
  await note(visit, person, "key_renamed", label);
  return json({ key: await viewKey(visit, member, id) });
}

/** Revoking twice is no fault; the second time nothing is told. */
export async function revokeKey(visit: Visit): Promise<Response> {
  const member = await requireMember(visit);
  const { house, now, id } = visit;
  const before = await viewKey(visit, member, id);
  if (before.revokedAt === null) {
    await house.desk.ledger.revokeKey({ account: member.account, id, now });
    const { id: person, email } = member.person;
    await note(visit, person, "key_revoked", before.label);
    await tell(visit, house.letters.keyRevoked(email, before));
  }
  return json({ key: await viewKey(visit, member, id) });
}

async function viewKeys({ house, now }: Visit, { account }: Member): Promise<KeyView[]> {
  const { ledger } = house.desk;
  const keys = await ledger.listKeys({ account });
  const used = await ledger.recentCalls({ account, from: now - DAY_MS });
  const calls = new Map(used.map((row) => [row.key, row.calls]));
  return keys.map((key) => view(key, calls.get(key.id) ?? 0));
}

async function viewKey(visit: Visit, member: Member, id: string): Promise<KeyView> {
  const found = (await viewKeys(visit, member)).find((key) => key.id === id);
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

async function readKeyLabel(visit: Visit): Promise<string> {
  const { label } = await readJson(visit);
  try {
    return readLabel(typeof label === "string" ? label : "");
  } catch (error) {
    if (error instanceof DeskRefusal) throw new PeopleFault("invalid_request", error.message);
    throw error;
  }
}

const noSuchKey = () => new PeopleFault("not_found", "This account has no such key.");
