/** Changes to a document that each remove one thing on which engines differ. */

/**
 * Breaks autolinks between a `[` and its closing bracket. Whether a backtick starts a code span, `<` a tag or `](` an address, which hides
 * that bracket, depends on the engine: there, it breaks all behind the first `[` of the paragraph.
 */
export const breakAutolinksInBrackets = (markdown: string) =>
  markdown.replaceAll(PARAGRAPH, (paragraph) =>
    /[`<]|\]\(/.test(paragraph)
      ? paragraph.replace(/\[[\s\S]*/, (text) => text.replaceAll(AUTOLINK, breakAutolink))
      : changeInBrackets(paragraph, BRACKETS, AUTOLINK, breakAutolink),
  );

const AUTOLINK = /www\.|:\/\/|@/gi;
const breakAutolink = (found: string) => (/w/i.test(found) ? "wvv." : "%");
const PARAGRAPH = /(?:(?!\n(?: {0,3}>)*[ \t]*\n)[\s\S])+/g;

/** Breaks footnote references between a `[` and its closing bracket. */
export const breakCallsInBrackets = (markdown: string) =>
  changeInBrackets(markdown, BRACKETS, /\[\^/, () => "[%");

/** Escaped brackets do not count; a blank line ends the paragraph. */
const BRACKETS = /\\[\s\S]|\n(?: {0,3}>)*[ \t]*\n|[[\]]/;

const joined = (...patterns: RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join("|"));

function changeInBrackets(
  markdown: string,
  passed: RegExp,
  pattern: RegExp,
  change: (found: string) => string,
): string {
  const all = new RegExp(joined(pattern, passed), "gi");
  const whole = new RegExp(`^(?:${pattern.source})$`, "i");
  let open = 0;
  return markdown.replaceAll(all, (found) => {
    const isChanged = open > 0 && whole.test(found);
    if (found.startsWith("[")) open++;
    else if (found === "]") open = Math.max(0, open - 1);
    else if (found.startsWith("\n")) open = 0;
    return isChanged ? change(found) : found;
  });
}

/** The prefix before the text of a line; the marker of a list item is as wide as the indent of its other lines. */
const MARKS = /^(?:\[\^[^\]]*\]:|[ \t>]|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))*/;

/** Breaks footnote references and definitions within a footnote definition. */
export function breakFootnoteCalls(markdown: string): string {
  let isInside = false;
  let isBehindBlank = false;
  return markdown.replaceAll(/^.*$/gm, (line) => {
    const [start = "", text = ""] = [MARKS.exec(line)?.[0], line.replace(MARKS, "")];
    const isIndented = /^[ >]*(?: {4}|\t)/.test(start);
    if (isInside && isBehindBlank && !isIndented && /[^ \t]/.test(line)) isInside = false;
    isBehindBlank = text === "" && !/[^ \t>]/.test(start);
    const definition = /^(.*?\[\^[^\]]*\]:)(.*)$/.exec(line);
    if (isInside) return line.replaceAll("[^", "[%");
    if (definition === null) return line;
    isInside = true;
    return `${definition[1]}${definition[2]?.replaceAll("[^", "[%")}`;
  });
}

/** Breaks emphasis that has only one end between two tildes. */
export function breakCrossings(markdown: string): string {
  const between = /(?<=~)(?:[^~\n]|\n(?![ \t>]*\n))+(?=~)/g;
  return markdown.replaceAll(between, (text) => {
    const isCrossing = /[*_]/.test(
      text.replaceAll(/([*_]+)(?=[\p{L}\p{N}])[^*_]+(?<=[\p{L}\p{N}])\1/gu, ""),
    );
    return isCrossing ? text.replaceAll(/[*_]/g, "x") : text;
  });
}

/**
 * Adds a space behind each run of `*` or `_` that could open and close emphasis, where a part of it, or of a run that is longer than one,
 * may have been used by another run of the same paragraph.
 */
export const breakRestsOfRuns = (markdown: string) =>
  markdown
    .split(/(\n(?:[ \t>]*\n)+)/)
    .map((paragraph) => {
      const runs = [...paragraph.matchAll(/([*_])\1*/g)];
      return paragraph.replaceAll(/(?<=\S)([*_])\1*(?=\S)/g, (run: string, mark: string) => {
        const alike = runs.filter(([, other]) => other === mark);
        return alike.length > 2 && alike.some(([each]) => each.length > 1) ? `${run} ` : run;
      });
    })
    .join("");

/** Breaks the delimiter row of tables whose header has a different indent, or ends a container or is indented by four behind a text. */
export function breakOddTables(markdown: string): string {
  const lines = markdown.split("\n");
  const marksOf = (at: number) => withoutTabs(MARKS.exec(lines[at] ?? "")?.[0] ?? "");
  const quotes = (at: number) => marksOf(at).split(">").length;
  const isOdd = (at: number) => {
    // What is indented by four begins no item.
    const isText = / {4,}(?:[-+*]|\d{1,9}[.)])/.test(marksOf(at - 1));
    const isLazy =
      isText || quotes(at) !== quotes(at - 1) || marksOf(at).length !== marksOf(at - 1).length;
    const isBehind = /[^ \t>]/.test(lines[at - 2] ?? "");
    const isOutside =
      quotes(at - 1) < quotes(at - 2) || marksOf(at - 1).length < marksOf(at - 2).length;
    const isIndented = / {4,}$/.test(marksOf(at - 1));
    return isLazy || (isBehind && (isOutside || isIndented));
  };
  const isDelimiter = (line: string) => /^[ \t>]*[|:-][|: \t-]*$/.test(line);
  return lines
    .map((line, at) => (isDelimiter(line) && isOdd(at) ? line.replaceAll(/[|:]/g, "%") : line))
    .join("\n");
}

/** A tab extends to the next multiple of four columns (CommonMark, section 2.2). */
const withoutTabs = (marks: string) =>
  marks.replaceAll(/([^\t]{4})|([^\t]{0,3})\t/g, (_, four?: string, rest?: string) =>
    (four ?? rest ?? "").padEnd(4),
  );

/**
 * Gives text to every list item, and the number 1 to every ordered item, unless a blank line precedes it outside of footnotes and not
 * behind indented code. The text after it does not move.
 */
export function plainMarkers(markdown: string): string {
  const lines = markdown.split("\n");
  const hasFootnotes = /\[\^[^\]\s]+\]:/.test(markdown);
  let isBehindCode = false;
  return lines
    .map((line, at) => {
      const isInFootnote = line.startsWith("[^") || (hasFootnotes && /^[ \t]/.test(line));
      const isBehind = /\S/.test(lines[at - 1] ?? "") || isInFootnote || isBehindCode;
      if (/\S/.test(line)) isBehindCode = /^[ \t>]*(?: {4}|\t)/.test(line);
      return isBehind ? plainMarkersOf(line) : line;
    })
    .join("\n");
}

function plainMarkersOf(line: string): string {
  const marks = MARKS.exec(line)?.[0] ?? "";
  const numbered = marks.replaceAll(
    /(\d+)([.)])/g,
    (_, digits: string, mark: string) => `1${mark}${" ".repeat(digits.length - 1)}`,
  );
  const isEmpty = marks === line && /(?:[-+*]|\d[.)])[ \t]*$/.test(marks);
  return isEmpty ? `${numbered.trimEnd()} a` : numbered + line.slice(marks.length);
}

/**
 * Replaces the openings of GFM constructs, so that all engines read the same language. The remaining CommonMark blocks
 * and inlines are nearly those of the document; a footnote becomes a list item.
 */
export function withoutGfm(markdown: string): string {
  return markdown
    .replaceAll(/(?<!~)~{1,2}(?!~)/g, "%")
    .replaceAll(/\||:(?=-)|(?<=-):/g, "%")
    .replaceAll(/www\./gi, "wvv.")
    .replaceAll(/:\/\/|@/g, ":")
    .replaceAll(/^\[\^[^\]\s]+\]:[ \t]*/gm, "10. ")
    .replaceAll(/\[\^(?=[^\]]*\]:)/g, "(%")
    .replaceAll("[^", "[%")
    .replaceAll(/\[[ xX]\](?=\s)/g, "[%]");
}

/**
 * The same with every bare address replaced by a plain word, so that characters of the address cannot be part of other
 * constructs.
 */
export const withoutAddresses = (markdown: string) =>
  withoutGfm(
    markdown.replaceAll(
      /(?:www\.|(?:https?|ftp):\/\/)[^\s<]*?(?=[?!.,:*_~'")\]]*(?:\s|<|$))/gi,
      "x",
    ),
  );

/** The same without code spans, which can hide other constructs. */
export const withoutCode = (markdown: string) => withoutGfm(markdown.replaceAll("`", "'"));
