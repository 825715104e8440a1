import { EMAILS_BEFORE_CREDITS_WAIT, QUEUED_EMAILS_MAX } from "./bounds.ts";
import type { EmailKind } from "./mail.ts";

/**
 * Who can cause an email, which determines how it is limited:
 * - `notification`: only the account's owner or the operator.
 * - `closing`: the same, but counted separately, so that queued notifications cannot displace the last email.
 * - `credits`: the account's calls, or time.
 * - `sign_up`, `sign_in`, `known` and `change`: whoever enters the address. `sign_up` goes to addresses without an account, `sign_in` to
 *   those of accounts, `known` is caused in a browser in which the owner of the account has signed in before, and `change` goes to an
 *   address to which a signed-in user wants to move. Each has bounds of its own (`bounds.ts`, `requested-bounds.ts`), so that a flood of
 *   unknown addresses uses nothing of the accounts, and others use nothing of their owners.
 */
export type RequestedGroup = "sign_up" | "sign_in" | "known" | "change";
export type EmailGroup = "notification" | "closing" | "credits" | RequestedGroup;

export const REQUESTED_GROUPS: readonly RequestedGroup[] = [
  "sign_up",
  "sign_in",
  "known",
  "change",
];

const GROUPS: Record<EmailKind, EmailGroup> = {
  sign_up_code: "sign_up",
  sign_in_code: "sign_in",
  known_sign_in_code: "known",
  new_address_code: "change",
  address_in_use: "change",
  address_changed: "notification",
  account_closed: "closing",
  passwords_retired: "notification",
  new_sign_in: "notification",
  email_changed: "notification",
  email_change_undone: "notification",
  provider_linked: "notification",
  passkey_added: "notification",
  passkey_removed: "notification",
  passkey_demanded: "notification",
  passkey_not_demanded: "notification",
  passkeys_reset: "notification",
  key_created: "notification",
  key_limited: "notification",
  key_rotated: "notification",
  key_revoked: "notification",
  endpoint_added: "notification",
  endpoint_changed: "notification",
  endpoint_secret_rotated: "notification",
  data_exported: "notification",
  security_summary: "notification",
  credits_low: "credits",
  credits_depleted: "credits",
  credits_expiring: "credits",
  other: "notification",
};

export const groupOf = (kind: EmailKind): EmailGroup => GROUPS[kind];

/** The group of an email that anyone can cause without signing in; null for any other. */
export const requestedGroupOf = (kind: EmailKind): RequestedGroup | null =>
  REQUESTED_GROUPS.find((group) => group === GROUPS[kind]) ?? null;

/** The kinds of a group, for stores that count its emails. */
export const kindsOf = (group: EmailGroup): EmailKind[] =>
  (Object.keys(GROUPS) as EmailKind[]).filter((kind) => GROUPS[kind] === group);

/** The number of queued emails, of all kinds, at which the queue is full for an email of this kind. */
export const queueLimitOf = (kind: EmailKind): number =>
  GROUPS[kind] === "credits" ? EMAILS_BEFORE_CREDITS_WAIT : QUEUED_EMAILS_MAX;
