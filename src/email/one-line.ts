/** Makes user input safe to show in an email: one line that cannot reorder or hide the text around it. */
import { EMAIL_CHARS_MAX } from "#limits.ts";

/** Control characters, line and paragraph separators, lone surrogates and white space. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\s]+/gu;
/** Bidirectional controls and invisible characters, but not ZWJ and ZWNJ, which some scripts need. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Returns the text as one line of at most `charsMax` code points, cut with an ellipsis. */
export function oneLine(text: string, charsMax: number): string {
  const chars = [...text.replace(INVISIBLE, "").replace(BREAKS, " ").trim()];
  if (chars.length <= charsMax) return chars.join("");
  const start = chars.slice(0, charsMax - 1).join("");
  return `${start.trimEnd()}…`;
}

/**
 * Whether an address can be used unchanged in a header and an envelope: one `@` with text on both sides, no spaces, no
 * control or invisible characters, and none of the specials of RFC 5322, which would make it a list, a name or a
 * comment.
 */
export function isPlainAddress(text: string): boolean {
  return (
    text.length <= EMAIL_CHARS_MAX &&
    /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/.test(text) &&
    text.search(BREAKS) < 0 &&
    text.search(INVISIBLE) < 0
  );
}
