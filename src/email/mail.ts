import { EMAIL_CHARS_MAX } from "#limits.ts";

/** An email to one recipient, and the port through which the service sends it. */
export type Email = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** What the email is about. Logs name the kind, never the content. */
  kind?: EmailKind;
  /** When its link expires; an email that is still queued then is dropped. Milliseconds since 1970 UTC; null: never. */
  usefulUntil?: number | null;
  /** URL at which a single POST unsubscribes from emails on this topic (RFC 8058), for the email's headers. */
  unsubscribe?: string;
  /** For emails that anyone can request: the keyed hash of the network that causes it; omitted where no bound counts it. */
  network?: string;
};

export type Mail = {
  /**
   * Queues an email and resolves when it is stored durably. The sender retries until a transport accepts it, so a mail server
   * that is slow or down delays emails and nothing else.
   *
   * An email beyond the bounds of the queue is dropped and logged. The promise does not reject, because what the email
   * reports has already happened. `error` says why the email was dropped, without naming the recipient; null if it was
   * queued.
   */
  enqueue(email: Email): Promise<{ error: string | null }>;
};

/**
 * Who can cause an email, which determines how it is limited:
 * - `notification`: only the account's owner or the operator.
 * - `closing`: the same, but counted separately, so that queued notifications cannot displace the last email.
 * - `credits`: the account's calls, or time.
 * - `sign_up`, `sign_in`, `known` and `change`: anyone who enters the address. `sign_up` goes to addresses without an account, `sign_in` to
 *   those of accounts, `known` is caused in a browser in which the owner of the account has signed in before, and `change` goes to an
 *   address to which a signed-in user wants to move. Each has bounds of its own (`bounds.ts`), so that a flood of
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

/** Emails about security events of an account (`accounts/security-emails.ts`). */
const SECURITY_KINDS = {
  new_sign_in: "notification",
  email_changed: "notification",
  email_change_undone: "notification",
  provider_linked: "notification",
  passkey_added: "notification",
  passkey_removed: "notification",
  passkey_required: "notification",
  passkey_not_required: "notification",
  passkeys_reset: "notification",
  key_created: "notification",
  key_limited: "notification",
  key_rotated: "notification",
  key_revoked: "notification",
  endpoint_added: "notification",
  endpoint_changed: "notification",
  endpoint_secret_rotated: "notification",
  data_exported: "notification",
} as const;
export type SecurityEmailKind = keyof typeof SECURITY_KINDS;

/** Every kind of email, with its group. */
const GROUPS = {
  sign_up_code: "sign_up",
  sign_in_code: "sign_in",
  known_sign_in_code: "known",
  new_address_code: "change",
  address_in_use: "change",
  address_changed: "notification",
  account_closed: "closing",
  passwords_retired: "notification",
  ...SECURITY_KINDS,
  security_summary: "notification",
  credits_low: "credits",
  credits_depleted: "credits",
  credits_expiring: "credits",
  other: "notification",
} as const satisfies Record<string, EmailGroup>;
export type EmailKind = keyof typeof GROUPS;

export const groupOf = (kind: EmailKind): EmailGroup => GROUPS[kind];

/** The group of an email that anyone can cause without signing in; null for any other. */
export const requestedGroupOf = (kind: EmailKind): RequestedGroup | null =>
  REQUESTED_GROUPS.find((group) => group === GROUPS[kind]) ?? null;

/** The kinds of a group, for stores that count its emails. */
export const kindsOf = (group: EmailGroup): EmailKind[] =>
  (Object.keys(GROUPS) as EmailKind[]).filter((kind) => GROUPS[kind] === group);

// User input in an email: one line that cannot reorder or hide the text around it.

/** Control characters, line and paragraph separators, lone surrogates and white space. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\s]+/gu;
/** Bidirectional controls and invisible characters, but not ZWJ and ZWNJ, which some scripts need. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Returns the text as one line of at most `charsMax` code points, cut with an ellipsis. */
export function oneLine(text: string, charsMax: number): string {
  const chars = [...text.replace(INVISIBLE, "").replace(BREAKS, " ").trim()];
  if (chars.length <= charsMax) return chars.join("");
  const start = chars.slice(0, charsMax - 1).join("");
  return `${start.trimEnd()}…`;
}

/**
 * Whether an address can be used unchanged in a header and an envelope: one `@` with text on both sides, no spaces, no
 * control or invisible characters, and none of the specials of RFC 5322, which would make it a list, a name or a
 * comment.
 */
export function isPlainAddress(text: string): boolean {
  return (
    text.length <= EMAIL_CHARS_MAX &&
    /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/.test(text) &&
    text.search(BREAKS) < 0 &&
    text.search(INVISIBLE) < 0
  );
}
