/** Normalizes HTML that the specifications and engines write in different ways. */

const BLOCK_TAG =
  /\n*(<\/?(?:blockquote|h[1-6]|hr|li|ol|p|pre|section|table|tbody|td|th|thead|tr|ul)(?: [^>]*)?>)\n*/g;

/**
 * Names for screen readers and style sheets that github.com adds to footnotes and tasks. The specifications have none of
 * them; footnotes.test.ts and tasks.test.ts expect them.
 */
const NAMES =
  / (?:aria-label="[^"]*"|data-footnote(?:s|-ref|-backref)=""|class="(?:contains-task-list|task-list-item(?:-checkbox)?)")/g;

const withoutNames = (html: string) =>
  html.replaceAll(/<(?:a|input|section|ul|ol|li) [^>]*>/g, (tag) =>
    tag.replaceAll(NAMES, "").replace(" data-footnote-backref", ""),
  );

/** Task checkboxes: GFM's specification and cmark-gfm's tests order the attributes and end the tag differently. */
export const normalizeInputs = (html: string) =>
  withoutNames(html).replaceAll(/<input ([^>]*?) ?\/?>/g, (_, attributes: string) =>
    inputOf(attributes),
  );

/**
 * Void elements can end with `>` or ` />` in HTML. Line breaks between block tags are not shown. Those in code and
 * paragraphs are kept, because no block tag is beside them.
 */
export function normalizeHtml(html: string): string {
  return normalizeInputs(html)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(" />", ">")
    .replaceAll(BLOCK_TAG, "$1")
    .trim();
}

const inputOf = (attributes: string) => `<input ${attributes.split(" ").sort().join(" ")}>`;

/**
 * For documents without their raw HTML: a paragraph that had nothing else may be empty or missing, and a space before a
 * tag at the end of a paragraph is not shown.
 */
export function normalizeStripped(html: string): string {
  return normalizeHtml(html)
    .replaceAll(/\s+(<\/(?:p|h[1-6]|li|td|th)>)/g, "$1")
    .replaceAll(/(<(?:p|h[1-6]|li|td|th)(?: [^>]*)?>)\s+/g, "$1")
    .replaceAll("<p></p>", "");
}

/**
 * micromark writes footnotes as GitHub does today, and we write them as in cmark-gfm's tests. This keeps what both have
 * in common: the number of the reference and the definitions in order. Other tests cover ids and links. White space
 * after a task checkbox is normalized.
 */
export function normalizeGfm(html: string): string {
  return html
    .replaceAll(/<sup[^>]*><a href="#user-content-fn[^>]*>(\d+)<\/a><\/sup>/g, "<sup>$1</sup>")
    .replaceAll(/\s*<a href="#user-content-fnref[^>]*>↩(?:<sup[^>]*>\d+<\/sup>)?<\/a>/g, "")
    .replaceAll(/<section[^>]*>(?:<h2 id="footnote-label"[^>]*>Footnotes<\/h2>)?/g, "<section>")
    .replaceAll(/<li id="user-content-fn[^"]*">/g, "<li>")
    .replaceAll("<p></p>", "")
    .replaceAll(/(<input [^>]*>)\s+/g, "$1 ");
}
