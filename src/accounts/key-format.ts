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
 *     tb_ | account part 12 | tag 6 | secret 32 | checksum 6
 *
 * The account part leads to the account's home. The tag is an HMAC of it under the service's secret, so that
 * an invented account is refused without a look-up. The secret has 190 random bits. The checksum is the CRC-32
 * of all that comes before, so that a misspelt key is recognised offline and a secret scanner can verify a match.
 * Tag and checksum protect no secret; only the ledger, which knows the SHA-256 of the whole key, decides.
 */
const TAG_CHARS = 6;
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 6;
const BODY_CHARS = ACCOUNT_PART_CHARS + TAG_CHARS + SECRET_CHARS;

export const KEY_PATTERN = `tb_[0-9A-Za-z]{${BODY_CHARS + CHECKSUM_CHARS}}`;
const KEY = new RegExp(`^${KEY_PATTERN}$`);
/** What a list shows of a key: enough to tell keys apart, far too little to use. */
const START_CHARS = "tb_".length + ACCOUNT_PART_CHARS + TAG_CHARS + 4;

/** `secrets`: the first one signs, every one verifies, so that a secret can be rotated. */
export function makeKey(
  accountId: string,
  secrets: readonly string[],
  random: RandomBytes,
): string {
  const part = accountPart(accountId);
  const body = `tb_${part}${tagOf(part, signingSecret(secrets))}${randomBase62(SECRET_CHARS, random)}`;
  return body + checksumOf(body);
}

export const keyStart = (key: string) => key.slice(0, START_CHARS);

/** Whether a key that begins so was made under one of these secrets. */
export function isStartUnder(start: string, secrets: readonly string[]): boolean {
  const part = start.slice(3, 3 + ACCOUNT_PART_CHARS);
  const tag = start.slice(3 + ACCOUNT_PART_CHARS, 3 + ACCOUNT_PART_CHARS + TAG_CHARS);
  return start.startsWith("tb_") && secrets.some((secret) => tagOf(part, secret) === tag);
}

/** Whether the text has the form of a key and its checksum is right. Needs no secret: a scanner can do the same. */
export function isWellFormedKey(text: string): boolean {
  return (
    KEY.test(text) && checksumOf(text.slice(0, -CHECKSUM_CHARS)) === text.slice(-CHECKSUM_CHARS)
  );
}

/** The account that a key claims, or undefined where this service cannot have made the key. */
export function accountOfKey(text: string, secrets: readonly string[]): string | undefined {
  if (!isWellFormedKey(text)) return undefined;
  // The tag guards only against useless look-ups, so a comparison in constant time would protect nothing.
  return isStartUnder(text, secrets)
    ? accountOfPart(text.slice(3, 3 + ACCOUNT_PART_CHARS))
    : undefined;
}

function signingSecret(secrets: readonly string[]): string {
  const [first] = secrets;
  if (first === undefined) throw new Error("Cannot make a key without a secret");
  return first;
}

function tagOf(part: string, secret: string): string {
  const mac = keyedHash(secret, `toolbooth account ${part}`);
  let number = 0;
  for (let i = 0; i < 6; i += 1) number = number * 256 + (mac[i] as number);
  return base62(number, TAG_CHARS);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** CRC-32 as in ISO 3309 and PNG, of ASCII text, as six base62 digits. */
function checksumOf(text: string): string {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(i)) & 0xff] as number);
  }
  return base62((crc ^ 0xffffffff) >>> 0, CHECKSUM_CHARS);
}

/** The last `chars` base62 digits of a whole number below 2^53, leading zeros kept. */
function base62(number: number, chars: number): string {
  let rest = number;
  let text = "";
  for (let i = 0; i < chars; i += 1) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
