import { createEmails } from "#email/emails.ts";
import { type AuthOptions, RESET_LINK_SECONDS, VERIFY_LINK_SECONDS } from "./auth-options.ts";

/** Queues the emails of sign-in and account changes, with links to the pages that handle them. */
export function accountEmails({
  publicUrl,
  mail,
  now,
}: Pick<AuthOptions, "publicUrl" | "mail" | "now">) {
  const emails = createEmails(publicUrl);

  function link(to: string, path: string, parameters: Record<string, string>, seconds: number) {
    const at = now();
    const query = new URLSearchParams(parameters).toString();
    return { to, link: `${publicUrl}${path}?${query}`, now: at, expiresAt: at + seconds * 1_000 };
  }
  const verifyLink = (to: string, token: string) =>
    link(to, "/verify-email", { token }, VERIFY_LINK_SECONDS);
  const resetLink = (to: string, token: string) =>
    link(to, "/reset-password", { token }, RESET_LINK_SECONDS);

  return {
    verifyAddress: (to: string, token: string) =>
      mail.enqueue(emails.verifyAddress(verifyLink(to, token))),
    resetPassword: (to: string, token: string) =>
      mail.enqueue(emails.resetPassword(resetLink(to, token))),
    addressInUse: (to: string) => mail.enqueue(emails.addressInUse({ to })),
    /** To the old address, for approval. */
    confirmAddressChange: (to: string, newAddress: string, token: string) =>
      mail.enqueue(emails.confirmAddressChange({ ...verifyLink(to, token), newAddress })),
    /** To the new address, for confirmation. */
    verifyNewAddress: (to: string, token: string) =>
      mail.enqueue(emails.verifyNewAddress(verifyLink(to, token))),
    /** To the old address, after the change. It is queued with the event in the activity log. */
    addressChanged: emails.addressChanged,
    accountClosed: (to: string) => mail.enqueue(emails.accountClosed({ to, at: now() })),
  };
}
