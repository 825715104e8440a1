import { resolvedCharsMax } from "./bounds.ts";
import { DIGIT, isIn, LETTER, SPACE, URL_SAFE } from "./characters.ts";

/** Every scheme that a link or image can have. None of them can run a script or embed content. */
const SCHEMES = new Set(["http", "https", "mailto", "tel", "xmpp", "ftp", "irc", "ircs"]);

/**
 * Returns the address of a link or image for the attribute (before HTML escaping), or undefined if its scheme is not
 * allowed. `address` is decoded: it has no backslash escapes or character references. Control characters are removed,
 * because browsers drop some of them (WHATWG URL, section 4.4), and characters that a URL cannot contain are
 * percent-encoded. The scheme is read from the result, not from the input.
 */
export function cleanAddress(address: string): string | undefined {
  const encoded = encodeAddress(address);
  return hasAllowedScheme(encoded) ? encoded : undefined;
}

/** Resolves the relative addresses of a document against the URL at which it stands. */
export class BaseUrl {
  private readonly url: string;
  private charsLeft: number;

  /** `url` is absolute, and its scheme is http or https. */
  constructor(url: string, sourceChars: number) {
    this.url = url;
    this.charsLeft = resolvedCharsMax(sourceChars);
  }

  /**
   * The address, made absolute where it is relative (WHATWG URL, section 4.4); undefined where its scheme is not allowed or
   * beyond the bound. Links within the page, and relative addresses that no base makes a URL, stay as they are.
   */
  resolve(address: string): string | undefined {
    if (address === "" || address.startsWith("#") || schemeOf(address) !== undefined)
      return address;
    const resolved = URL.parse(address, this.url)?.href ?? address;
    this.charsLeft -= Math.max(resolved.length - address.length, 0);
    return this.charsLeft >= 0 && hasAllowedScheme(resolved) ? resolved : undefined;
  }
}

function hasAllowedScheme(address: string): boolean {
  const scheme = schemeOf(address);
  return scheme === undefined || SCHEMES.has(scheme.toLowerCase());
}

/** Returns the text before the first colon if a browser would read it as a scheme. */
export function schemeOf(address: string): string | undefined {
  if (!isIn(address.charCodeAt(0), LETTER)) return undefined;
  for (let pos = 1; pos < address.length; pos++) {
    const c = address.charCodeAt(pos);
    if (c === 58) return address.slice(0, pos);
    if (!isIn(c, LETTER | DIGIT) && c !== 43 && c !== 45 && c !== 46) return undefined;
  }
  return undefined;
}

function encodeAddress(address: string): string {
  let pos = 0;
  while (pos < address.length && isIn(address.charCodeAt(pos), URL_SAFE)) pos++;
  if (pos === address.length) return address;
  const source = withoutControls(address);
  let encoded = "";
  let kept = 0;
  for (pos = 0; pos < source.length; pos++) {
    const c = source.charCodeAt(pos);
    if (isIn(c, URL_SAFE) || c === AMPERSAND) continue;
    if (c === PERCENT && isHex(source, pos + 1) && isHex(source, pos + 2)) continue;
    const character = String.fromCodePoint(source.codePointAt(pos) ?? c);
    encoded += source.slice(kept, pos) + percentEncode(character);
    pos += character.length - 1;
    kept = pos + 1;
  }
  return encoded + source.slice(kept);
}

const AMPERSAND = 38;
const PERCENT = 37;

/** A URL has no C0, DEL or C1 characters and no spaces at its ends. */
function withoutControls(address: string): string {
  const clean = address.replace(/\p{Cc}+/gu, "");
  let from = 0;
  let to = clean.length;
  while (from < to && clean.charCodeAt(from) === SPACE) from++;
  while (to > from && clean.charCodeAt(to - 1) === SPACE) to--;
  return clean.slice(from, to);
}

function isHex(s: string, pos: number): boolean {
  const c = s.charCodeAt(pos) | 32;
  return isIn(c, DIGIT) || (c >= 97 && c <= 102);
}

function percentEncode(character: string): string {
  if (character === "%") return "%25";
  // A lone surrogate has no UTF-8 form.
  return character.isWellFormed() ? encodeURIComponent(character) : "%EF%BF%BD";
}
