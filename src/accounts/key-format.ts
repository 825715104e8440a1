import { TOOLBOOTH } from "#brand.ts";
import { addToCrc32, CRC32_START, endCrc32 } from "#crc32.ts";
import {
  ACCOUNT_PART_CHARS,
  accountOfPart,
  accountPart,
  BASE62,
  type RandomBytes,
  randomBase62,
} from "#ids.ts";
import { keyedHash } from "./keyed-hash.ts";

/**
 * An API key is one base62 word:
 *
 *     prefix | account part 12 | tag 6 | secret 32 | checksum 6
 *
 * The prefix is the service's (`brand.ts`): 2 to 8 lower-case letters and an underscore. A key keeps the one that it was made
 * with. The account part names the account, and with it the database that holds its ledger. The tag is an HMAC of the account part
 * under the service's secret, so a made-up account is rejected without a lookup. The secret has 190 random bits. The checksum
 * is the CRC-32 of everything before it, so typos are detected offline and secret scanners can verify a match. Neither tag
 * nor checksum authenticates: only the ledger decides, by the SHA-256 of the whole key.
 */
const TAG_CHARS = 6;
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 6;
const BODY_CHARS = ACCOUNT_PART_CHARS + TAG_CHARS + SECRET_CHARS;

/** Letters and digits after the prefix. */
export const KEY_CHARS = BODY_CHARS + CHECKSUM_CHARS;
const PREFIX = "[a-z]{2,8}_";
/** Of keys with this prefix; left out: with any that a service can have. */
export const keyPattern = (prefix = PREFIX): string => `${prefix}[0-9A-Za-z]{${KEY_CHARS}}`;
const KEY = new RegExp(`^${keyPattern()}$`);
const START = new RegExp(`^${PREFIX}`);
/** The part of a key, after its prefix, that lists show: enough to tell keys apart, too little to use one. */
const START_CHARS = ACCOUNT_PART_CHARS + TAG_CHARS + 4;

/** Makes a key. `secrets`: the first one signs and all verify, so that a secret can be rotated. */
export function makeKey(
  accountId: string,
  secrets: readonly string[],
  random: RandomBytes,
  prefix = TOOLBOOTH.keyPrefix,
): string {
  const part = accountPart(accountId);
  const body = `${prefix}${part}${tagOf(part, signingSecret(secrets))}${randomBase62(SECRET_CHARS, random)}`;
  return body + checksumOf(body);
}

export const keyStart = (key: string) => key.slice(0, bodyAt(key) + START_CHARS);

/** Where the account part begins. */
const bodyAt = (key: string) => key.indexOf("_") + 1;

/** Whether a key that starts like this was made under one of these secrets. */
export function isStartUnder(start: string, secrets: readonly string[]): boolean {
  if (!START.test(start)) return false;
  const part = partOf(start);
  const tag = start.slice(bodyAt(start) + ACCOUNT_PART_CHARS).slice(0, TAG_CHARS);
  return secrets.some((secret) => tagOf(part, secret) === tag);
}

/** Whether the text has the form of a key and a correct checksum. This needs no secret, so scanners can check it too. */
export function isWellFormedKey(text: string): boolean {
  return (
    KEY.test(text) && checksumOf(text.slice(0, -CHECKSUM_CHARS)) === text.slice(-CHECKSUM_CHARS)
  );
}

/** Returns the account that the key names; undefined where this service cannot have made the key. */
export function accountOfKey(text: string, secrets: readonly string[]): string | undefined {
  if (!isWellFormedKey(text)) return undefined;
  // The tag only saves lookups, so its comparison need not take constant time.
  return isStartUnder(text, secrets) ? accountOfPart(partOf(text)) : undefined;
}

const partOf = (key: string) => key.slice(bodyAt(key)).slice(0, ACCOUNT_PART_CHARS);

function signingSecret(secrets: readonly string[]): string {
  const [first] = secrets;
  if (first === undefined) throw new Error("Making a key requires a secret");
  return first;
}

function tagOf(part: string, secret: string): string {
  const mac = keyedHash(secret, `toolbooth account ${part}`);
  let number = 0;
  for (let i = 0; i < 6; i += 1) number = number * 256 + (mac[i] as number);
  return base62(number, TAG_CHARS);
}

/** The CRC-32 of ASCII text, as six base62 digits. */
function checksumOf(text: string): string {
  let crc = CRC32_START;
  for (let i = 0; i < text.length; i += 1) crc = addToCrc32(crc, text.charCodeAt(i));
  return base62(endCrc32(crc), CHECKSUM_CHARS);
}

/** The last `chars` base62 digits of an integer below 2^53, with leading zeros. */
function base62(number: number, chars: number): string {
  let rest = number;
  let text = "";
  for (let i = 0; i < chars; i += 1) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
