import { FOLD_AFTER_DAYS_DEFAULT, FOLD_AFTER_DAYS_MIN } from "./limits.ts";

/**
 * How settings are read from texts, for every door: `config.ts` reads all of them, the Worker of the calls the few that it has.
 * Faults are whole sentences, gathered so that all come in one message. An empty text counts as unset.
 */

/** What is wrong with the settings, one sentence a line. */
export class ConfigFault extends Error {}

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

export const readFoldAfterDays = (whole: ReadWhole) =>
  whole("TOOLBOOTH_FOLD_AFTER_DAYS", FOLD_AFTER_DAYS_DEFAULT, FOLD_AFTER_DAYS_MIN, 36_500);

/** An http or https address without user, password, query and fragment, and without a slash at its end; null where it is none. */
export function readAddress(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, "") : null;
}

/** The host of an address: that of IPv6 without its brackets. */
export const hostOf = (address: string) => new URL(address).hostname.replace(/^\[|\]$/g, "");

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

/** Whether an address is reached from this machine alone. */
export const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
