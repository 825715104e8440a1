import { cleanAddress } from "./address.ts";
import type { Anchors } from "./anchors.ts";
import type { Block } from "./blocks.ts";
import {
  AUTOLINK,
  BREAK,
  CANDIDATE,
  CODE,
  describeTag,
  type EditList,
  IMAGE,
  IMAGE_END,
  KEEP,
  MATH,
  RAW_TEXT,
  RUN,
  TAG,
  TEXT,
  unmarked,
} from "./edits.ts";
import { escapeHtml } from "./escape-html.ts";
import { ID_PREFIX, isFootnoteId } from "./html-parts.ts";
import type { InlineParser } from "./inline-parser.ts";
import type { Heading } from "./outline.ts";

/** Ruby's `[^\p{Word}\- ]`, with which GitHub and github-slugger make slugs. */
const NOT_IN_SLUG = /[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc} -]/gu;

/**
 * Ids for the headings of a document as on GitHub: the heading's text in lower case, without punctuation and with hyphens
 * for spaces; duplicates get `-1`, `-2` and so on. All ids are known before the first link is written, because a table
 * of contents stands before its headings.
 */
export class HeadingIds {
  /** The headings that have text, in order. */
  readonly headings: Heading[] = [];
  /** For each slug that is taken: the last number that was tried behind it. */
  private readonly taken = new Map<string, number>();
  private readonly hasFootnotes: boolean;
  private readonly areWritten: boolean;
  private readonly anchors: Anchors | undefined;

  /** `areWritten`: headings get their ids. `anchors`: the ids that raw HTML gives. */
  constructor(
    blocks: readonly Block[],
    inlines: InlineParser,
    { hasFootnotes, areWritten, anchors }: IdOptions,
  ) {
    this.hasFootnotes = hasFootnotes;
    this.areWritten = areWritten;
    this.anchors = anchors;
    for (const block of blocks) {
      const level = block.kind === "heading" ? block.number : rawLevel(block);
      if (level === 0) continue;
      const { text, from, to, html } = block;
      if (html === undefined) inlines.parse(text, from, to);
      else inlines.parseHtml(text, html.tags);
      const shown = textOf(text, from, to, inlines.edits);
      const own = html?.tag?.id ?? "";
      const slug = own === "" ? this.unique(slugOf(shown)) : "";
      if (this.isId(slug)) block.info = slug;
      // Of a heading that only has an image, the description is its text.
      const heading = shown.trim() === "" ? textOf(text, from, to, inlines.edits, true) : shown;
      this.headings.push({ level, text: heading, id: own || block.info });
    }
  }

  /** The attribute of the heading. A slug has letters, digits, hyphens and the like, and nothing to escape. */
  attribute({ info }: Block): string {
    return info === "" || !this.areWritten ? "" : ` id="${ID_PREFIX}${info}"`;
  }

  /** The attribute of an element of raw HTML. An id that a heading or another element has is left out. */
  anchorAttribute(id: string): string {
    if (!this.isFree(id)) return "";
    this.anchors?.take(id);
    return ` id="${ID_PREFIX}${escapeHtml(id)}"`;
  }

  isFree(id: string): boolean {
    const isOfHeading = this.areWritten && this.taken.has(id);
    return !isOfHeading && this.isId(id) && this.anchors?.isTaken(id) === false;
  }

  /**
   * The address of a link: where it is the slug of a heading, with the prefix of its id. A link that differs from the slug
   * in case alone leads to the heading as well.
   */
  follow(address: string): string {
    // `#` alone leads to the beginning of the page.
    if (!address.startsWith("#") || address === "#") return address;
    const slug = decodeFragment(address.slice(1));
    const found = [slug, slug.toLowerCase()].find((each) => this.leadsTo(each));
    if (found === undefined || !this.isId(found)) return address;
    return cleanAddress(`#${ID_PREFIX}${found}`) ?? address;
  }

  private leadsTo(slug: string): boolean {
    return (this.areWritten && this.taken.has(slug)) || this.anchors?.has(slug) === true;
  }

  /** A heading without letters has no id, and an id that the document's footnotes may have is left to them. */
  private isId(slug: string): boolean {
    return slug !== "" && !(this.hasFootnotes && isFootnoteId(ID_PREFIX + slug));
  }

  /** The number goes on where it was, so a thousand equal headings take a thousand steps. */
  private unique(slug: string): string {
    let number = this.taken.get(slug);
    if (number === undefined) {
      this.taken.set(slug, 0);
      return slug;
    }
    let result: string;
    do result = `${slug}-${++number}`;
    while (this.taken.has(result));
    this.taken.set(slug, number);
    this.taken.set(result, 0);
    return result;
  }
}

const slugOf = (text: string): string =>
  text.toLowerCase().replace(NOT_IN_SLUG, "").replaceAll(" ", "-");

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

type IdOptions = { hasFootnotes: boolean; areWritten: boolean; anchors: Anchors | undefined };

/** The level of a heading of raw HTML; 0 for any other block. */
function rawLevel({ html }: Block): number {
  const name = html?.tag?.element.name ?? "";
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
}

/** A space between words is none in an id, where GitHub has the text of the elements alone. */
function rawText(value: string, withDescriptions: boolean): string {
  if (value === " ") return "\n";
  return withDescriptions ? value : "";
}

/** The text without the descriptions of images, which GitHub leaves out of ids as well. */
export function textOf(
  s: string,
  from: number,
  to: number,
  edits: EditList,
  withDescriptions = false,
): string {
  let text = "";
  let images = 0;
  let pos = from;
  for (let i = 0; i < edits.count; i++) {
    const kind = edits.kind(i);
    if (kind === KEEP || kind === CANDIDATE) continue;
    const start = edits.start(i);
    const end = edits.end(i);
    if (images === 0 || withDescriptions) {
      text += s.slice(pos, start);
      if (kind === RUN) text += unmarked(s, start, end, edits, false);
      else if (kind === TEXT || kind === CODE || kind === AUTOLINK || kind === MATH) {
        text += edits.value(i);
      } else if (kind === BREAK) text += "\n";
      else if (kind === RAW_TEXT) text += rawText(edits.value(i), withDescriptions);
      else if (kind === TAG && (withDescriptions || edits.tag(i).alt === "")) {
        text += describeTag(edits.tag(i));
      }
    }
    if (kind === IMAGE) images++;
    else if (kind === IMAGE_END) images--;
    pos = end;
  }
  return text + s.slice(pos, to);
}
