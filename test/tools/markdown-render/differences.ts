import { BLOCK_ELEMENTS } from "#tools/markdown-render/html-text.ts";
import {
  breakAutolinksInBrackets,
  breakCallsInBrackets,
  breakCrossings,
  breakFootnoteCalls,
  breakOddTables,
  breakRestsOfRuns,
  plainMarkers,
} from "./rewrite-markdown.ts";

/**
 * Reasons for which our output may differ from all references, each as narrow as possible: a change to the document, or
 * to the output of all engines, that removes only this difference. A difference explains a document if all engines
 * agree after the change.
 */
export type Difference = {
  readonly reason: string;
  /** Applies only to documents that match this. */
  readonly when?: RegExp;
  readonly source?: (markdown: string) => string;
  readonly html?: (html: string) => string;
};

const replacing =
  (pattern: RegExp, replacement: string) =>
  (text: string): string =>
    text.replaceAll(pattern, replacement);

/** Cases in which GFM's text says one thing, and micromark does what github.com does or has not implemented it. */
const AUTOLINKS: readonly Difference[] = [
  {
    reason:
      "autolink behind an open bracket: GFM, 6.9, knows no such exception, micromark makes none",
    source: breakAutolinksInBrackets,
  },
  {
    reason: "a bracket beside an address: micromark ends and begins addresses there",
    source: (markdown) =>
      markdown
        .replaceAll(/([[\]])(?=www\.)/gi, "$1 ")
        .replaceAll(/((?:www\.|:\/\/)[^\s<\]]*|@[^\s<\][]*)(?=\])/gi, "$1 "),
  },
  {
    reason: "www. without a domain behind it: none for GFM, 6.9, the domain `www` for micromark",
    source: replacing(/www\.(?![\p{L}\p{N}-]|$)|www\.$/giu, "wvv."),
  },
  {
    reason: "a domain that begins with a period: not for GFM, 6.9",
    source: replacing(/@\./g, "@"),
  },
  {
    reason: "@ behind an address: cmark-gfm's tests make no link of it, micromark one up to there",
    source: replacing(/(@[\w.-]*\w)(?=[+_.-]*@|\+[\w.+-]*@)/g, "$1 "),
  },
  {
    reason: "www. before an @: GFM, 6.9, is at the www. first; micromark tries addresses first",
    source: replacing(/www\.(?=[\w.+-]*@)/gi, "wvv."),
  },
  {
    reason: "punctuation before a parenthesis that an address closes: in it for GFM, 6.9",
    source: replacing(/((?:www\.|:\/\/)[^\s<]*?)[?!.,:*_~'";]+(?=\))/gi, "$1"),
  },
  {
    reason: "an escaped pipe in an address in a table: without its backslash in GFM, 4.10",
    source: replacing(/((?:www\.|:\/\/)[^\s<]*?)\\\|/gi, "$1"),
  },
  {
    reason: "ftp:// is an autolink for GFM, 6.9; micromark does not know it",
    source: replacing(/ftp:\/\//gi, "http://"),
  },
  {
    reason:
      "_ beside an address: emphasis where it is that, as in cmark-gfm; micromark asks the address first",
    when: /_\S*@|@\S*_/,
    source: replacing(/_/g, "-"),
  },
  {
    reason: "mailto: and xmpp: before an address belong to it in GFM, 6.9; not yet in micromark",
    source: replacing(/(?:(?:mailto|xmpp):)+(?=[\w.+-]+@)/gi, ""),
  },
];

const GFM: readonly Difference[] = [
  {
    reason: "a pipe behind several backslashes: in its cell, as on GitHub; micromark pairs them",
    source: replacing(/\\{2,}(?=\|)/g, "\\"),
  },
  {
    reason:
      "a line ending behind a task's box: white space before the content for us, as any other",
    source: replacing(/(\[[ xX]\])[ \t]*(?=[\r\n])/g, "$1 a"),
  },
  {
    reason:
      "a table's header that is a lazy line, the last of a container or indented by four: not in micromark",
    source: breakOddTables,
  },
  {
    reason: "a box on the line below its list marker: GFM, 5.3, asks only that it begins the item",
    source: replacing(/((?:[-+*]|\d[.)])[ \t]*\n[ \t>]*)\[[ xX]\](?=\s)/g, "$1[%]"),
  },
  {
    reason: "~ beside * or _: left out for us, as in cmark-gfm; micromark opens and closes there",
    source: replacing(/(?<=[*_])(?=~)|(?<=~)(?=[*_])/g, "x"),
  },
  {
    reason:
      "~ that crosses * or _: one stack for us as in cmark-gfm, an order of kinds for micromark",
    source: breakCrossings,
  },
  {
    reason: "a footnote that nothing but footnotes refers to: we number what is written",
    source: breakFootnoteCalls,
  },
  {
    reason: "a footnote's call in a link's text: it ends the link for us; micromark nests the two",
    source: breakCallsInBrackets,
  },
  {
    reason: "a footnote's call that could be an image: a call for us, whatever stands behind it",
    source: replacing(/!(?=\[\^[^\]]*\][[(])/g, ""),
  },
  {
    reason: "a footnote's call in a cell too many: not written, so for us it does not count",
    source: replacing(/(?<=\|.*)\[\^/g, "[%"),
  },
  {
    reason: "a label that a footnote defines again within itself: the first definition counts",
    source: replacing(/^([ \t]+)\[\^(?=[^\]]*\]:)/gm, "$1[%"),
  },
];

/** Cases in which both references, or the one that judges, deviate from CommonMark 0.31.2. */
const CORE: readonly Difference[] = [
  {
    reason:
      "the number of a control character from 128 to 159: that character for CommonMark, 2.5, a letter for commonmark.js, U+FFFD for micromark",
    source: replacing(/&#(?:0*1(?:2[89]|[345]\d)|x0*[89][\da-f]);/gi, "é"),
  },
  {
    reason: "the description of a refused image: with its emphasis for us, as text for micromark",
    source: replacing(/\bfoo:bar/g, "/bar"),
  },
  {
    reason: "symbols beyond U+FFFF: punctuation for CommonMark, 2.1; the references see halves",
    source: replacing(/(?=[\u{10000}-\u{10ffff}])[\p{S}\p{P}]/gu, "☺"),
  },
  {
    reason: "no-break and written-out spaces at the edge of a text: commonmark.js trims them",
    source: replacing(/\u00a0|&#32;|&nbsp;|&NewLine;|&Tab;|&#9;/g, "é"),
  },
  {
    reason: "a tab among the spaces before a line ending: shown by none, kept by some",
    source: replacing(/[ \t]*\t[ \t]*(?=\n|\r)/g, ""),
  },
  {
    reason:
      "a tab beside an address or a title: white space for CommonMark, 2.1, not commonmark.js",
    source: replacing(/(?<=\]\(|\]:)[ \t]*\t[ \t]*|[ \t]*\t[ \t]*(?=[)"'(])/g, " "),
  },
  {
    reason: "the contents of elements that a browser does not show go with the tags, not in those",
    source: replacing(
      /<(script|style|title|textarea|iframe|noembed|noframes|plaintext|xmp)\b[^>]*>.*?<\/\1(?:\s*>|\s*$)/gis,
      "<b></b>",
    ),
  },
  {
    reason: "a block element's tag between texts: a space for us, as a browser shows them apart",
    source: (markdown) =>
      markdown.replaceAll(/(?<=\S)<(\/?)([a-z]\w*)/gi, (tag, slash, name) =>
        BLOCK_ELEMENTS.has(name.toLowerCase()) ? `<${slash}b` : tag,
      ),
  },
  {
    reason: "tabs in an address and blanks at its ends: not in ours, escaped by the references",
    html: replacing(/%09|(?<=(?:href|src)="(?:%09)*)(?:%20|%09)+|(?:%20|%09)+(?=")/g, ""),
  },
  {
    reason: "a hard line break in the description of an image: nothing for commonmark.js",
    html: (html) => html.replaceAll(/ alt="[^"]*"/g, (text) => text.replaceAll(/\s+/g, " ")),
  },
  {
    reason: "a link within a link: we leave the outer one, as HTML has no other",
    html: (html) =>
      html.replaceAll(/<a [^>]*>(?:(?!<\/a>)[\s\S])*?<a [\s\S]*?<\/a>[\s\S]*?<\/a>/g, (link) => {
        const inner = link.slice(link.indexOf(">") + 1, -"</a>".length);
        return `${link.slice(0, link.indexOf(">") + 1)}${inner.replaceAll(/<\/?a\b[^>]*>/g, "")}</a>`;
      }),
  },
];

const EMPHASIS: readonly Difference[] = [
  {
    reason:
      "the rule of three for a run of which a part is used: micromark counts what is left of it, CommonMark, 6.2, the whole",
    source: breakRestsOfRuns,
  },
];

const CODE: readonly Difference[] = [
  {
    reason: "micromark splits indented code behind a container",
    html: replacing(/\n<\/code><\/pre><pre><code>/g, "\n"),
  },
  {
    reason:
      "micromark keeps white space in code that belongs to the container, or loses blank lines",
    html: (html) =>
      html
        .replaceAll(/\s+(?=<\/code>)|(?<=<code[^>]*>)\s+/g, "")
        .replaceAll(/(?<=<code[^>]*>[^<]*)\s+/g, " "),
  },
  {
    reason: "micromark loses line endings in code that ends with its container",
    html: (html) => html.replaceAll(/<pre>.*?<\/pre>/gs, (code) => code.replaceAll("\n", "")),
  },
  {
    reason: "micromark leaves a % that is no escape in addresses",
    html: replacing(/%25/g, "%"),
  },
  {
    reason: "micromark takes white space of other kinds into the language of a code block",
    html: replacing(/ class="language-\s[^"]*"/g, ""),
  },
];

const CONTAINERS: readonly Difference[] = [
  {
    reason:
      "micromark lets no empty item, nor one numbered from 2, begin in a quote or behind code",
    source: plainMarkers,
  },
  {
    reason: "micromark takes a list for loose that ends in a blank line of its quote",
    source: replacing(/\n[ \t>]*>[ \t]*(?=\n|$)/g, ""),
  },
  {
    reason: "micromark takes a list for loose that ends in a blank line of its footnote",
    when: /\[\^[^\]\s]+\]:/,
    html: replacing(/(?<=<li>(?:(?!<\/?li>).)*)<\/?p>/gs, ""),
  },
  {
    reason: "micromark loses the line ending before a lazy line behind a footnote's definition",
    when: /\[\^[^\]\s]+\]:/,
    html: (html) =>
      html
        .replaceAll(/<code>.*?<\/code>/gs, (code) => code.replaceAll(/\s/g, ""))
        // A line ending beside a tag that was taken out is a space.
        .replaceAll(/\n|(?<=<p>[^<]*) (?=[^<]*<\/p>)/g, ""),
  },
  {
    reason: "micromark does not know a definition in a footnote before it has read it",
    when: /\[\^[^\]\s]+\]:/,
    source: replacing(/^( {4,}|\t)\[(?=[^\]]*\]:)/gm, "$1("),
  },
  {
    reason: "micromark loses lines behind a footnote's definition that stands in a list or a quote",
    source: replacing(/^([ \t>]*(?:[-+*>]|\d+[.)])[ \t]*)\[\^(?=[^\]]*\]:)/gm, "$1(%"),
  },
];

/**
 * The differences between our engine and the references, smallest change first, because the first one that explains a
 * document is used.
 */
export const DIFFERENCES = [...CORE, ...AUTOLINKS, ...GFM];

/** Errors of micromark in CommonMark, which matter where it is the only judge. */
export const FAULTS_OF_MICROMARK = [...EMPHASIS, ...CODE, ...CONTAINERS];
