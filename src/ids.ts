/**
 * Identifiers: a prefix for the kind, then random base62 characters. Base62 keeps an id one word, so that a double click
 * selects all of it.
 */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export type RandomBytes = (count: number) => Uint8Array;

/** Uniformly random base62 text. It skips bytes from 248 on, because 248 is the last multiple of 62 below 256. */
export function randomBase62(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < 248) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** The account part is 12 random characters (71 bits). It is also the first part of every key of the account. */
export const ACCOUNT_PART_CHARS = 12;
const KEY_PART_CHARS = 10;

export const newAccountId = (random: RandomBytes) =>
  accountOfPart(randomBase62(ACCOUNT_PART_CHARS, random));

const ACCOUNT_ID = new RegExp(`^acc_[0-9A-Za-z]{${ACCOUNT_PART_CHARS}}$`);
export const isAccountId = (text: string): boolean => ACCOUNT_ID.test(text);

export const accountPart = (accountId: string) => accountId.slice("acc_".length);
export const accountOfPart = (part: string) => `acc_${part}`;

/** A key's id contains the account's id, so that the edge finds the account's object without a look-up. */
export const newKeyId = (accountId: string, random: RandomBytes) =>
  `key_${accountPart(accountId)}${randomBase62(KEY_PART_CHARS, random)}`;

const KEY_ID = new RegExp(
  `^key_([0-9A-Za-z]{${ACCOUNT_PART_CHARS}})[0-9A-Za-z]{${KEY_PART_CHARS}}$`,
);

export function accountOfKeyId(keyId: string): string | undefined {
  const part = KEY_ID.exec(keyId)?.[1];
  return part === undefined ? undefined : accountOfPart(part);
}

/** 95 bits: among a million million ids, two are equal with a probability of one in 95,000. */
const ID_CHARS = 16;
/** Random bytes are drawn for so many characters at once, because each draw costs as much as the rest of an id. */
const DRAWN_CHARS = 256 * ID_CHARS;

/**
 * Makes random ids. An id that counts up would tell each customer how many calls the others make. Random bits are drawn for
 * many ids at once, at the first use and not before, because workerd allows no random numbers outside a request.
 */
export function createIds(random: RandomBytes): (prefix: string) => string {
  let drawn = "";
  let at = 0;
  return (prefix) => {
    if (at === drawn.length) {
      drawn = randomBase62(DRAWN_CHARS, random);
      at = 0;
    }
    at += ID_CHARS;
    return `${prefix}_${drawn.slice(at - ID_CHARS, at)}`;
  };
}

/**
 * The id of a call as operators and customers see it. It leads to the call: it contains the account's id and the time of the debit,
 * by which the ledger finds a debit without a search. The ledger stores only the rest, because it has both in columns of their own.
 */
export function callRef({ account, callId, at }: { account: string; callId: string; at: number }) {
  return `call_${accountPart(account)}${timePart(at)}${callId.slice("call_".length)}`;
}

/** The reverse of `callRef`; null if the text is not the id of a call. */
export function parseCallRef(text: string): { account: string; callId: string; at: number } | null {
  const [, account, time, rest] = CALL_REF.exec(text) ?? [];
  if (account === undefined || time === undefined || rest === undefined) return null;
  let at = 0;
  for (const char of time) at = at * BASE62.length + BASE62.indexOf(char);
  return { account: accountOfPart(account), callId: `call_${rest}`, at };
}

/** Enough for the milliseconds of 6,000 years. */
const TIME_PART_CHARS = 8;
const CALL_REF = new RegExp(
  `^call_([0-9A-Za-z]{${ACCOUNT_PART_CHARS}})([0-9A-Za-z]{${TIME_PART_CHARS}})([0-9A-Za-z]{1,64})$`,
);

function timePart(at: number): string {
  let text = "";
  for (let rest = at; text.length < TIME_PART_CHARS; rest = Math.floor(rest / BASE62.length)) {
    text = `${BASE62[rest % BASE62.length]}${text}`;
  }
  return text;
}
