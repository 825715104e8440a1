/** What people typed, made safe to stand in a letter: on one line, and unable to change how its neighbours read. */
import { EMAIL_CHARS_MAX } from "#limits.ts";

/** Control characters, line and paragraph separators and lone surrogates (which are no text). */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\s]+/gu;
/** Marks that turn the direction of the text around them, and characters that nobody sees. ZWJ and ZWNJ stay: scripts need them. */
const UNSEEN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** At most `charsMax` characters (code points), with an ellipsis where some were cut. */
export function oneLine(text: string, charsMax: number): string {
  const chars = [...text.replace(UNSEEN, "").replace(BREAKS, " ").trim()];
  return chars.length <= charsMax
    ? chars.join("")
    : `${chars
        .slice(0, charsMax - 1)
        .join("")
        .trimEnd()}…`;
}

/**
 * Whether an address can stand in a header and in an envelope as it is: no spaces, no control or unseen characters,
 * none of the specials of RFC 5322 (which would make it a list, a name or a comment), one `@` with something on both
 * sides. Whether it is a good address is for accounts to say.
 */
export function isPlainAddress(text: string): boolean {
  return (
    text.length <= EMAIL_CHARS_MAX &&
    /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/.test(text) &&
    text.search(BREAKS) < 0 &&
    text.search(UNSEEN) < 0
  );
}
