import { counted } from "#counted.ts";
import { EMAIL_CHARS_MAX } from "#limits.ts";
import { type CreditSales, type TopUp, topUp } from "#top-up.ts";
import { type EmailDraft, type EmailSender, formatTime, layOut } from "./email-layout.ts";
import { type Email, oneLine } from "./mail.ts";

/**
 * The content of every email. Subjects are fixed, so no user input reaches a header. Labels and addresses go through
 * `oneLine`, and the layout escapes them.
 */

/** When, from where and with which browser something was done, as names and values. */
type OriginFacts = readonly (readonly [name: string, value: string])[];
/**
 * Times in milliseconds since 1970 UTC; `to` must be a plain address (`isPlainAddress`). `origin`: of the request for the code. Several
 * browsers may have asked for codes, and each takes only its own.
 */
export type CodeEmail = {
  to: string;
  code: string;
  now: number;
  expiresAt: number;
  origin: OriginFacts;
};
/** `link`: to the page that signs in in the browser of the attempt, and shows the code in any other. */
export type SignInEmail = CodeEmail & {
  kind: "sign_up_code" | "sign_in_code" | "known_sign_in_code";
  link: string;
};
type NotificationEmail = { to: string; at: number };
/** `origin`: when and from where the address was changed. `undo`: the link that takes it back; null: the address was taken back. */
type AddressChangedEmail = {
  to: string;
  newAddress: string;
  undo: { link: string; now: number; expiresAt: number } | null;
  origin: OriginFacts;
};

/** `sales`: how the service sells credits; null: not known. */
export function createEmails(sender: EmailSender, sales: CreditSales | null = null) {
  const { publicUrl: site } = sender;
  const write = (draft: EmailDraft) => layOut(draft, sender);
  return {
    ...codeEmails(write),
    ...accountEmails(site, write),
    ...creditEmails(site, topUp(sales, site), write),
  };
}

type Write = (draft: EmailDraft) => Email;

const IGNORE = "If it wasn't you, you can ignore this email.";
const NO_ACTION = "If you made this change, you don't need to do anything.";
const REQUESTED = "The code was requested on:";
/** Users type the code into our page and never give it to a person. */
const KEEP_CODE = "Never give this code to anyone: we don't ask for it, on the phone or by email.";

function codeEmails(write: Write) {
  return {
    signInCode: ({ to, kind, code, link, now, expiresAt, origin }: SignInEmail) => {
      const isNew = kind === "sign_up_code";
      return write({
        to,
        kind,
        subject: isNew ? "Your code to sign up for Toolbooth" : "Your code to sign in to Toolbooth",
        heading: isNew ? "Create your account" : "Sign in",
        blocks: [
          isNew
            ? "Enter this code in the browser in which you are signing up. Your first API key is one click away."
            : "Enter this code in the browser in which you are signing in.",
          { facts: [["Code", spaced(code)]] },
          "Or open this link in the same browser:",
          { link, label: isNew ? "Create account" : "Sign in" },
          REQUESTED,
          { facts: origin },
          `${expiryText("code", now, expiresAt)} ${KEEP_CODE}`,
        ],
        why: isNew
          ? `You received this email because someone entered this address to sign up for Toolbooth. ${IGNORE}`
          : `You received this email because someone entered this address to sign in to Toolbooth. ${IGNORE} Nobody gets in without the code.`,
        usefulUntil: expiresAt,
      });
    },
    /** To the new address, which may belong to someone else, so the email does not contain the old one. */
    newAddressCode: ({ to, code, now, expiresAt, origin }: CodeEmail) =>
      write({
        to,
        kind: "new_address_code",
        subject: "Your code to confirm this address",
        heading: "Confirm your new email address",
        blocks: [
          "Enter this code on the account page of Toolbooth. After that, you sign in with this address.",
          { facts: [["Code", spaced(code)]] },
          REQUESTED,
          { facts: origin },
          `${expiryText("code", now, expiresAt)} ${KEEP_CODE}`,
        ],
        why: `You received this email because someone asked to use this address for their Toolbooth account. ${IGNORE}`,
        usefulUntil: expiresAt,
      }),
  };
}

/** In two groups, which are easier to type; the page ignores the space. */
const spaced = (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`;

function accountEmails(site: string, write: Write) {
  return {
    /** Someone asked to move another account to this address. */
    addressInUse: ({ to }: { to: string }) =>
      write({
        to,
        kind: "address_in_use",
        subject: "You already have a Toolbooth account",
        heading: "You already have an account",
        blocks: [
          "Someone tried to use this email address for another Toolbooth account, but it already belongs to yours. Your account has not changed. If it was you, sign in:",
          { link: `${site}/sign-in`, label: "Sign in" },
        ],
        why: `You received this email because someone entered this address at Toolbooth. ${IGNORE}`,
      }),
    /** To the old address, after the change. */
    addressChanged: ({ to, newAddress, origin, undo }: AddressChangedEmail) =>
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
          ...(undo === null
            ? [`If you didn't expect this, contact the operator of ${site}.`]
            : [
                "If you didn't make this change, undo it: your account gets this address back, everyone is signed out, and passkeys and logins that were added since the day before are removed.",
                { link: undo.link, label: "Undo the change" },
                expiryText("link", undo.now, undo.expiresAt),
              ]),
        ],
        why: `You received this email because this was the address of your Toolbooth account. This is the last email that we will send to this address. ${NO_ACTION}`,
      }),
    /** Once, after the upgrade to a version without passwords. */
    passwordsRetired: ({ to }: { to: string }) =>
      write({
        to,
        kind: "passwords_retired",
        subject: "You now sign in to Toolbooth without a password",
        heading: "Sign in without a password",
        blocks: [
          "Toolbooth no longer has passwords, authenticator apps and recovery codes. We deleted yours and signed you out everywhere. Your API keys and credits have not changed.",
          "To sign in, enter your email address. We send you a code. Passkeys, GitHub and Google work as before.",
          { link: `${site}/sign-in`, label: "Sign in" },
          "If you used an authenticator app and have a passkey, only your passkey signs you in from now on. You can change that in your account settings.",
        ],
        why: "You received this email because this is the address of your Toolbooth account. You don't need to do anything.",
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

const expiryText = (what: "code" | "link", now: number, expiresAt: number) =>
  `This ${what} expires in ${durationText(expiresAt - now)}, on ${formatTime(expiresAt)}.`;

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/**
 * Formats a duration in the largest unit that fits exactly once or at least twice: `90 minutes`, `1 day`. It rounds
 * down, so that nothing expires earlier than its email says.
 */
export function durationText(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each || ms === each) ?? [
    "minute",
    60_000,
  ];
  const count = Math.max(1, Math.floor(ms / unitMs));
  return counted(count, unit);
}

/** Emails about credits: what happened, what is left and what to do. Each has a link to unsubscribe. */

/** `post`: the URL at which a single POST unsubscribes from emails on this topic; `page`: the page for people. */
export type Unsubscribe = { page: string; post: string };

/** Times in milliseconds since 1970 UTC; `at`: when the event happened. */
type CreditEmail = { to: string; at: number; unsubscribe: Unsubscribe };
type LowBalanceEmail = CreditEmail & { balance: number; lowBalance: number };
type ExpiringEmail = CreditEmail & { remaining: number; expiresAt: number };

type Button = { link: string; label: string };

function creditEmails(site: string, topUp: TopUp, write: Write) {
  const viewCredits = { link: `${site}/credits`, label: "View credits" };
  const addCredits = howToAdd(topUp, viewCredits);
  const why = "You received this email because you have alerts about your credits turned on.";
  return {
    creditsLow: ({ to, at, balance, lowBalance, unsubscribe }: LowBalanceEmail) =>
      write({
        to,
        kind: "credits_low",
        subject: "Your Toolbooth credits are running low",
        heading: "Your credits are running low",
        blocks: [
          `Your balance dropped below ${credits(lowBalance)}, your alert level.`,
          {
            facts: [
              ["Balance", credits(balance)],
              ["Date", formatTime(at)],
            ],
          },
          "When your balance is too low for a call, the API returns 402 (insufficient_credits) until you add credits. Your account and your API keys stay active.",
          ...addCredits,
          `Change your alert level: ${site}/settings/notifications`,
        ],
        why,
        unsubscribe,
      }),
    creditsUsedUp: ({ to, at, unsubscribe }: CreditEmail) =>
      write({
        to,
        kind: "credits_depleted",
        // The last ones may have expired, or been refunded.
        subject: "You're out of Toolbooth credits",
        heading: "You're out of credits",
        blocks: [
          {
            facts: [
              ["Balance", "0 credits"],
              ["Date", formatTime(at)],
            ],
          },
          "The API now rejects calls with 402 (insufficient_credits). Rejected calls cost nothing. Once you add credits, your API keys work again.",
          ...addCredits,
        ],
        why,
        unsubscribe,
      }),
    creditsExpiring: ({ to, at, remaining, expiresAt, unsubscribe }: ExpiringEmail) =>
      write({
        to,
        kind: "credits_expiring",
        subject: "Some of your Toolbooth credits expire soon",
        heading: `${credits(remaining)} ${remaining === 1 ? "expires" : "expire"} soon`,
        blocks: [
          `You have ${credits(remaining)} that ${remaining === 1 ? "expires" : "expire"} on ${formatTime(expiresAt)}. Your other credits are not affected.`,
          {
            facts: [
              ["Expiring credits", `${remaining.toLocaleString("en")}, as of ${formatTime(at)}`],
              ["Expiry date", formatTime(expiresAt)],
            ],
          },
          "Calls spend the credits that expire soonest first, so to use these credits, call the API before that date. Your credits page lists all your credits and when they expire:",
          viewCredits,
        ],
        why,
        usefulUntil: expiresAt,
        unsubscribe,
      }),
  };
}

/** The way to more credits: a button where they are sold, otherwise whom to ask. */
function howToAdd({ kind, sentence }: TopUp, viewCredits: Button): EmailDraft["blocks"] {
  if (kind === "buy") return [{ ...viewCredits, label: "Buy credits" }];
  if (kind === "look") return ["Your credits page shows how to add more:", viewCredits];
  return [sentence, viewCredits];
}

const credits = (count: number) => counted(count, "credit");
