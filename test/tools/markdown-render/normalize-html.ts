/** Writes the same HTML in one way where the specifications and the engines write it in several. */

const BLOCK_TAG =
  /\n*(<\/?(?:blockquote|h[1-6]|hr|li|ol|p|pre|section|table|tbody|td|th|thead|tr|ul)(?: [^>]*)?>)\n*/g;

/** Boxes of tasks: GFM's specification and cmark-gfm's tests order their attributes and end them in two ways. */
export const normalizeInputs = (html: string) =>
  html.replaceAll(/<input ([^>]*?) ?\/?>/g, (_, attributes: string) => inputOf(attributes));

/**
 * Void elements end in `>` or ` />` in HTML, at will. Line breaks between the tags of blocks are not shown; those in
 * code and in paragraphs are kept: no tag of a block stands beside them.
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
 * For what is left when raw HTML is taken out: a paragraph of nothing else may stay, empty, or go, and a space that
 * stood before a tag at the end of a paragraph is not shown.
 */
export function normalizeStripped(html: string): string {
  return normalizeHtml(html)
    .replaceAll(/\s+(<\/(?:p|h[1-6]|li|td|th)>)/g, "$1")
    .replaceAll(/(<(?:p|h[1-6]|li|td|th)(?: [^>]*)?>)\s+/g, "$1")
    .replaceAll("<p></p>", "");
}

/**
 * micromark writes footnotes as GitHub does today, we as cmark-gfm's tests have them. What is left is the same in both:
 * the number at the call, and the definitions in their order. Ids and the links between them have tests of their own.
 * Behind the box of a task any white space looks the same.
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
