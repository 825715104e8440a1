import { EMAILS_BEFORE_CREDITS_WAIT, QUEUED_EMAILS_MAX } from "./bounds.ts";
import type { EmailKind } from "./mail.ts";

/**
 * Who can cause a letter. `notice`: only who has the account; `credits`: their calls and time. The others anybody can who types an address, so they are
 * counted for each recipient (`bounds.ts`); the one that gets an owner back in apart from the rest, so that
 * sign-ups with somebody's address do not use it up.
 */
export type EmailGroup = "notice" | "credits" | "asked" | "reset";

const GROUPS: Record<EmailKind, EmailGroup> = {
  verify_address: "asked",
  address_in_use: "asked",
  confirm_address_change: "asked",
  verify_new_address: "asked",
  reset_password: "reset",
  address_changed: "notice",
  password_changed: "notice",
  key_created: "notice",
  key_revoked: "notice",
  account_closed: "notice",
  credits_low: "credits",
  credits_depleted: "credits",
  credits_expiring: "credits",
  other: "notice",
};

export const groupOf = (kind: EmailKind): EmailGroup => GROUPS[kind];

export const isAskedFor = (kind: EmailKind): boolean =>
  GROUPS[kind] === "asked" || GROUPS[kind] === "reset";

/** The kinds of a group, for a store that counts its letters. */
export const kindsOf = (group: EmailGroup): EmailKind[] =>
  (Object.keys(GROUPS) as EmailKind[]).filter((kind) => GROUPS[kind] === group);

/** With how many waiting letters, of whatever kind, one of this kind finds the queue full. */
export const queueLimitOf = (kind: EmailKind): number =>
  GROUPS[kind] === "credits" ? EMAILS_BEFORE_CREDITS_WAIT : QUEUED_EMAILS_MAX;
