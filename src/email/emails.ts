/**
 * Every letter of the service. Subjects are fixed texts: nothing that a person typed gets near a header. What is
 * shown of labels and addresses goes through `oneLine` and is escaped by the layout.
 */
import { EMAIL_CHARS_MAX, KEY_LABEL_CHARS_MAX } from "#limits.ts";
import { creditEmails } from "./credit-emails.ts";
import { type EmailDraft, layOut } from "./email-layout.ts";
import type { Email } from "./mail.ts";
import { oneLine } from "./one-line.ts";
import { timeText } from "./time-text.ts";

/** Times in milliseconds since 1970 UTC; `to` must be an address that stands for itself (`isPlainAddress`). */
type LinkEmail = { to: string; link: string; now: number; expiresAt: number };
type NotificationEmail = { to: string; at: number };
type KeyEmail = NotificationEmail & { label: string; start: string };

/** `site` is the public address of the service, without a slash at its end. */
export function createEmails(site: string) {
  const write = (draft: EmailDraft) => layOut(draft, site);
  return {
    ...linkEmails(site, write),
    ...accountEmails(site, write),
    ...keyEmails(site, write),
    ...creditEmails(site, write),
  };
}

type Write = (draft: EmailDraft) => Email;

const IGNORE =
  "If you did not ask for it, you can ignore this letter: nothing happens without the link.";

function linkEmails(site: string, write: Write) {
  return {
    verifyAddress: ({ to, link, now, expiresAt }: LinkEmail) =>
      write({
        to,
        kind: "verify_address",
        subject: "Confirm your address for Toolbooth",
        heading: "Confirm your address",
        blocks: [
          "One step is left: confirm that this address is yours. Then you can make your first API key.",
          { link, label: "Confirm my address" },
          holds(now, expiresAt),
          "Confirming accepts the password that was chosen at sign-up. If you did not sign up, do not confirm: whoever chose that password would share the account with you.",
        ],
        why: `You get this letter because this address was used to sign up. ${IGNORE}`,
        usefulUntil: expiresAt,
      }),
    resetPassword: ({ to, link, now, expiresAt }: LinkEmail) =>
      write({
        to,
        kind: "reset_password",
        subject: "Choose a new password for Toolbooth",
        heading: "Choose a new password",
        blocks: [
          "With this link you choose a new password. Until then your old one goes on working.",
          { link, label: "Choose a new password" },
          `${holds(now, expiresAt)} It works once.`,
        ],
        why: `You get this letter because a new password was asked for. ${IGNORE}`,
        usefulUntil: expiresAt,
      }),
    /** To the old address: may the address be changed? */
    confirmAddressChange: ({ newAddress, ...order }: LinkEmail & { newAddress: string }) =>
      write({
        to: order.to,
        kind: "confirm_address_change",
        subject: "Confirm the change of your address",
        heading: "Change your address?",
        blocks: [
          "Somebody who is signed in to your account wants to give it another address:",
          { facts: [["New address", shown(newAddress)]] },
          "If that was you, confirm it. The new address then gets a letter of its own.",
          { link: order.link, label: "Change my address" },
          holds(order.now, order.expiresAt),
          `If it was not you, do not open the link, and choose a new password at once: ${site}/forgot-password`,
        ],
        why: "You get this letter because this is the address of your account. Nothing changes without the link.",
        usefulUntil: order.expiresAt,
      }),
    /** To the new address: is it yours? The old one is not named, for the new one may be a stranger's. */
    verifyNewAddress: ({ to, link, now, expiresAt }: LinkEmail) =>
      write({
        to,
        kind: "verify_new_address",
        subject: "Confirm your new address for Toolbooth",
        heading: "Confirm your new address",
        blocks: [
          "Confirm that this address is yours. From then on you sign in with it.",
          { link, label: "Confirm my new address" },
          holds(now, expiresAt),
        ],
        why: `You get this letter because an account is to get this address. ${IGNORE}`,
        usefulUntil: expiresAt,
      }),
  };
}

function accountEmails(site: string, write: Write) {
  return {
    /** Somebody signed up with an address that has an account. */
    addressInUse: ({ to }: { to: string }) =>
      write({
        to,
        kind: "address_in_use",
        subject: "You already have a Toolbooth account",
        heading: "You already have an account",
        blocks: [
          "Somebody, perhaps you, tried to sign up with this address, but it has an account already. Nothing was changed.",
          { link: `${site}/sign-in`, label: "Sign in" },
          `If you do not know your password any more, choose a new one: ${site}/forgot-password`,
        ],
        why: "You get this letter because this address was used to sign up. If that was not you, you can ignore it: your account is as it was.",
      }),
    /** To the old address, once it is done. */
    addressChanged: ({ to, newAddress, at }: NotificationEmail & { newAddress: string }) =>
      write({
        to,
        kind: "address_changed",
        subject: "The address of your account was changed",
        heading: "Your address was changed",
        blocks: [
          "Your account has a new address. From now on you sign in with it, and letters go there.",
          {
            facts: [
              ["New address", shown(newAddress)],
              ["When", timeText(at)],
            ],
          },
          `If this was not you, somebody else may have your account: tell the people who run ${site} at once.`,
        ],
        why: "You get this letter, the last one to this address, because it was the address of your account. If the change was yours, there is nothing to do.",
      }),
    passwordChanged: ({ to, at }: NotificationEmail) =>
      write({
        to,
        kind: "password_changed",
        subject: "Your password was changed",
        heading: "Your password was changed",
        blocks: [
          { facts: [["When", timeText(at)]] },
          "If this was not you, choose a new password at once:",
          { link: `${site}/forgot-password`, label: "Choose a new password" },
        ],
        why: "You get this letter because the password of your account was changed. If that was you, there is nothing to do.",
      }),
    accountClosed: ({ to, at }: NotificationEmail) =>
      write({
        to,
        kind: "account_closed",
        subject: "Your account was closed",
        heading: "Your account was closed",
        blocks: [
          { facts: [["When", timeText(at)]] },
          "Its API keys have stopped working, its credits are gone, and your address was removed. This cannot be undone.",
          `If this was not you, tell the people who run ${site}.`,
        ],
        why: "You get this letter, the last one, because this was the address of the account. If you closed it, there is nothing to do.",
      }),
  };
}

function keyEmails(site: string, write: Write) {
  const keysPage = { link: `${site}/settings/api-keys`, label: "See my API keys" };
  const facts = ({ label, start, at }: KeyEmail) => ({
    facts: [
      ["Label", oneLine(label, KEY_LABEL_CHARS_MAX)],
      ["Starts with", oneLine(start, KEY_START_CHARS_MAX)],
      ["When", timeText(at)],
    ] as const,
  });
  return {
    keyCreated: (key: KeyEmail) =>
      write({
        to: key.to,
        kind: "key_created",
        subject: "A new API key was made",
        heading: "A new API key was made",
        blocks: [
          facts(key),
          "If this was not you, revoke the key, then change your password: whoever has the key spends your credits.",
          keysPage,
        ],
        why: "You get this letter because a key was made for your account. If that was you, there is nothing to do.",
      }),
    keyRevoked: (key: KeyEmail) =>
      write({
        to: key.to,
        kind: "key_revoked",
        subject: "An API key was revoked",
        heading: "An API key was revoked",
        blocks: [
          facts(key),
          "Calls with this key are refused from now on. If this was not you, change your password, then make a new key.",
          keysPage,
        ],
        why: "You get this letter because a key of your account was revoked. If that was you, there is nothing to do.",
      }),
  };
}

const KEY_START_CHARS_MAX = 30;

const shown = (address: string) => oneLine(address, EMAIL_CHARS_MAX);

const holds = (now: number, expiresAt: number) =>
  `The link works for ${spanText(expiresAt - now)}, until ${timeText(expiresAt)}.`;

const SPANS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** In the largest unit that fits at least twice, and rounded down: a link never ends before its letter says. */
export function spanText(ms: number): string {
  const [unit, size] = SPANS.find(([, each]) => ms >= 2 * each || ms === each) ?? [
    "minute",
    60_000,
  ];
  const count = Math.max(1, Math.floor(ms / size));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
