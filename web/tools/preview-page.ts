import { schemeCss } from "#site/tokens.ts";
import { inertMarkup } from "../trusted-types.ts";

/** A longer document takes a browser noticeably long to lay out, on the thread that takes the keys too. */
export const PREVIEW_CHARS = 64 * 1024;

/**
 * The document in the preview's iframe: the rendered HTML with its own stylesheet. The iframe is fully sandboxed; images
 * are replaced so that nothing is loaded from other sites.
 */
export function previewPage(html: string, scheme: string): { page: string; images: number } {
  const rendered = new DOMParser().parseFromString(inertMarkup(html), "text/html");
  const images = rendered.querySelectorAll("img");
  for (const image of images) image.replaceWith(imagePlaceholder(rendered, image));
  for (const link of rendered.querySelectorAll("a")) keepInside(link);
  const page = `<!doctype html><html lang="en" data-scheme="${scheme}"><head><meta charset="utf-8"><title>Preview</title><base target="_blank"><style>${PREVIEW_STYLE}</style></head><body>${rendered.body.innerHTML}</body></html>`;
  return { page: inertMarkup(page), images: images.length };
}

/** Replaces an image by its alternative text, or by its URL if it has none. */
function imagePlaceholder(rendered: Document, image: HTMLImageElement): HTMLElement {
  const frame = rendered.createElement("span");
  frame.className = "image";
  frame.textContent = `Image: ${image.alt || image.getAttribute("src") || "no URL"}`;
  return frame;
}

/** Makes links within the document work. All other links would open a window, which the sandbox blocks. */
function keepInside(link: HTMLAnchorElement): void {
  const href = link.getAttribute("href");
  if (!href?.startsWith("#")) return;
  link.setAttribute("href", `about:srcdoc${href}`);
  link.target = "_self";
}

/** The stylesheet of the preview of `markdown-render`, a document in a sandboxed frame. */
const PREVIEW_STYLE = `
:root{${schemeCss("light")};--tb-bg:#fff}
:root[data-scheme=dark]{${schemeCss("dark")}}
body{margin:0;padding:1rem 1.25rem;background:var(--tb-bg);color:var(--tb-ink);overflow-wrap:anywhere;
font:1rem/1.6 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
body>:first-child{margin-top:0}
h1,h2,h3,h4,h5,h6{line-height:1.25;margin:1.4em 0 .5em}h1{font-size:1.6rem}h2{font-size:1.3rem}h3{font-size:1.1rem}
h4,h5,h6{font-size:1rem}
p,ul,ol,pre,table,blockquote{margin:.8em 0}ul,ol{padding-left:1.5rem}li:has(>input){list-style:none;margin-left:-1.35rem}
a{color:var(--tb-accent)}hr{border:0;border-top:1px solid var(--tb-line)}
code,pre{font:.875em/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{background:var(--tb-panel);border-radius:4px;padding:.1em .3em}
pre{background:var(--tb-panel);border-radius:6px;padding:.7rem .9rem;overflow:auto}pre code{padding:0}
blockquote{border-left:3px solid var(--tb-line);margin-left:0;padding-left:1rem;color:var(--tb-soft)}
table{border-collapse:collapse;display:block;overflow:auto}th,td{border:1px solid var(--tb-line);padding:.35rem .7rem}
.image{border:1px dashed var(--tb-soft);border-radius:4px;color:var(--tb-soft);padding:.05em .4em}
.markdown-alert{border-left:3px solid var(--tb-accent);padding-left:1rem}.markdown-alert-title{font-weight:600;color:var(--tb-accent)}
.footnotes{border-top:1px solid var(--tb-line);margin-top:2rem;font-size:.9rem;color:var(--tb-soft)}
.sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
`;
