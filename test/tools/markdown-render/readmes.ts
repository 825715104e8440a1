import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/**
 * Real documents: the READMEs of the installed packages. Each is compared with what a browser shows of it when its raw
 * HTML is kept, so that whatever the engine loses is found.
 */

type Element = {
  readonly textContent: string | null;
  readonly localName: string;
  getAttribute(name: string): string | null;
  remove(): void;
};
type Root = Element & { innerHTML: string; querySelectorAll(selector: string): Iterable<Root> };
type Document = { createElement(name: "div"): Root };

/** A document of jsdom, which has no types of its own, without scripts or requests. */
export function openDocument(): Document {
  const { JSDOM } = createRequire(import.meta.url)("jsdom") as {
    JSDOM: new () => { window: { document: Document } };
  };
  return new JSDOM().window.document;
}

const MODULES = path.join(import.meta.dirname, "../../../node_modules");

/** Without duplicates, in the order of their paths. */
export function readmes(): string[] {
  const files = readdirSync(MODULES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^readme\.(?:md|markdown)$/i.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  return [...new Set(files.map((file) => readFileSync(file, "utf8").toWellFormed()))];
}

export type Losses = {
  /** READMEs whose first heading, also one of raw HTML, is not in the text. */
  titles: string[];
  /** READMEs of which more than 5 % of the words are missing. */
  texts: string[];
  /** Descriptions of images. */
  alts: string[];
  /** Links to a heading that lead nowhere. */
  deadLinks: string[];
};
export type Counts = { alts: number; inPageLinks: number; words: number; missingWords: number };

type Render = (markdown: string) => string;

/** Compares documents as `render` shows them with the documents in a browser. Adds to `losses` and `counts`. */
export function comparer(render: Render) {
  const document = openDocument();
  const losses: Losses = { titles: [], texts: [], alts: [], deadLinks: [] };
  const counts: Counts = { alts: 0, inPageLinks: 0, words: 0, missingWords: 0 };
  const parse = (html: string): Root => {
    const root = document.createElement("div");
    root.innerHTML = html;
    return root;
  };
  const compare = (markdown: string): void => {
    const shown = parse(renderUnsafe(markdown));
    for (const hidden of shown.querySelectorAll(HIDDEN)) hidden.remove();
    const ours = parse(render(markdown));
    const text = wordsOf(ours).join(" ");
    const title = titleOf(shown);
    if (title !== "" && !text.includes(title)) losses.titles.push(title);
    compareWords(shown, ours);
    for (const alt of descriptionsOf(shown)) {
      counts.alts++;
      if (!text.includes(alt)) losses.alts.push(alt);
    }
    compareLinks(shown, ours);
  };

  function compareWords(shown: Root, ours: Root): void {
    const left = new Map<string, number>();
    for (const word of wordsOf(ours)) left.set(word, (left.get(word) ?? 0) + 1);
    const words = wordsOf(shown);
    let missing = 0;
    for (const word of words) {
      const count = left.get(word) ?? 0;
      if (count === 0) missing++;
      left.set(word, count - 1);
    }
    counts.words += words.length;
    counts.missingWords += missing;
    if (missing > 0.05 * words.length)
      losses.texts.push(`${missing} of ${words.length}: ${titleOf(shown)}`);
  }

  /** Where a browser on GitHub finds a heading, ours must lead to an element. */
  function compareLinks(shown: Root, ours: Root): void {
    const slugs = new Set(slugsOf(shown));
    const ids = new Set([...ours.querySelectorAll("[id]")].map((each) => each.getAttribute("id")));
    for (const link of ours.querySelectorAll("a[href^='#']")) {
      const target = decodeURIComponent((link.getAttribute("href") ?? "").slice(1));
      if (!slugs.has(target.replace(/^user-content-/, "")) && !ids.has(target)) continue;
      counts.inPageLinks++;
      if (!ids.has(target)) losses.deadLinks.push(target);
    }
  }
  return { compare, losses, counts };
}

/** GFM as micromark has it, with its raw HTML. */
const renderUnsafe = (markdown: string) =>
  micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml({ clobberPrefix: "user-content-" })],
  });

const HIDDEN =
  "script, style, title, textarea, iframe, noembed, noframes, plaintext, xmp, .sr-only, [data-footnote-backref]";

const BLOCK_TAG =
  /<\/?(?:p|div|h[1-6]|[uod]l|li|d[td]|table|t[rdh]|thead|tbody|caption|[bh]r|pre|blockquote|center|details|summary|section|fig\w+)\b[^>]*>/g;

/** In lower case, as runs of letters and digits: spaces and punctuation may differ. Descriptions of images are words. */
function wordsOf(root: Root): string[] {
  const alts = [...root.querySelectorAll("img")].map((image) => image.getAttribute("alt"));
  const text = root.innerHTML
    .replaceAll(BLOCK_TAG, " ")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(?:amp|lt|gt|nbsp);/g, " ");
  return partsOf(`${text} ${alts.join(" ")}`);
}

const partsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const normalized = (text: string | null) => partsOf(text ?? "").join(" ");

/** The text of the first heading, or the description of the image that stands for it. */
function titleOf(root: Root): string {
  for (const heading of root.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const text = normalized(heading.textContent);
    if (text !== "") return text;
    const [, alt = ""] = /<img [^>]*alt="([^"]*)"/.exec(heading.innerHTML) ?? [];
    if (normalized(alt) !== "") return normalized(alt);
  }
  return "";
}

const descriptionsOf = (root: Root) =>
  [...root.querySelectorAll("img")]
    .map((image) => normalized(image.getAttribute("alt")))
    .filter((alt) => alt !== "");

/** As github-slugger makes them, for the headings of Markdown and of raw HTML. */
function slugsOf(root: Root): string[] {
  const taken = new Map<string, number>();
  return [...root.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ textContent }) => {
    const base = (textContent ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{Nd}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    let slug = base;
    for (let number = taken.get(base) ?? 0; taken.has(slug); taken.set(base, number)) {
      slug = `${base}-${++number}`;
    }
    taken.set(slug, 0);
    return slug;
  });
}
