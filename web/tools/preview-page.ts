import { inertMarkup } from "../trusted-types.ts";
import { PREVIEW_STYLE } from "./preview-style.ts";

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
