import type { ReactNode } from "react";

/** Syntax colors for JSON and HTML. The classes are named as those of the documentation. */
export type Syntax = "json" | "html" | "none";

/** Group 1: a string; group 2: the colon that makes it a name. */
const JSON_PARTS = /("(?:\\.|[^"\\])*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;
/** Group 1: a tag with its name; group 2: its attributes; group 3: its end; group 4: a character reference or a comment. */
const HTML_PARTS = /(<\/?[a-z][\w-]*)((?:"[^"]*"|[^>"])*)(>?)|(&#?\w+;|<!--[\s\S]*?-->)/gi;
const ATTRIBUTES = /([\w:-]+)(=)("[^"]*"?)/g;

export function highlight(code: string, syntax: Syntax): ReactNode {
  if (syntax === "json") return colorJson(code);
  return syntax === "html" ? colorHtml(code) : code;
}

/** The text with what `color` makes of each match, and what is between them unchanged. */
function replaceMatches(
  text: string,
  pattern: RegExp,
  color: (match: RegExpMatchArray, key: string) => ReactNode,
): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const at = match.index ?? 0;
    if (at > end) parts.push(text.slice(end, at));
    parts.push(color(match, String(at)));
    end = at + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

const span = (kind: string, text: string, key: string) => (
  <i key={key} className={`tb-syntax-${kind}`}>
    {text}
  </i>
);

const colorJson = (code: string): ReactNode[] =>
  replaceMatches(code, JSON_PARTS, ([token, string, colon], key) => {
    if (string === undefined) return span("value", token, key);
    return colon === undefined ? span("text", token, key) : span("name", token, key);
  });

const colorHtml = (code: string): ReactNode[] =>
  replaceMatches(code, HTML_PARTS, ([whole, tag, attributes = "", end = ""], key) => {
    if (tag === undefined) return span("value", whole, key);
    return [
      span("name", tag, `${key} tag`),
      ...replaceMatches(attributes, ATTRIBUTES, ([, name = "", equals, value = ""], at) => [
        span("value", name, `${key} ${at} name`),
        equals,
        span("text", value, `${key} ${at} value`),
      ]).flat(),
      end === "" ? "" : span("name", end, `${key} end`),
    ];
  }).flat();
