import { type EmailSender, formatTime, layOut } from "#email/email-layout.ts";
import { type Email, oneLine, type SecurityEmailKind } from "#email/mail.ts";
import { EMAIL_CHARS_MAX, SECURITY_EMAILS_OF_A_KIND_MAX } from "#limits.ts";
import type { EventKind } from "./activity-log.ts";

/** The pages that emails about security events lead to: the one on which the reader can undo what happened. */
const PAGES = {
  account: { path: "/settings/account", label: "Review your account" },
  keys: { path: "/settings/api-keys", label: "View API keys" },
  webhooks: { path: "/settings/webhooks", label: "View webhooks" },
} as const;

type SecurityText = {
  kind: SecurityEmailKind;
  subject: string;
  text: string;
  /** What the event's `detail` is. Missing if it has none, or if the email does not show it. */
  detail?: string;
  /** What to do if it was not the reader. */
  otherwise: string;
  page: keyof typeof PAGES;
  /** Completes "You received this email because …". */
  because: string;
};

const OTHERWISE_SIGN_IN =
  "If it wasn't you, someone else can read your emails or has your passkey. End all other sessions, and secure your email account:";
const OTHERWISE_ACCOUNT =
  "If it wasn't you, someone else has access to your account. Undo the change, end all other sessions and secure your email account:";

/**
 * The events of an account that its owner gets an email about. This is the only place that decides which events those are;
 * other events are only in the activity log. Owners cannot turn these emails off, because a thief would.
 */
export const SECURITY_EMAILS: Partial<Record<EventKind, SecurityText>> = {
  signed_in_new_browser: {
    kind: "new_sign_in",
    subject: "New sign-in to your account",
    text: "Someone signed in to your Toolbooth account in a browser that we haven't seen before.",
    otherwise: OTHERWISE_SIGN_IN,
    page: "account",
    because: "someone signed in to your account in a new browser",
  },
  email_changed: {
    kind: "email_changed",
    subject: "This is now your email address at Toolbooth",
    text: "Your Toolbooth account now has this email address. Sign in with it from now on.",
    otherwise: OTHERWISE_ACCOUNT,
    page: "account",
    because: "the email address of an account was changed to this one",
  },
  email_change_undone: {
    kind: "email_change_undone",
    subject: "The change of your email address was undone",
    text: "Your Toolbooth account has this email address again. Everyone was signed out, and passkeys and logins that were added since the day before the change were removed.",
    otherwise: "Sign in, and check your API keys and webhook endpoints:",
    page: "keys",
    because: "a change of the email address of your account was undone",
  },
  provider_linked: {
    kind: "provider_linked",
    subject: "A new way to sign in was added",
    text: "An account at another service was linked to your Toolbooth account. Anyone who can sign in there can sign in here.",
    detail: "Service",
    otherwise:
      "If it wasn't you, end all other sessions, and contact the operator of the service to remove the link:",
    page: "account",
    because: "a way to sign in was added to your account",
  },
  passkey_added: {
    kind: "passkey_added",
    subject: "A passkey was added to your account",
    text: "A passkey was added to your Toolbooth account. Anyone who has it can sign in.",
    detail: "Passkey",
    otherwise: OTHERWISE_ACCOUNT,
    page: "account",
    because: "a way to sign in was added to your account",
  },
  passkey_removed: {
    kind: "passkey_removed",
    subject: "A passkey was removed from your account",
    text: "A passkey was removed from your Toolbooth account. It can no longer be used to sign in.",
    detail: "Passkey",
    otherwise: OTHERWISE_ACCOUNT,
    page: "account",
    because: "a passkey was removed from your account",
  },
  passkey_required: {
    kind: "passkey_required",
    subject: "Only your passkey signs you in now",
    text: "Your Toolbooth account requires a passkey: codes and links from emails, GitHub and Google no longer sign in.",
    otherwise: OTHERWISE_ACCOUNT,
    page: "account",
    because: "the ways to sign in to your account were changed",
  },
  passkey_not_required: {
    kind: "passkey_not_required",
    subject: "Your account no longer requires a passkey",
    text: "Codes and links from emails, GitHub and Google sign in to your Toolbooth account again.",
    otherwise: OTHERWISE_ACCOUNT,
    page: "account",
    because: "the ways to sign in to your account were changed",
  },
  passkeys_reset: {
    kind: "passkeys_reset",
    subject: "Your passkeys were removed",
    text: "All passkeys were removed from your Toolbooth account, and everyone was signed out. Sign in with a code that we send to this address.",
    otherwise: "If you didn't ask the operator of the service for it, contact them right away:",
    page: "account",
    because: "the passkeys of your account were removed",
  },
  key_created: {
    kind: "key_created",
    subject: "A new API key was created",
    text: "Your Toolbooth account has a new API key. Anyone who has the key can spend your credits.",
    detail: "Label",
    otherwise: "If you didn't create it, revoke the key and end all other sessions:",
    page: "keys",
    because: "an API key was created for your account",
  },
  key_limited: {
    kind: "key_limited",
    subject: "The limits of an API key were changed",
    text: "The limits of an API key of your Toolbooth account were changed.",
    detail: "Label",
    otherwise: "If you didn't change them, check the key and end all other sessions:",
    page: "keys",
    because: "the limits of an API key of your account were changed",
  },
  key_rotated: {
    kind: "key_rotated",
    subject: "An API key got a new secret",
    text: "An API key of your Toolbooth account was rotated: it has a new secret.",
    detail: "Label",
    otherwise: "If you didn't rotate it, revoke the key and end all other sessions:",
    page: "keys",
    because: "an API key of your account was rotated",
  },
  key_revoked: {
    kind: "key_revoked",
    subject: "An API key was revoked",
    text: "An API key of your Toolbooth account was revoked. The API rejects calls with this key from now on.",
    detail: "Label",
    otherwise: "If you didn't revoke it, end all other sessions and create a new key:",
    page: "keys",
    because: "an API key of your account was revoked",
  },
  endpoint_added: {
    kind: "endpoint_added",
    subject: "A webhook endpoint was added",
    text: "Your Toolbooth account has a new webhook endpoint. We send it events about your account.",
    detail: "Host",
    otherwise: "If you didn't add it, delete the endpoint and end all other sessions:",
    page: "webhooks",
    because: "a webhook endpoint was added to your account",
  },
  endpoint_changed: {
    kind: "endpoint_changed",
    subject: "The URL of a webhook endpoint was changed",
    text: "A webhook endpoint of your Toolbooth account has a new URL. We send it events about your account.",
    detail: "Host",
    otherwise: "If you didn't change it, delete the endpoint and end all other sessions:",
    page: "webhooks",
    because: "a webhook endpoint of your account was changed",
  },
  endpoint_secret_rotated: {
    kind: "endpoint_secret_rotated",
    subject: "A webhook endpoint got a new secret",
    text: "A webhook endpoint of your Toolbooth account has a new signing secret.",
    detail: "Host",
    otherwise: "If you didn't rotate it, rotate it again and end all other sessions:",
    page: "webhooks",
    because: "the secret of a webhook endpoint of your account was rotated",
  },
  data_exported: {
    kind: "data_exported",
    subject: "The data of your account was exported",
    text: "Someone who is signed in to your Toolbooth account downloaded the personal data that we store about you.",
    otherwise: OTHERWISE_SIGN_IN,
    page: "account",
    because: "the data of your account was exported",
  },
};

/** Where an event came from. `byOperator`: the operator caused it, and the other two are unknown. */
export type Origin = { address: string | null; browser: string | null; byOperator?: boolean };

export type SecurityEvent = Origin & {
  kind: EventKind;
  at: number;
  detail: string | null;
  /** More facts about the event, such as the first characters of a key. */
  facts?: readonly (readonly [name: string, value: string])[];
};

/** The facts that every email about an event has: when and from where. */
export const originFacts = ({ at, address, browser, byOperator }: Origin & { at: number }) =>
  [
    ["Date", formatTime(at)],
    ...(byOperator === true
      ? [["By", "The operator of this service"] as const]
      : [
          ["IP address", oneLine(address ?? "Unknown", FACT_CHARS_MAX)] as const,
          ["Browser", oneLine(browser ?? "Unknown", FACT_CHARS_MAX)] as const,
        ]),
  ] as const;

/** The fact by which an owner recognizes a key, besides its label. */
export const keyFacts = ({ start }: { start: string }) => [["Starts with", start]] as const;

/** The facts of a rotation. `previousUntil`: the time until which the old secret works; null if it no longer does. */
export const rotationFacts = (key: { start: string; previousUntil: number | null }, now: number) =>
  [
    ...keyFacts(key),
    [
      "Old secret",
      key.previousUntil === null || key.previousUntil <= now
        ? "No longer works"
        : `Works until ${formatTime(key.previousUntil)}`,
    ],
  ] as const;

const FACT_CHARS_MAX = EMAIL_CHARS_MAX;

/** What the email about an event says; null for kinds without one. */
export const securityText = ({ kind }: Pick<SecurityEvent, "kind">): SecurityText | null =>
  SECURITY_EMAILS[kind] ?? null;

/** The email about an event; null for kinds without one. */
export function securityEmail(sender: EmailSender, to: string, event: SecurityEvent): Email | null {
  const text = securityText(event);
  if (text === null) return null;
  const { detail, facts = [] } = event;
  const shown = text.detail === undefined || detail === null ? [] : [[text.detail, detail]];
  const named = [...shown, ...facts].map(
    ([name = "", value = ""]) => [name, oneLine(value, FACT_CHARS_MAX)] as const,
  );
  const { path, label } = PAGES[text.page];
  return layOut(
    {
      to,
      kind: text.kind,
      subject: text.subject,
      heading: text.subject,
      blocks: [
        text.text,
        { facts: [...named, ...originFacts(event)] },
        text.otherwise,
        { link: `${sender.publicUrl}${path}`, label },
      ],
      why: `You received this email because ${text.because}. If it was you, you don't need to do anything. You can't turn these emails off, because they protect your account.`,
    },
    sender,
  );
}

/** The email that replaces those about single events when the limit of their kind is reached. */
export function securitySummary(
  sender: EmailSender,
  to: string,
  event: SecurityEvent,
): Email | null {
  const text = securityText(event);
  if (text === null) return null;
  const { path, label } = PAGES.account;
  return layOut(
    {
      to,
      kind: "security_summary",
      subject: "Many changes to your Toolbooth account",
      heading: "Many changes to your account",
      blocks: [
        `We sent you ${SECURITY_EMAILS_OF_A_KIND_MAX} emails with the subject "${text.subject}" within 24 hours, and it has happened again. We won't send you an email for each further event of this kind today. You still get emails about everything else, and the activity list of your account shows every event.`,
        { facts: originFacts(event) },
        "If it wasn't you, someone else has access to your account. Check the activity list, end all other sessions and secure your email account:",
        { link: `${sender.publicUrl}${path}`, label },
      ],
      why: `You received this email because ${text.because} several times. If it was you, you don't need to do anything.`,
    },
    sender,
  );
}
