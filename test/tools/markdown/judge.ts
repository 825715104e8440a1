import { renderMarkdown } from "#tools/markdown/render-markdown.ts";
import { EXPLANATIONS } from "./explanations.ts";
import { normalizeFootnotes, normalizeHtml, normalizeStripped } from "./normalize-html.ts";
import {
  hasRawHtml,
  renderMicromark,
  renderMicromarkGfm,
  renderStripped,
} from "./reference-engines.ts";

/** One document as each engine renders it, normalised. */
export type Renderings = {
  readonly markdown: string;
  readonly ours: string;
  readonly commonMark: string;
  readonly micromark: string;
};

/**
 * What became of a document. Where it has none of GFM's constructs there are two references, and ours must be as one
 * of them; where it has, micromark alone can say what is right.
 */
export type Verdict =
  | "as both references"
  | "as micromark, with constructs of GFM"
  | "as commonmark.js, where micromark differs"
  | "as micromark, where commonmark.js differs"
  | { readonly explained: string }
  | "unexplained";

export function render(markdown: string): Renderings {
  const normalize = hasRawHtml(markdown) ? normalizeStripped : normalizeHtml;
  return {
    markdown,
    ours: normalizeFootnotes(normalize(renderMarkdown(markdown, false).html)),
    commonMark: normalize(renderStripped(markdown)),
    micromark: normalizeFootnotes(normalize(renderMicromarkGfm(markdown))),
  };
}

export function judge(renderings: Renderings): Verdict {
  const { markdown, ours, commonMark, micromark } = renderings;
  if (ours === commonMark && ours === micromark) return "as both references";
  const plain = isPlain(renderings);
  if (ours === micromark) {
    return plain
      ? "as micromark, where commonmark.js differs"
      : "as micromark, with constructs of GFM";
  }
  if (ours === commonMark && plain) return "as commonmark.js, where micromark differs";
  const explanation = EXPLANATIONS.find(({ holds }) => holds(renderings));
  return explanation === undefined ? "unexplained" : { explained: explanation.reason };
}

/** True where the extensions of GFM change nothing. */
function isPlain({ markdown, micromark }: Renderings): boolean {
  const normalize = hasRawHtml(markdown) ? normalizeStripped : normalizeHtml;
  return normalizeFootnotes(normalize(renderMicromark(markdown))) === micromark;
}
