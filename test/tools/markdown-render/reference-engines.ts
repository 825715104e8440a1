import { HtmlRenderer, type Node, Node as NodeOf, Parser } from "commonmark";
import { micromark, type Options } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { renderHtmlBlock, textOfInline } from "./html-block-text.ts";

/**
 * Two engines that share no code with ours or with each other. Both apply our rules for raw HTML and addresses:
 * commonmark.js in its tree, micromark in its handlers and on its output.
 */

/** Unmodified commonmark.js: CommonMark with raw HTML. */
export const renderCommonMark = (markdown: string) =>
  new HtmlRenderer().render(new Parser().parse(markdown));

/** Whether commonmark.js finds raw HTML in the document. */
export function hasRawHtml(markdown: string): boolean {
  return markdown.includes("<") && nodesOf(new Parser().parse(markdown)).some(isRawHtml);
}

/** Renders the CommonMark document without its raw HTML; links with disallowed addresses become text. */
export function renderStripped(markdown: string): string {
  const root = new Parser().parse(markdown);
  for (const node of nodesOf(root)) {
    if (isRawHtml(node)) strip(node);
    else if (isRefused(node)) replaceByContents(node);
  }
  return new HtmlRenderer().render(root);
}

const isRawHtml = ({ type }: Node) => type === "html_block" || type === "html_inline";

function nodesOf(root: Node): Node[] {
  const nodes: Node[] = [];
  const walker = root.walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    if (event.entering) nodes.push(event.node);
  }
  return nodes;
}

function strip(node: Node): void {
  const raw = node.literal ?? "";
  const [type, text] =
    node.type === "html_block"
      ? (["html_block", renderHtmlBlock(`${raw}\n`).trimEnd()] as const)
      : (["text", textOfInline(raw)] as const);
  // An empty block keeps the line break between the two tight paragraphs around it.
  const left = new NodeOf(type === "html_block" && text === "" ? "custom_block" : type);
  if (text !== "") left.literal = text;
  if (text !== "" || type === "html_block") node.insertBefore(left);
  node.unlink();
}

const SCHEMES = /^(?:https?|mailto|tel|xmpp|ftp|ircs?):/i;

/** The allowlist, written independently for addresses that an engine has already decoded and encoded. */
export const isAllowed = (url: string) => !/^[a-z][a-z0-9+.-]*:/i.test(url) || SCHEMES.test(url);

const isRefused = ({ type, destination }: Node) =>
  (type === "link" || type === "image") && !isAllowed(destination ?? "");

function replaceByContents(node: Node): void {
  while (node.firstChild !== null) node.insertBefore(node.firstChild);
  node.unlink();
}

type Extension = NonNullable<Options["htmlExtensions"]>[number];

/** Raw HTML is read, and only its text is written. */
const withoutHtml: Extension = {
  enter: {
    htmlFlow() {
      this.lineEndingIfNeeded();
      this.buffer();
    },
    htmlText() {
      this.buffer();
    },
  },
  exit: {
    htmlFlowData(token) {
      this.raw(this.sliceSerialize(token));
    },
    htmlTextData(token) {
      this.raw(this.sliceSerialize(token));
    },
    htmlFlow() {
      const raw = this.resume();
      this.raw(renderHtmlBlock(`${raw}\n`).trimEnd());
      this.lineEndingIfNeeded();
    },
    htmlText() {
      const raw = this.resume();
      this.raw(this.encode(textOfInline(raw)));
    },
  },
};

const DANGEROUS = { allowDangerousHtml: true, allowDangerousProtocol: true };
const CORE: Options = { ...DANGEROUS, htmlExtensions: [withoutHtml] };
const GFM: Options = {
  ...DANGEROUS,
  extensions: [gfm()],
  htmlExtensions: [gfmHtml({ clobberPrefix: "user-content-" }), withoutHtml],
};

/** micromark without extensions: CommonMark. */
export const renderMicromark = (markdown: string) => unlinkRefused(micromark(markdown, CORE));

/** micromark with tables, strikethrough, autolinks, task lists and footnotes. */
export function renderMicromarkGfm(markdown: string): string {
  try {
    return unlinkRefused(micromark(markdown, GFM));
  } catch (error) {
    // It fails on some nested footnote definitions.
    return `micromark: ${error}`;
  }
}

/** Links do not nest, so the next end tag belongs to the start tag. An image becomes its description. */
function unlinkRefused(html: string): string {
  return html
    .replaceAll(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, (image, url: string, text: string) =>
      isAllowed(url) ? image : text,
    )
    .replaceAll(/<a href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g, (link, url: string, text: string) =>
      isAllowed(url) ? link : text,
    );
}
