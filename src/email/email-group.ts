import { EMAILS_BEFORE_CREDITS_WAIT, QUEUED_EMAILS_MAX } from "./bounds.ts";
import type { EmailKind } from "./mail.ts";

/**
 * Who can cause an email, which determines how it is limited:
 * - `notification`: only the account's owner or the operator.
 * - `closing`: the same, but counted separately, so that queued notifications cannot displace the last email.
 * - `credits`: the account's calls, or time.
 * - `requested` and `reset`: anyone who enters the address, without signing in. They are counted for each recipient
 *   (`bounds.ts`). Password resets have their own count, so that sign-ups with someone else's address cannot use it up.
 */
export type EmailGroup = "notification" | "closing" | "credits" | "requested" | "reset";

const GROUPS: Record<EmailKind, EmailGroup> = {
  verify_address: "requested",
  address_in_use: "requested",
  confirm_address_change: "requested",
  verify_new_address: "requested",
  reset_password: "reset",
  address_changed: "notification",
  account_closed: "closing",
  new_sign_in: "notification",
  password_changed: "notification",
  password_removed: "notification",
  email_changed: "notification",
  provider_linked: "notification",
  passkey_added: "notification",
  passkey_removed: "notification",
  totp_added: "notification",
  totp_removed: "notification",
  recovery_codes_replaced: "notification",
  recovery_code_used: "notification",
  factors_reset: "notification",
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

/** Whether anyone can cause an email of this kind without signing in. */
export const isRequestable = (kind: EmailKind): boolean =>
  GROUPS[kind] === "requested" || GROUPS[kind] === "reset";

/** The kinds of a group, for stores that count its emails. */
export const kindsOf = (group: EmailGroup): EmailKind[] =>
  (Object.keys(GROUPS) as EmailKind[]).filter((kind) => GROUPS[kind] === group);

/** The number of queued emails, of all kinds, at which the queue is full for an email of this kind. */
export const queueLimitOf = (kind: EmailKind): number =>
  GROUPS[kind] === "credits" ? EMAILS_BEFORE_CREDITS_WAIT : QUEUED_EMAILS_MAX;
