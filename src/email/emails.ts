/**
 * The content of every email. Subjects are fixed, so no user input reaches a header. Labels and addresses go through
 * `oneLine`, and the layout escapes them.
 */
import { EMAIL_CHARS_MAX } from "#limits.ts";
import { type CreditSales, topUp } from "#top-up.ts";
import { creditEmails } from "./credit-emails.ts";
import { type EmailDraft, formatTime, layOut } from "./email-layout.ts";
import type { Email } from "./mail.ts";
import { oneLine } from "./one-line.ts";

/** Times in milliseconds since 1970 UTC; `to` must be a plain address (`isPlainAddress`). */
type LinkEmail = { to: string; link: string; now: number; expiresAt: number };
type NotificationEmail = { to: string; at: number };
/** `origin`: when and from where the address was changed. */
type AddressChangedEmail = {
  to: string;
  newAddress: string;
  origin: readonly (readonly [name: string, value: string])[];
};

/** `site`: the public URL of the service, without a trailing slash. `sales`: how it sells credits; null: not known. */
export function createEmails(site: string, sales: CreditSales | null = null) {
  const write = (draft: EmailDraft) => layOut(draft, site);
  return {
    ...linkEmails(site, write),
    ...accountEmails(site, write),
    ...creditEmails(site, topUp(sales, site), write),
  };
}

type Write = (draft: EmailDraft) => Email;

const IGNORE = "If it wasn't you, you can ignore this email.";
const NO_ACTION = "If you made this change, you don't need to do anything.";

function linkEmails(site: string, write: Write) {
  return {
    verifyAddress: ({ to, link, now, expiresAt }: LinkEmail) =>
      write({
        to,
        kind: "verify_address",
        subject: "Confirm your email address",
        heading: "Confirm your email address",
        blocks: [
          "Thanks for signing up for Toolbooth. Confirm your email address, and your first API key is one click away.",
          { link, label: "Confirm email address" },
          expiryText(now, expiresAt),
          "Open the link in the browser in which you signed up: it signs you in. In any other browser, such as on your phone, you set a new password first.",
        ],
        why: `You received this email because someone signed up for Toolbooth with this address. ${IGNORE}`,
        usefulUntil: expiresAt,
      }),
    resetPassword: ({ to, link, now, expiresAt }: LinkEmail) =>
      write({
        to,
        kind: "reset_password",
        subject: "Reset your Toolbooth password",
        heading: "Reset your password",
        blocks: [
          "We received a request to reset the password of your Toolbooth account. Your current password keeps working until you choose a new one.",
          { link, label: "Reset password" },
          `${expiryText(now, expiresAt)} You can use it once.`,
        ],
        why: `You received this email because someone asked to reset your password. ${IGNORE}`,
        usefulUntil: expiresAt,
      }),
    /** To the old address, to ask whether the address may be changed. */
    confirmAddressChange: ({ newAddress, ...order }: LinkEmail & { newAddress: string }) =>
      write({
        to: order.to,
        kind: "confirm_address_change",
        subject: "Approve the change of your email address",
        heading: "Change your email address?",
        blocks: [
          "Someone who is signed in to your Toolbooth account asked to change its email address.",
          { facts: [["New email address", oneLine(newAddress, EMAIL_CHARS_MAX)]] },
          "If it was you, approve the change. We then send a confirmation email to the new address.",
          { link: order.link, label: "Approve the change" },
          expiryText(order.now, order.expiresAt),
          `If it wasn't you, don't use the link, and reset your password right away: ${site}/forgot-password`,
        ],
        why: "You received this email because this is the address of your Toolbooth account. Nothing changes unless you approve.",
        usefulUntil: order.expiresAt,
      }),
    /** To the new address, which may belong to someone else, so the email does not contain the old one. */
    verifyNewAddress: ({ to, link, now, expiresAt }: LinkEmail) =>
      write({
        to,
        kind: "verify_new_address",
        subject: "Confirm your new email address",
        heading: "Confirm your new email address",
        blocks: [
          "Confirm that this email address is yours. After that, you sign in to Toolbooth with it.",
          { link, label: "Confirm new email address" },
          expiryText(now, expiresAt),
        ],
        why: `You received this email because someone asked to use this address for their Toolbooth account. ${IGNORE}`,
        usefulUntil: expiresAt,
      }),
  };
}

function accountEmails(site: string, write: Write) {
  return {
    /** Someone signed up with this address, or asked to move another account to it. */
    addressInUse: ({ to }: { to: string }) =>
      write({
        to,
        kind: "address_in_use",
        subject: "You already have a Toolbooth account",
        heading: "You already have an account",
        blocks: [
          "Someone tried to use this email address for another Toolbooth account, but it already belongs to yours. Your account has not changed. If it was you, sign in:",
          { link: `${site}/sign-in`, label: "Sign in" },
          `Forgot your password? Reset it: ${site}/forgot-password`,
        ],
        why: `You received this email because someone entered this address at Toolbooth. ${IGNORE}`,
      }),
    /** To the old address, after the change. */
    addressChanged: ({ to, newAddress, origin }: AddressChangedEmail) =>
      write({
        to,
        kind: "address_changed",
        subject: "Your email address was changed",
        heading: "Your email address was changed",
        blocks: [
          "Your Toolbooth account has a new email address. Sign in with it from now on. We will send all future emails to that address.",
          {
            facts: [["New email address", oneLine(newAddress, EMAIL_CHARS_MAX)], ...origin],
          },
          `If you didn't make this change, someone else may have access to your account. Contact the operator of ${site} right away.`,
        ],
        why: `You received this email because this was the address of your Toolbooth account. This is the last email that we will send to this address. ${NO_ACTION}`,
      }),
    accountClosed: ({ to, at }: NotificationEmail) =>
      write({
        to,
        kind: "account_closed",
        subject: "Your account was closed",
        heading: "Your account was closed",
        blocks: [
          "Your Toolbooth account was closed. Its API keys no longer work, its credits are gone, and we deleted your email address. This can't be undone.",
          { facts: [["Date", formatTime(at)]] },
          `If you didn't close it, contact the operator of ${site}.`,
        ],
        why: "You received this email because this was the address of the account. This is the last email that we will send to this address. If you closed the account, you don't need to do anything.",
      }),
  };
}

const expiryText = (now: number, expiresAt: number) =>
  `This link expires in ${durationText(expiresAt - now)}, on ${formatTime(expiresAt)}.`;

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/**
 * Formats a duration in the largest unit that fits exactly once or at least twice: `90 minutes`, `1 day`. It rounds
 * down, so that a link never expires earlier than its email says.
 */
export function durationText(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each || ms === each) ?? [
    "minute",
    60_000,
  ];
  const count = Math.max(1, Math.floor(ms / unitMs));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
