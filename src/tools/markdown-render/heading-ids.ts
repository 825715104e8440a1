import { cleanAddress } from "./address.ts";
import type { Block } from "./blocks.ts";
import {
  AUTOLINK,
  CANDIDATE,
  CODE,
  type EditList,
  IMAGE,
  IMAGE_END,
  KEEP,
  RUN,
  TEXT,
  unmarked,
} from "./edits.ts";
import { ID_PREFIX, isFootnoteId } from "./html-parts.ts";
import type { InlineParser } from "./inline-parser.ts";

/** Ruby's `[^\p{Word}\- ]`, with which GitHub and github-slugger make slugs. */
const NOT_IN_SLUG = /[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc} -]/gu;

/**
 * Ids for the headings of a document as on GitHub: the heading's text in lower case, without punctuation and with hyphens
 * for spaces; duplicates get `-1`, `-2` and so on. All ids are known before the first link is written, because a table
 * of contents stands before its headings.
 */
export class HeadingIds {
  /** For each slug that is taken: the last number that was tried behind it. */
  private readonly taken = new Map<string, number>();
  private readonly hasFootnotes: boolean;

  constructor(blocks: readonly Block[], inlines: InlineParser, hasFootnotes: boolean) {
    this.hasFootnotes = hasFootnotes;
    for (const block of blocks) {
      if (block.kind !== "heading") continue;
      const { text, from, to } = block;
      inlines.parse(text, from, to);
      const slug = this.unique(slugOf(textOf(text, from, to, inlines.edits)));
      if (this.isId(slug)) block.info = slug;
    }
  }

  /** The attribute of the heading. A slug has letters, digits, hyphens and the like, and nothing to escape. */
  attribute({ info }: Block): string {
    return info === "" ? "" : ` id="${ID_PREFIX}${info}"`;
  }

  /**
   * The address of a link: where it is the slug of a heading, with the prefix of its id. A link that differs from the slug
   * in case alone leads to the heading as well.
   */
  follow(address: string): string {
    // `#` alone leads to the beginning of the page.
    if (!address.startsWith("#") || address === "#") return address;
    const slug = decodeFragment(address.slice(1));
    const found = [slug, slug.toLowerCase()].find((each) => this.taken.has(each));
    if (found === undefined || !this.isId(found)) return address;
    return cleanAddress(`#${ID_PREFIX}${found}`) ?? address;
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

/** The text of a heading without the descriptions of its images, which GitHub leaves out as well. */
function textOf(s: string, from: number, to: number, edits: EditList): string {
  let text = "";
  let images = 0;
  let pos = from;
  for (let i = 0; i < edits.count; i++) {
    const kind = edits.kind(i);
    if (kind === KEEP || kind === CANDIDATE) continue;
    const start = edits.start(i);
    const end = edits.end(i);
    if (images === 0) {
      text += s.slice(pos, start);
      if (kind === RUN) text += unmarked(s, start, end, edits, false);
      else if (kind === TEXT || kind === CODE || kind === AUTOLINK) text += edits.value(i);
    }
    if (kind === IMAGE) images++;
    else if (kind === IMAGE_END) images--;
    pos = end;
  }
  return text + s.slice(pos, to);
}
