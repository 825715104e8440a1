import { createLetters } from "#email/emails.ts";
import { type AuthOptions, RESET_LINK_SECONDS, VERIFY_LINK_SECONDS } from "./auth-options.ts";

/** The letters of the sign-in, with the addresses of the pages that their links lead to. */
export function accountLetters({
  publicUrl,
  mail,
  now,
}: Pick<AuthOptions, "publicUrl" | "mail" | "now">) {
  const letters = createLetters(publicUrl);

  function link(to: string, path: string, parameters: Record<string, string>, seconds: number) {
    const at = now();
    const query = new URLSearchParams(parameters).toString();
    return { to, link: `${publicUrl}${path}?${query}`, now: at, expiresAt: at + seconds * 1_000 };
  }
  const verifyLink = (to: string, parameters: Record<string, string>) =>
    link(to, "/verify-email", parameters, VERIFY_LINK_SECONDS);

  return {
    verify: (to: string, token: string) =>
      mail.post(letters.verifyAddress(verifyLink(to, { token }))),
    reset: (to: string, token: string) =>
      mail.post(letters.resetPassword(link(to, "/reset-password", { token }, RESET_LINK_SECONDS))),
    alreadyHere: (to: string) => mail.post(letters.addressInUse({ to })),
    /** To the old address: may it be changed? */
    confirmMove: (to: string, newAddress: string, token: string) =>
      mail.post(letters.confirmAddressChange({ ...verifyLink(to, { token }), newAddress })),
    /** To the new address: is it yours? */
    verifyMove: (to: string, token: string) =>
      mail.post(letters.verifyNewAddress(verifyLink(to, { token }))),
    moved: (to: string, newAddress: string) =>
      mail.post(letters.addressChanged({ to, newAddress, at: now() })),
    passwordChanged: (to: string) => mail.post(letters.passwordChanged({ to, at: now() })),
    closed: (to: string) => mail.post(letters.accountClosed({ to, at: now() })),
    keyCreated: (to: string, key: { label: string; start: string }) =>
      mail.post(letters.keyCreated({ to, at: now(), label: key.label, start: key.start })),
    keyRevoked: (to: string, key: { label: string; start: string }) =>
      mail.post(letters.keyRevoked({ to, at: now(), label: key.label, start: key.start })),
  };
}
