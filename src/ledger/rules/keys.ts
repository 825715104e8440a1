import type { LedgerOperations } from "../port.ts";
import type { KeyRow, Loads, Rows, Verdict } from "./rows.ts";

/** Creating, revoking and labelling API keys. */
type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

export const loadsOfKey = ({ id }: { id: string }): Loads => ({ key: id });

export const loadsOfNewKey = ({ id, sha256 }: Order<"createKey">): Loads => ({
  key: id,
  newKey: { id, sha256 },
});

/** A key that the account already has was made by the same order, which was sent again because its response was lost. */
export function decideKeyCreation(
  { account, key, isKeyTaken }: Rows,
  { id, sha256, start, label, now }: Order<"createKey">,
): Verdict<Outcome<"createKey">> {
  if (key != null) return { outcome: { outcome: "created" }, changes: {} };
  if (account === null || account.state === "closed")
    return { outcome: { outcome: "no_account" }, changes: {} };
  if (isKeyTaken) return { outcome: { outcome: "taken" }, changes: {} };
  const made: KeyRow = {
    no: 0,
    id,
    sha256,
    start,
    label,
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
  };
  const events = [{ kind: "key.created" as const, key: { id, label, start } }];
  return { outcome: { outcome: "created" }, changes: { key: made, events } };
}

/** A key that is already revoked keeps its time of revocation. */
export function decideRevocation(
  { account, key }: Rows,
  { now }: Order<"revokeKey">,
): Verdict<Outcome<"revokeKey">> {
  if (account === null || key == null) return { outcome: { found: false }, changes: {} };
  if (key.revokedAt !== null) return { outcome: { found: true }, changes: {} };
  const revoked = { ...key, revokedAt: now };
  if (account.state === "closed") return { outcome: { found: true }, changes: { key: revoked } };
  const { id, label, start } = key;
  const events = [{ kind: "key.revoked" as const, key: { id, label, start } }];
  return { outcome: { found: true }, changes: { key: revoked, events } };
}

export function decideLabel(
  { account, key }: Rows,
  { label }: Order<"relabelKey">,
): Verdict<Outcome<"relabelKey">> {
  if (account === null || account.state === "closed" || key == null)
    return { outcome: { found: false }, changes: {} };
  return { outcome: { found: true }, changes: { key: { ...key, label } } };
}
