import { characterEntities } from "character-entities";

/**
 * What is left of raw HTML, written again by regular expressions over the whole text: the engine reads it line by line
 * with a state machine, and shares no code with this.
 */

const VALUE = /\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>"'][^\s>]*|(?=>)|$)/.source;
const ATTRIBUTE = `(?:[^\\s/>=]+(?:${VALUE})?|${VALUE})`;
const TOKEN = new RegExp(
  [
    /<!--(?:-?>|[\s\S]*?(?:-->|$))/.source,
    /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/.source,
    /<\?[\s\S]*?(?:\?>|$)/.source,
    /<[!/](?![a-z])[^>]*(?:>|$)/.source,
    /<![^>]*(?:>|$)/.source,
    `<(?<slash>/?)(?<name>[a-z][^\\s/>]*)(?<attributes>(?:[\\s/]+|${ATTRIBUTE})*)(?<end>>|$)`,
  ].join("|"),
  "gi",
);
const HIDDEN = /^(?:script|style|title|textarea|iframe|noembed|noframes|plaintext|xmp)$/;
const BLOCK =
  /^(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|legend|li|link|main|menu|menuitem|nav|ol|optgroup|option|p|param|search|section|summary|table|tbody|tfoot|thead|tr|track|ul|pre)$/;
/** Marks that no document of the tests contains. */
const BREAK = "\ue000";
const PARAGRAPH = "\ue001";
const CODE = "\ue002";

/** The HTML of an HTML block without its markup. */
export function renderHtmlBlock(raw: string): string {
  return markedText(raw)
    .split(PARAGRAPH)
    .map((part) => (part.startsWith(CODE) ? renderCode(part.slice(1)) : renderParagraph(part)))
    .join("");
}

/** What is shown in place of an inline tag: the description of an image. */
export const textOfInline = (raw: string): string =>
  /^<img\b/i.test(raw) ? collapsed(markedText(raw)) : "";

/** The text with a mark for each line break, paragraph and beginning of code. */
function markedText(raw: string): string {
  let marked = "";
  let rest = raw;
  let isCode = false;
  for (;;) {
    TOKEN.lastIndex = 0;
    const match = TOKEN.exec(rest);
    if (match === null) return marked + decode(rest);
    marked += decode(rest.slice(0, match.index));
    rest = rest.slice(match.index + match[0].length);
    const { name = "", slash, attributes = "", end } = match.groups ?? {};
    if (end !== ">") continue;
    const tag = name.toLowerCase();
    if (tag === "pre") isCode = slash === "";
    const mark = markOf(tag, attributes);
    marked += mark === PARAGRAPH && isCode ? PARAGRAPH + CODE : mark;
    if (HIDDEN.test(tag) && slash === "") {
      const closing = rest.search(new RegExp(`</${tag}(?=[\\s/>]|$)`, "i"));
      rest = closing < 0 ? "" : rest.slice(closing);
    }
  }
}

function markOf(tag: string, attributes: string): string {
  if (tag === "br") return BREAK;
  if (tag === "img") return decode(altOf(attributes));
  if (tag === "td" || tag === "th") return " ";
  return BLOCK.test(tag) ? PARAGRAPH : "";
}

function altOf(attributes: string): string {
  for (const [attribute] of attributes.matchAll(new RegExp(ATTRIBUTE, "g"))) {
    const [, name = "", value = ""] = /^(.[^=\s]*)(?:\s*=\s*([\s\S]*))?$/.exec(attribute) ?? [];
    if (name.toLowerCase() === "alt") return value.replace(/^(["'])([\s\S]*)\1$/, "$2");
  }
  return "";
}

const decode = (text: string) =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return characterEntities[name as string] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });

const collapsed = (text: string) =>
  text
    .replaceAll(/[\t\n\v\f\r ]+/g, " ")
    .replaceAll(/ ?(?:\ue000 ?)+/g, BREAK)
    .replaceAll(/^[ \ue000]|[ \ue000]$/g, "");

const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

function renderParagraph(part: string): string {
  const text = collapsed(part);
  return text === "" ? "" : `<p>${escaped(text).replaceAll(BREAK, "<br />\n")}</p>\n`;
}

function renderCode(part: string): string {
  const text = part.replaceAll(BREAK, "\n").replace(/^\n/, "");
  const code = text.replace(/[\t\n\v\f\r ]+$/, "");
  return code === "" ? "" : `<pre><code>${escaped(code)}\n</code></pre>\n`;
}
