/**
 * The letterbox: the port through which the service writes to people. A letter that was posted is kept until a
 * transport has taken it, so a mail server that is slow or gone delays letters and nothing else.
 */
export type Email = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** What it is about, for the log: the letter itself is never logged. */
  kind?: EmailKind;
  /** When its link ends: a letter that is still waiting then is dropped. Milliseconds since 1970 UTC. */
  usefulUntil?: number | null;
  /** Where a single POST unsubscribes from letters of its sort (RFC 8058): it goes into its header. */
  unsubscribe?: string;
};

export type EmailKind =
  | "verify_address"
  | "reset_password"
  | "address_in_use"
  | "confirm_address_change"
  | "verify_new_address"
  | "address_changed"
  | "password_changed"
  | "key_created"
  | "key_revoked"
  | "account_closed"
  | "credits_low"
  | "credits_depleted"
  | "credits_expiring"
  | "other";

export type Mail = {
  /**
   * Resolves when the letter is kept durably; it goes out later, and again until it is taken.
   * A letter beyond the bounds of the queue is left out with a complaint, never with a refusal: what it tells of was
   * done already. `fault`: why it was left out, without its address; null where it was kept.
   */
  post(email: Email): Promise<{ fault: string | null }>;
};
