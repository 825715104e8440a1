import { DAY_MS, ROTATION_DAYS_MAX } from "#limits.ts";
import { OrderRejected } from "../outcome-errors.ts";
import type { Order, Outcome } from "../port.ts";
import { spentUnder } from "./key-limits.ts";
import { type KeyRow, type Needs, type Rows, unchanged, type Verdict } from "./rows.ts";

/** Creating, revoking, changing and rotating API keys. */

export const needsOfKey = ({ id }: { id: string }): Needs => ({ key: id });

/** Of a new key, and of one that gets a new secret. */
export const needsOfNewSecret = ({ id, sha256 }: { id: string; sha256: string }): Needs => ({
  key: id,
  newKey: { id, sha256 },
});

/** A key that the account already has was made by the same order, which was sent again because its response was lost. */
export function decideKeyCreation(
  { account, key, isKeyTaken }: Rows,
  { id, sha256, start, label, limits = null, now }: Order<"createKey">,
): Verdict<Outcome<"createKey">> {
  if (key != null) return unchanged({ outcome: "created" });
  if (account === null || account.state === "closed") return unchanged({ outcome: "no_account" });
  if (isKeyTaken) return unchanged({ outcome: "taken" });
  const unused = { limits: null, lastUsedAt: null, spent: null };
  const made: KeyRow = {
    no: 0,
    id,
    sha256,
    start,
    label,
    createdAt: now,
    ...unused,
    revokedAt: null,
    previousSha256: null,
    previousUntil: null,
    limits,
    spent: spentUnder(limits, unused, now),
  };
  const events = [{ kind: "key.created" as const, key: { id, label, start } }];
  return { outcome: { outcome: "created" }, changes: { key: made, events } };
}

/** A key that is already revoked keeps its time of revocation. */
export function decideRevocation(
  { account, key }: Rows,
  { now }: Order<"revokeKey">,
): Verdict<Outcome<"revokeKey">> {
  if (account === null || key == null) return unchanged({ found: false });
  if (key.revokedAt !== null) return unchanged({ found: true });
  const revoked = { ...key, revokedAt: now };
  if (account.state === "closed") return { outcome: { found: true }, changes: { key: revoked } };
  const { id, label, start } = key;
  const events = [{ kind: "key.revoked" as const, key: { id, label, start } }];
  return { outcome: { found: true }, changes: { key: revoked, events } };
}

/** The limits of a revoked key do not matter any more, so they stay. */
export function decideKeyChange(
  { account, key }: Rows,
  { label, limits, now }: Order<"changeKey">,
): Verdict<Outcome<"changeKey">> {
  const isOver = limits !== undefined && key?.revokedAt != null;
  if (account === null || account.state === "closed" || key == null || isOver)
    return unchanged({ found: false });
  const labelled = { ...key, label: label ?? key.label };
  if (limits === undefined) return { outcome: { found: true }, changes: { key: labelled } };
  const spent = spentUnder(limits, key, now);
  return { outcome: { found: true }, changes: { key: { ...labelled, limits, spent } } };
}

/** A key that has the new secret already was rotated by the same order, which was sent again because its response was lost. */
export function decideRotation(
  { account, key, isKeyTaken }: Rows,
  { sha256, start, previousUntil, now }: Order<"rotateKey">,
): Verdict<Outcome<"rotateKey">> {
  if (!(previousUntil >= now && previousUntil <= now + ROTATION_DAYS_MAX * DAY_MS))
    throw new OrderRejected(`The old secret can work for at most ${ROTATION_DAYS_MAX} days`);
  if (account === null || account.state === "closed" || key == null)
    return unchanged({ outcome: "not_found" });
  if (key.sha256 === sha256) return unchanged({ outcome: "rotated" });
  if (key.revokedAt !== null) return unchanged({ outcome: "revoked" });
  if (isKeyTaken || key.previousSha256 === sha256) return unchanged({ outcome: "taken" });
  // The same end means the same order: its response was lost, and the secret in it, which no client received, must not drop the old one.
  const isAgain = key.previousUntil === previousUntil;
  const previousSha256 = isAgain ? key.previousSha256 : key.sha256;
  const rotated = { ...key, sha256, start, previousSha256, previousUntil };
  return { outcome: { outcome: "rotated" }, changes: { key: rotated } };
}
