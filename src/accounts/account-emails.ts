import type { EmailSender } from "#email/email-layout.ts";
import { type CodeEmail, createEmails, type SignInEmail } from "#email/emails.ts";
import { DAY_MS } from "#limits.ts";
import { ATTEMPT_MINUTES } from "./attempts.ts";
import type { AuthOptions } from "./auth-options.ts";
import { keyedHex } from "./keyed-hash.ts";

/**
 * The keyed hash of the network whose emails are counted together: a /24 of IPv4, a /48 of IPv6, because an attacker has many
 * /64s. `network`: as the request handler passes it; empty where it is unknown.
 */
export function requesterNetwork(network: string | null, secret: string): string {
  if (network === null) return "";
  const wide = network.includes(":") ? network.split(":").slice(0, 3).join(":") : network;
  return keyedHex(secret, `toolbooth email network ${wide}`).slice(0, 32);
}

/** How long the old address can undo a change. */
export const UNDO_MS = 3 * DAY_MS;

/** The page of a link in an email. The secret is in the fragment, which browsers do not send; the page posts it. */
const linkTo = ({ publicUrl }: EmailSender, path: string, secret: string) =>
  `${publicUrl}${path}#${secret}`;

/** To the old address, after the change. It is queued with the change. */
export function addressChangedEmail(
  sender: EmailSender,
  order: {
    to: string;
    newAddress: string;
    origin: readonly (readonly [name: string, value: string])[];
    /** The secret of the link that undoes it; null: the change cannot be undone. */
    undo: string | null;
    now: number;
  },
) {
  const { undo, now, ...rest } = order;
  return createEmails(sender).addressChanged({
    ...rest,
    undo:
      undo === null
        ? null
        : {
            link: linkTo(sender, "/undo-email-change", undo),
            now,
            expiresAt: now + UNDO_MS,
          },
  });
}

type SentCode = Pick<CodeEmail, "to" | "code" | "origin"> & { network: string };

/** Queues the emails of sign-in and account changes. `network`: that of the request; empty where no bound counts it. */
export function accountEmails(
  sender: EmailSender,
  { mail, now }: Pick<AuthOptions, "mail" | "now">,
) {
  const emails = createEmails(sender);
  const times = () => ({ now: now(), expiresAt: now() + ATTEMPT_MINUTES * 60_000 });
  return {
    signInCode: (
      kind: SignInEmail["kind"],
      { network, link, ...code }: SentCode & { link: string },
    ) =>
      mail.enqueue({
        ...emails.signInCode({
          ...{ kind, ...code, ...times() },
          link: linkTo(sender, "/sign-in/link", link),
        }),
        network,
      }),
    /** To the new address. */
    newAddressCode: ({ network, ...code }: SentCode) =>
      mail.enqueue({ ...emails.newAddressCode({ ...code, ...times() }), network }),
    addressInUse: (to: string, network: string) =>
      mail.enqueue({ ...emails.addressInUse({ to }), network }),
    prepare: mail.prepare,
    accountClosed: (to: string) => mail.enqueue(emails.accountClosed({ to, at: now() })),
  };
}
