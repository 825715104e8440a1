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

/** Emails about security events of an account (`accounts/security-emails.ts`). */
export type SecurityEmailKind =
  | "new_sign_in"
  | "email_changed"
  | "email_change_undone"
  | "provider_linked"
  | "passkey_added"
  | "passkey_removed"
  | "passkey_demanded"
  | "passkey_not_demanded"
  | "passkeys_reset"
  | "key_created"
  | "key_limited"
  | "key_rotated"
  | "key_revoked"
  | "endpoint_added"
  | "endpoint_changed"
  | "endpoint_secret_rotated"
  | "data_exported";

export type EmailKind =
  | "sign_up_code"
  | "sign_in_code"
  | "known_sign_in_code"
  | "new_address_code"
  | "address_in_use"
  | "address_changed"
  | "account_closed"
  | "passwords_retired"
  | SecurityEmailKind
  | "security_summary"
  | "credits_low"
  | "credits_depleted"
  | "credits_expiring"
  | "other";

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
