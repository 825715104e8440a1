/**
 * Front matter, as Jekyll, Hugo and others have it: the first line is `---`, and a later line `---` or `...` ends it (YAML);
 * or both lines are `+++` (TOML). Blanks may follow the marks.
 */
const OPENING = /^(---|\+\+\+)[\t ]*\n/;
const CLOSINGS: Record<string, RegExp> = {
  "---": /^(?:---|\.\.\.)[\t ]*$/m,
  "+++": /^\+\+\+[\t ]*$/m,
};

/**
 * Splits a source with normalized line endings into the text between the marks and the Markdown after them. Undefined if
 * the source has no front matter, or if it does not end.
 */
export function splitFrontMatter(source: string): { data: string; markdown: string } | undefined {
  const opening = OPENING.exec(source);
  if (opening === null) return undefined;
  const rest = source.slice(opening[0].length);
  const closing = CLOSINGS[opening[1] ?? ""]?.exec(rest);
  if (!closing) return undefined;
  const end = closing.index + closing[0].length;
  return { data: rest.slice(0, closing.index), markdown: rest.slice(end + 1) };
}
