import { bytesToHex } from "@noble/hashes/utils.js";
import { createEmails } from "#email/emails.ts";
import type { Requester } from "#email/requested-bounds.ts";
import { type AuthOptions, RESET_LINK_SECONDS, VERIFY_LINK_SECONDS } from "./auth-options.ts";
import { keyedHash } from "./keyed-hash.ts";

/** Emails that anyone can request count for the network that causes them (`requesterNetwork`). */
const anyone = (network: string) => ({ requester: { kind: "anyone", network } as const });
const verified = (network: string) => ({ requester: { kind: "verified", network } as const });

/**
 * The keyed hash of the network whose emails are counted together: a /24 of IPv4, a /48 of IPv6, because an attacker has many
 * /64s. `network`: as the request handler passes it; empty where it is unknown.
 */
export function requesterNetwork(network: string | null, secret: string): string {
  if (network === null) return "";
  const wide = network.includes(":") ? network.split(":").slice(0, 3).join(":") : network;
  return bytesToHex(keyedHash(secret, `toolbooth email network ${wide}`)).slice(0, 32);
}

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
    verifyAddress: (to: string, token: string, network: string) =>
      mail.enqueue({ ...emails.verifyAddress(verifyLink(to, token)), ...anyone(network) }),
    resetPassword: (to: string, token: string, requester: Requester) =>
      mail.enqueue({ ...emails.resetPassword(resetLink(to, token)), requester }),
    addressInUse: (to: string, network: string) =>
      mail.enqueue({ ...emails.addressInUse({ to }), ...anyone(network) }),
    /** To the old address, for approval. */
    confirmAddressChange: (to: string, newAddress: string, token: string, network: string) =>
      mail.enqueue({
        ...emails.confirmAddressChange({ ...verifyLink(to, token), newAddress }),
        ...verified(network),
      }),
    /** To the new address, for confirmation. */
    verifyNewAddress: (to: string, token: string, network: string) =>
      mail.enqueue({ ...emails.verifyNewAddress(verifyLink(to, token)), ...verified(network) }),
    /** To the old address, after the change. It is queued with the event in the activity log. */
    addressChanged: emails.addressChanged,
    accountClosed: (to: string) => mail.enqueue(emails.accountClosed({ to, at: now() })),
  };
}
