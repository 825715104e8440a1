import { createEmails } from "#email/emails.ts";
import { type AuthOptions, RESET_LINK_SECONDS, VERIFY_LINK_SECONDS } from "./auth-options.ts";

/** The letters of the sign-in, with the addresses of the pages that their links lead to. */
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
  const verifyLink = (to: string, parameters: Record<string, string>) =>
    link(to, "/verify-email", parameters, VERIFY_LINK_SECONDS);

  return {
    verify: (to: string, token: string) =>
      mail.post(emails.verifyAddress(verifyLink(to, { token }))),
    reset: (to: string, token: string) =>
      mail.post(emails.resetPassword(link(to, "/reset-password", { token }, RESET_LINK_SECONDS))),
    alreadyHere: (to: string) => mail.post(emails.addressInUse({ to })),
    /** To the old address: may it be changed? */
    confirmMove: (to: string, newAddress: string, token: string) =>
      mail.post(emails.confirmAddressChange({ ...verifyLink(to, { token }), newAddress })),
    /** To the new address: is it yours? */
    verifyMove: (to: string, token: string) =>
      mail.post(emails.verifyNewAddress(verifyLink(to, { token }))),
    moved: (to: string, newAddress: string) =>
      mail.post(emails.addressChanged({ to, newAddress, at: now() })),
    passwordChanged: (to: string) => mail.post(emails.passwordChanged({ to, at: now() })),
    closed: (to: string) => mail.post(emails.accountClosed({ to, at: now() })),
    keyCreated: (to: string, key: { label: string; start: string }) =>
      mail.post(emails.keyCreated({ to, at: now(), label: key.label, start: key.start })),
    keyRevoked: (to: string, key: { label: string; start: string }) =>
      mail.post(emails.keyRevoked({ to, at: now(), label: key.label, start: key.start })),
  };
}
