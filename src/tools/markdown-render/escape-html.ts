/**
 * Returns the text between `from` and `to`, with the four characters escaped that are special in HTML and its
 * attributes.
 */
export function escapeHtml(s: string, from = 0, to = s.length): string {
  let escaped = "";
  let kept = from;
  for (let pos = from; pos < to; pos++) {
    const entity = escapeOf(s.charCodeAt(pos));
    if (entity === "") continue;
    escaped += s.slice(kept, pos) + entity;
    kept = pos + 1;
  }
  return kept === from ? s.slice(from, to) : escaped + s.slice(kept, to);
}

function escapeOf(c: number): string {
  // `>` has the highest code of the four, so one comparison is enough for most characters.
  if (c > 62) return "";
  switch (c) {
    case 34:
      return "&quot;";
    case 38:
      return "&amp;";
    case 60:
      return "&lt;";
    case 62:
      return "&gt;";
    default:
      return "";
  }
}
