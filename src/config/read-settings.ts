import { type Brand, NAME_CHARS_MAX, TOOLBOOTH } from "#brand.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import {
  FREE_CALL_CREDITS_DEFAULT,
  PRICE_CREDITS_MAX,
  REQUEST_LOG_DAYS_DEFAULT,
  REQUEST_LOG_MAX,
} from "#limits.ts";

/**
 * Parsers for single settings, shared by every app: `config.ts` reads all settings, the API Worker only a few.
 * Each parser adds a sentence to `problems` for an invalid value, so that one message can report all of them.
 * An empty value counts as unset.
 */

/** The settings are invalid: one sentence per line. */
export class ConfigError extends Error {}

/** Returns the value of a setting; undefined if it is unset or empty. */
export type ReadText = (name: string) => string | undefined;

export const textReader =
  (env: Record<string, string | undefined>): ReadText =>
  (name) =>
    env[name] === "" ? undefined : env[name];

/** Returns a reader of whole numbers from `min` to `max`. An invalid value adds a sentence to `problems` and yields `fallback`. */
export const wholeNumberReader =
  (read: ReadText, problems: string[]) =>
  (name: string, fallback: number, min: number, max: number): number => {
    const text = read(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    problems.push(`${name} must be a whole number from ${min} to ${max}; got "${text}".`);
    return fallback;
  };

export type ReadWholeNumber = ReturnType<typeof wholeNumberReader>;

/** Returns a reader of settings that are one of some names. */
export const nameReader =
  (read: ReadText, problems: string[]) =>
  <Name extends string>(name: string, names: readonly Name[], fallback: Name): Name => {
    const text = read(name) ?? fallback;
    const found = names.find((each) => each === text);
    if (found !== undefined) return found;
    const words = names.length === 2 ? names.join(" or ") : `one of ${names.join(", ")}`;
    problems.push(`${name} must be ${words}; got "${text}".`);
    return fallback;
  };

export const readRateLimit = (readNumber: ReadWholeNumber) =>
  readNumber("RATE_LIMIT", 100, 0, 1_000_000);

export const readFreeCallCredits = (readNumber: ReadWholeNumber) =>
  readNumber("TOOLBOOTH_FREE_CALL_CREDITS", FREE_CALL_CREDITS_DEFAULT, 0, PRICE_CREDITS_MAX);

/** Cloudflare's jurisdictions (developers.cloudflare.com/durable-objects/reference/data-location). */
export const JURISDICTIONS: readonly string[] = ["eu", "fedramp", "us"];

/** Checks the setting that `stores/durable-object/objects.ts` reads. A near name is not suggested: it may be a far place (uk, us). */
export function checkJurisdiction(read: ReadText, problems: string[]): void {
  const name = read("TOOLBOOTH_JURISDICTION");
  if (name === undefined || JURISDICTIONS.includes(name)) return;
  problems.push(
    `TOOLBOOTH_JURISDICTION must be one of ${JURISDICTIONS.join(", ")}; got "${name.slice(0, 80)}".`,
  );
}

/** `keptDays` 0: there is no request log. */
export const readRequestLog = (readNumber: ReadWholeNumber) => ({
  keptDays: readNumber("TOOLBOOTH_REQUEST_LOG_DAYS", REQUEST_LOG_DAYS_DEFAULT, 0, 90),
  keptMax: REQUEST_LOG_MAX,
});

/** Returns an http or https URL without a trailing slash; null if the text is not a URL or has credentials, a query or a fragment. */
export function readAddress(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, "") : null;
}

export function readPublicUrl(text: string | undefined, problems: string[]): string | null {
  if (text === undefined) return null;
  const address = readAddress(text);
  if (address !== null) return address;
  // The message omits the value because it may contain a password.
  problems.push("PUBLIC_URL must be an http or https URL without credentials, query or fragment.");
  return null;
}

/** The names of the service, which both Workers read. */
export function readBrand(read: ReadText, problems: string[]): Brand {
  const { name = TOOLBOOTH.name, keyPrefix = TOOLBOOTH.keyPrefix } = {
    name: read("TOOLBOOTH_NAME"),
    keyPrefix: read("TOOLBOOTH_KEY_PREFIX"),
  };
  checkLine("TOOLBOOTH_NAME", name, NAME_CHARS_MAX, problems);
  // It is the name of a sender, as that in MAIL_FROM.
  if (/["<>\\]/.test(name))
    problems.push("TOOLBOOTH_NAME must not have double quotes, angle brackets or backslashes.");
  if (!/^[a-z]{2,8}_$/.test(keyPrefix))
    problems.push(
      `TOOLBOOTH_KEY_PREFIX must be 2 to 8 lowercase letters and an underscore, such as acme_; got ${JSON.stringify(keyPrefix.slice(0, 40))}.`,
    );
  else if (OWN_PREFIXES.includes(keyPrefix))
    problems.push(
      `TOOLBOOTH_KEY_PREFIX must not be ${keyPrefix}, because other ids begin with it.`,
    );
  return { name, keyPrefix };
}

/** A text of one line, which pages show. */
function checkLine(setting: string, text: string, max: number, problems: string[]): void {
  const isLine = text.isWellFormed() && text === text.trim() && !UNSEEN.test(text);
  if (isLine && [...text].length <= max) return;
  problems.push(
    `${setting} must be 1 to ${max} characters on one line, without control characters and without spaces around them.`,
  );
}

/** Control characters, and those that change the direction of what follows them. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Ids of this service and of Stripe, which must not be taken for keys. */
const OWN_PREFIXES = ["acc_", "key_", "call_", "req_", "sk_", "rk_", "whsec_"];

/** The look of the pages. The logo is a path, or the SVG itself. */
export type Look = Readonly<Record<"logo" | "accent" | "headline" | "lead", string | null>>;

const HEADLINE_CHARS_MAX = 80;
const LEAD_CHARS_MAX = 400;

export function readLook(read: ReadText, problems: string[]): Look {
  const accent = read("TOOLBOOTH_ACCENT") ?? null;
  if (accent !== null && !/^#[\da-f]{6}$/i.test(accent))
    problems.push(
      `TOOLBOOTH_ACCENT must be a color such as #0a5f58; got ${JSON.stringify(accent.slice(0, 40))}.`,
    );
  const [headline = null, lead = null] = [read("TOOLBOOTH_HEADLINE"), read("TOOLBOOTH_LEAD")];
  if (headline !== null) checkLine("TOOLBOOTH_HEADLINE", headline, HEADLINE_CHARS_MAX, problems);
  if (lead !== null) checkLine("TOOLBOOTH_LEAD", lead, LEAD_CHARS_MAX, problems);
  const logo = read("TOOLBOOTH_LOGO") ?? null;
  return { logo, accent: accent?.toLowerCase() ?? null, headline, lead };
}

/** An email address or an https URL, as it was given; null if it is unset. */
export function readContact(read: ReadText, problems: string[]): string | null {
  const text = read("TOOLBOOTH_CONTACT");
  if (text === undefined) return null;
  const isAddress = /^[^\s:/@<>"]+@[^\s:/@<>"]+$/.test(text);
  const isUrl = /^https:\/\/[^\s<>"]+$/.test(text) && URL.canParse(text);
  if (!isAddress && !isUrl)
    problems.push(
      `TOOLBOOTH_CONTACT must be an email address or an https URL; got ${JSON.stringify(text.slice(0, 80))}.`,
    );
  return text;
}

const SECRET_CHARS_MIN = 16;

/** Splits the comma-separated list: the first secret signs, all of them verify. */
export function readSecrets(text: string | undefined, problems: string[]): string[] | null {
  if (text === undefined) return null;
  const secrets = text.split(",").map((secret) => secret.trim());
  // The message omits the value because it would end up in logs.
  if (secrets.some((secret) => secret.length < SECRET_CHARS_MIN)) {
    problems.push(
      `SECRET must have at least ${SECRET_CHARS_MIN} characters; in a comma-separated list, each secret must.`,
    );
  }
  return secrets;
}

/** The token can create keys and credits, and wrong guesses are throttled per network only, so it must be too long to guess. */
const OPERATOR_TOKEN_CHARS_MIN = 32;

/** Messages never contain the token. */
export function readOperatorToken(text: string | undefined, problems: string[]): string | null {
  if (text === undefined) return null;
  if (text.length < OPERATOR_TOKEN_CHARS_MIN || !/^[\x21-\x7e]+$/.test(text))
    problems.push(
      `TOOLBOOTH_OPERATOR_TOKEN must have at least ${OPERATOR_TOKEN_CHARS_MIN} ASCII characters without spaces. Run \`openssl rand -hex 32\` to generate one.`,
    );
  return text;
}

/** Access to Stripe. Messages never contain these values because two of them are secrets. */
export type StripeSettings = {
  secretKey: string;
  webhookSecret: string;
  /** Origin of the API; null for Stripe's own. */
  api: string | null;
};

export function readStripe(read: ReadText, problems: string[]): StripeSettings | null {
  const secretKey = read("STRIPE_SECRET_KEY");
  const webhookSecret = read("STRIPE_WEBHOOK_SECRET");
  const api = readStripeApi(read("TOOLBOOTH_STRIPE_API"), problems);
  if (secretKey !== undefined && !/^[sr]k_[\x21-\x7e]+$/.test(secretKey)) {
    problems.push("STRIPE_SECRET_KEY must be a Stripe secret key (sk_…) or restricted key (rk_…).");
  }
  if (webhookSecret !== undefined && !/^whsec_[\x21-\x7e]+$/.test(webhookSecret)) {
    problems.push(
      "STRIPE_WEBHOOK_SECRET must be the signing secret of a Stripe webhook endpoint (whsec_…).",
    );
  }
  if (secretKey === undefined && webhookSecret === undefined) return null;
  if (secretKey === undefined || webhookSecret === undefined) {
    problems.push("Set both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or neither.");
    return null;
  }
  if (read("TOOLBOOTH_PRICES") === undefined) {
    problems.push("STRIPE_SECRET_KEY requires TOOLBOOTH_PRICES, your price list.");
  }
  return { secretKey, webhookSecret, api };
}

/** Requires https because the secret key is sent there; http is allowed on the loopback interface only. */
function readStripeApi(text: string | undefined, problems: string[]): string | null {
  if (text === undefined) return null;
  const address = readAddress(text);
  const isPlain = address !== null && new URL(address).pathname === "/";
  const isSafe = isPlain && (address.startsWith("https:") || isLoopback(hostOf(address)));
  if (isSafe) return address;
  problems.push(
    "TOOLBOOTH_STRIPE_API must be an https URL without path, credentials, query or fragment (http only for this machine).",
  );
  return null;
}
