import { createRequire } from "node:module";
import type { WindowLike } from "dompurify";

/**
 * The contenders of the part `markdown`, each used as its documentation says and loaded only when it is opened, so that a
 * process contains one engine. Plain marked does not sanitize raw HTML; markdown-it and micromark show it as text.
 */
export type Contender = {
  /** Slow contenders take part only in every third round, to keep the run short. */
  slow?: true;
  open(): Promise<(markdown: string) => string>;
};

export const OURS = "toolbooth";

export const CONTENDERS: Readonly<Record<string, Contender>> = {
  [OURS]: {
    async open() {
      const { renderMarkdown } = await import("#tools/markdown-render/render-markdown.ts");
      return (markdown) => renderMarkdown(markdown, false).html;
    },
  },
  marked: { open: openMarked },
  "markdown-it": {
    async open() {
      const { default: MarkdownIt } = await import("markdown-it");
      const engine = new MarkdownIt({ html: false, linkify: true });
      return (markdown) => engine.render(markdown);
    },
  },
  micromark: {
    slow: true,
    async open() {
      const { micromark } = await import("micromark");
      const { gfm, gfmHtml } = await import("micromark-extension-gfm");
      const options = { extensions: [gfm()], htmlExtensions: [gfmHtml()] };
      return (markdown) => micromark(markdown, options);
    },
  },
  "marked+dompurify": {
    slow: true,
    async open() {
      const { default: createDOMPurify } = await import("dompurify");
      // jsdom has no types.
      const { JSDOM } = createRequire(import.meta.url)("jsdom") as {
        JSDOM: new (html: string) => { window: WindowLike };
      };
      const { sanitize } = createDOMPurify(new JSDOM("").window);
      const render = await openMarked();
      return (markdown) => sanitize(render(markdown));
    },
  },
};

async function openMarked(): Promise<(markdown: string) => string> {
  const { Marked } = await import("marked");
  const engine = new Marked({ gfm: true, async: false });
  return (markdown) => engine.parse(markdown, { async: false });
}
