import { hostOf, isLoopback } from "#hosts.ts";
import {
  FREE_CALL_CREDITS_DEFAULT,
  PRICE_CREDITS_MAX,
  ROLL_UP_AFTER_DAYS_DEFAULT,
  ROLL_UP_AFTER_DAYS_MIN,
} from "#limits.ts";

/**
 * How settings are read from texts, for every door: `config.ts` reads all of them, the Worker of the calls the few that it has.
 * Faults are whole sentences, gathered so that all come in one message. An empty text counts as unset.
 */

/** What is wrong with the settings, one sentence a line. */
export class ConfigError extends Error {}

export type Given = (name: string) => string | undefined;

export const givenIn =
  (env: Record<string, string | undefined>): Given =>
  (name) =>
    env[name] === "" ? undefined : env[name];

/** Reads whole numbers within bounds; what is none leaves a sentence in `faults`. */
export const wholeReader =
  (given: Given, faults: string[]) =>
  (name: string, fallback: number, min: number, max: number): number => {
    const text = given(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    faults.push(`${name} must be a whole number from ${min} to ${max}; got "${text}".`);
    return fallback;
  };

export type ReadWhole = ReturnType<typeof wholeReader>;

export const readRateLimit = (whole: ReadWhole) => whole("RATE_LIMIT", 100, 0, 1_000_000);

export const readFreeCallCredits = (whole: ReadWhole) =>
  whole("TOOLBOOTH_FREE_CALL_CREDITS", FREE_CALL_CREDITS_DEFAULT, 0, PRICE_CREDITS_MAX);

export const readRollUpAfterDays = (whole: ReadWhole) =>
  whole("TOOLBOOTH_ROLL_UP_AFTER_DAYS", ROLL_UP_AFTER_DAYS_DEFAULT, ROLL_UP_AFTER_DAYS_MIN, 36_500);

/** An http or https address without user, password, query and fragment, and without a slash at its end; null where it is none. */
export function readAddress(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, "") : null;
}

export function readPublicUrl(text: string | undefined, faults: string[]): string | null {
  if (text === undefined) return null;
  const address = readAddress(text);
  if (address !== null) return address;
  // Not repeated: it may hold a password.
  faults.push(
    "PUBLIC_URL must be an http or https address without user, password, query and fragment.",
  );
  return null;
}

const SECRET_CHARS_MIN = 16;

/** The first signs, all verify. */
export function readSecrets(text: string | undefined, faults: string[]): string[] | null {
  if (text === undefined) return null;
  const secrets = text.split(",").map((secret) => secret.trim());
  // The value itself is never repeated: it would end in a log.
  if (secrets.some((secret) => secret.length < SECRET_CHARS_MIN)) {
    faults.push(
      `SECRET must have at least ${SECRET_CHARS_MIN} characters (each one of a comma-separated list).`,
    );
  }
  return secrets;
}

/** Whoever has one may make keys and credits. Wrong ones are throttled by network only, so it must be too long to guess. */
const OPERATOR_TOKEN_CHARS_MIN = 32;
const OPERATOR_NAME = /^[0-9A-Za-z][0-9A-Za-z._-]{0,39}$/;
/** The name of a token that is given none. */
const OPERATOR_NAME_DEFAULT = "operator";

/** One token, or several as `name:token` with commas between them. Their values are never repeated. */
export function readOperatorTokens(
  text: string | undefined,
  faults: string[],
): { name: string; token: string }[] {
  if (text === undefined) return [];
  const tokens = text.split(",").map((each) => {
    const [, name = OPERATOR_NAME_DEFAULT, token = ""] =
      /^(?:([^:]*):)?(.*)$/.exec(each.trim()) ?? [];
    return { name, token };
  });
  const isDistinct = (of: "name" | "token") =>
    new Set(tokens.map((each) => each[of])).size === tokens.length;
  if (tokens.some(({ token }) => !isOperatorToken(token))) {
    faults.push(
      `TOOLBOOTH_OPERATOR_TOKEN must have at least ${OPERATOR_TOKEN_CHARS_MIN} letters, digits and signs, without spaces (each one of a comma-separated list); \`openssl rand -hex 32\` makes one.`,
    );
  } else if (tokens.some(({ name }) => !OPERATOR_NAME.test(name))) {
    faults.push(
      "TOOLBOOTH_OPERATOR_TOKEN must name each token with up to 40 letters, digits, dots, hyphens and underscores, as in ada:<token>,deploy:<token>.",
    );
  } else if (!isDistinct("name") || !isDistinct("token")) {
    faults.push(
      "TOOLBOOTH_OPERATOR_TOKEN has the same name or the same token twice: give each its own, as in ada:<token>,deploy:<token>.",
    );
  }
  return tokens;
}

const isOperatorToken = (token: string) =>
  token.length >= OPERATOR_TOKEN_CHARS_MIN && /^[\x21-\x7e]+$/.test(token);

/** How credits are paid: none of the values is ever repeated, for two of them are secrets. */
export type StripeSettings = {
  secretKey: string;
  webhookSecret: string;
  /** The interface's scheme, host and port; null: Stripe's own. */
  api: string | null;
};

export function readStripe(given: Given, faults: string[]): StripeSettings | null {
  const secretKey = given("STRIPE_SECRET_KEY");
  const webhookSecret = given("STRIPE_WEBHOOK_SECRET");
  const api = readStripeApi(given("TOOLBOOTH_STRIPE_API"), faults);
  if (secretKey !== undefined && !/^[sr]k_[\x21-\x7e]+$/.test(secretKey)) {
    faults.push(
      "STRIPE_SECRET_KEY must be a secret or restricted key of Stripe's, which begins with sk_ or rk_.",
    );
  }
  if (webhookSecret !== undefined && !/^whsec_[\x21-\x7e]+$/.test(webhookSecret)) {
    faults.push(
      "STRIPE_WEBHOOK_SECRET must be the signing secret of a webhook endpoint at Stripe, which begins with whsec_.",
    );
  }
  if (secretKey === undefined && webhookSecret === undefined) return null;
  if (secretKey === undefined || webhookSecret === undefined) {
    faults.push("STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET go together: set both or neither.");
    return null;
  }
  if (given("TOOLBOOTH_PRICES") === undefined) {
    faults.push(
      "TOOLBOOTH_PRICES must be set with STRIPE_SECRET_KEY: it names the price list of what is sold.",
    );
  }
  return { secretKey, webhookSecret, api };
}

/** The secret key goes there, so it travels readable on this machine alone. */
function readStripeApi(text: string | undefined, faults: string[]): string | null {
  if (text === undefined) return null;
  const address = readAddress(text);
  const isPlain = address !== null && new URL(address).pathname === "/";
  const isSafe = isPlain && (address.startsWith("https:") || isLoopback(hostOf(address)));
  if (isSafe) return address;
  faults.push(
    "TOOLBOOTH_STRIPE_API must be an https address (http on this machine alone) without path, user, password, query and fragment.",
  );
  return null;
}
