/**
 * Identifiers: a prefix that says what it names, then random base62 characters.
 * Base62 keeps an id one word, so that a double click takes it whole.
 */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export type RandomBytes = (count: number) => Uint8Array;

/** Uniform base62 text: a byte of 248 or more is thrown away, because 248 is the last multiple of 62. */
export function randomBase62(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < 248) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** The account part: 12 characters, 71 random bits. It is also the first part of every key of the account. */
export const ACCOUNT_PART_CHARS = 12;
const KEY_PART_CHARS = 10;

export const newAccountId = (random: RandomBytes) =>
  `acc_${randomBase62(ACCOUNT_PART_CHARS, random)}`;

const ACCOUNT_ID = new RegExp(`^acc_[0-9A-Za-z]{${ACCOUNT_PART_CHARS}}$`);
export const isAccountId = (text: string): boolean => ACCOUNT_ID.test(text);

export const accountPart = (accountId: string) => accountId.slice("acc_".length);
export const accountOfPart = (part: string) => `acc_${part}`;

/** A key's id contains the account's id, so that an edge node finds the account's home without a look-up. */
export const newKeyId = (accountId: string, random: RandomBytes) =>
  `key_${accountPart(accountId)}${randomBase62(KEY_PART_CHARS, random)}`;

const KEY_ID = new RegExp(
  `^key_([0-9A-Za-z]{${ACCOUNT_PART_CHARS}})[0-9A-Za-z]{${KEY_PART_CHARS}}$`,
);

export function accountOfKeyId(keyId: string): string | undefined {
  const part = KEY_ID.exec(keyId)?.[1];
  return part === undefined ? undefined : accountOfPart(part);
}

/**
 * Makes ids that never repeat, across nodes and restarts too: 12 random characters drawn once for the
 * process (71 bits), then a counter. Cheaper than fresh random bits for each of many calls.
 */
export function createIdSequence(random: RandomBytes): (prefix: string) => string {
  let origin: string | undefined;
  let count = 0;
  return (prefix) => {
    // Drawn at the first use: workerd allows no random numbers outside a request.
    origin ??= randomBase62(12, random);
    count += 1;
    return `${prefix}_${origin}${count.toString(36)}`;
  };
}
