import type { LetterKind } from "./mail.ts";

/**
 * Who can cause a letter. `notice`: only who has the account. The others anybody can who types an address, so they are
 * counted for each recipient (`bounds.ts`); the one that gets an owner back in apart from the rest, so that
 * sign-ups with somebody's address do not use it up.
 */
export type LetterGroup = "notice" | "asked" | "reset";

const GROUPS: Record<LetterKind, LetterGroup> = {
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
  other: "notice",
};

export const groupOf = (kind: LetterKind): LetterGroup => GROUPS[kind];

/** The kinds of notices, for a store that counts them. */
export const NOTICE_KINDS = (Object.keys(GROUPS) as LetterKind[]).filter(
  (kind) => GROUPS[kind] === "notice",
);
