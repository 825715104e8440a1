import { SAFE_NESTING_MAX } from "./bounds.ts";
import {
  AUTOLINK,
  CLOSING,
  DROP,
  type EditList,
  FOOTNOTE,
  IMAGE,
  IMAGE_END,
  LINK,
  LINK_END,
  markChars,
  RUN,
  TAG,
  TEXT,
} from "./edits.ts";

import { isAnchor } from "./safe-elements.ts";

/**
 * Pairs the tags of a paragraph, heading or cell, so that they nest with each other and with emphasis and links. A tag without
 * a partner is dropped. Links do not nest either: within a link of raw HTML, other links become their text.
 *
 * Returns the names of the elements that contain blocks and end in the text, such as `</details>` behind a paragraph.
 */
export function pairTags(edits: EditList): readonly string[] {
  const pairs = new TagPairs(edits);
  for (let i = 0; i < edits.count; i++) pairs.read(i);
  pairs.end();
  unlink(edits);
  return pairs.endings;
}

/** On the stack: emphasis, a link or the description of an image, across whose ends no tags are paired. */
const MARKUP = -1;
const NONE = -1;

class TagPairs {
  readonly endings: string[] = [];
  private readonly edits: EditList;
  /** The edits of the open tags, and `MARKUP`. */
  private readonly stack: number[] = [];
  private tags = 0;
  private pictures = 0;
  /** The edit of the open link of raw HTML, and the place of the open link of Markdown on the stack. */
  private rawLink = NONE;
  private link = NONE;

  constructor(edits: EditList) {
    this.edits = edits;
  }

  read(index: number): void {
    switch (this.edits.kind(index)) {
      case TAG:
        if (!this.isKept(index)) this.edits.setKind(index, DROP);
        break;
      case RUN:
        this.readRun(index);
        break;
      case LINK:
        this.link = this.stack.push(MARKUP) - 1;
        break;
      case IMAGE:
        this.stack.push(MARKUP);
        break;
      case LINK_END:
        this.link = NONE;
        this.closeMarkup();
        break;
      case IMAGE_END:
        this.closeMarkup();
        break;
      case FOOTNOTE:
        this.endLinks();
    }
  }

  end(): void {
    while (this.stack.length > 0) this.drop();
  }

  private isKept(index: number): boolean {
    const tag = this.edits.tag(index);
    const { name, kind } = tag.element;
    const { isClosing } = tag;
    if (kind === "void") return name !== "source" || this.pictures > 0;
    if (kind !== "inline") {
      if (isClosing && kind === "block") this.endings.push(name);
      return false;
    }
    if (isClosing) return this.close(name);
    const isInLink = this.link !== NONE || this.rawLink !== NONE;
    if (name === "a" && isInLink) return false;
    if (isAnchor(tag)) return true;
    if (this.tags >= SAFE_NESTING_MAX) return false;
    this.stack.push(index);
    this.tags++;
    if (name === "a") this.rawLink = index;
    if (name === "picture") this.pictures++;
    return true;
  }

  /** Pairs a closing tag with the innermost open tag of its name. What is open within that one has no partner. */
  private close(name: string): boolean {
    let place = this.stack.length - 1;
    while (place >= 0 && this.nameAt(place) !== name) {
      if (this.stack[place] === MARKUP) return false;
      place--;
    }
    if (place < 0) return false;
    while (this.stack.length > place + 1) this.drop();
    const index = this.stack.at(-1) as number;
    this.pop();
    return this.edits.kind(index) === TAG;
  }

  private nameAt(place: number): string {
    const index = this.stack[place] as number;
    return index === MARKUP ? "" : this.edits.tag(index).element.name;
  }

  private closeMarkup(): void {
    while (this.stack.length > 0 && this.stack.at(-1) !== MARKUP) this.drop();
    this.pop();
  }

  /** Removes the innermost tag, which has no partner, or markup. */
  private drop(): void {
    const index = this.stack.at(-1) as number;
    if (index !== MARKUP) this.edits.setKind(index, DROP);
    this.pop();
  }

  private pop(): void {
    const index = this.stack.pop();
    if (index === undefined || index === MARKUP) return;
    this.tags--;
    if (this.rawLink === index) this.rawLink = NONE;
    if (this.edits.tag(index).element.name === "picture") this.pictures--;
  }

  /** Marks of emphasis open and close. */
  private readRun(index: number): void {
    const end = this.edits.end(index);
    for (let at = this.edits.start(index); at < end; ) {
      const mark = this.edits.markAt(at);
      at += mark === 0 ? 1 : markChars(mark);
      if (mark > CLOSING) this.closeMarkup();
      else if (mark > 0) this.stack.push(MARKUP);
    }
  }

  /** A reference to a footnote is a link. It ends a link of Markdown, and there is none in a link of raw HTML. */
  private endLinks(): void {
    if (this.rawLink !== NONE) this.edits.setKind(this.rawLink, DROP);
    this.rawLink = NONE;
    if (this.link === NONE) return;
    for (const index of this.stack.slice(this.link)) {
      if (index !== MARKUP) this.edits.setKind(index, DROP);
    }
    this.link = NONE;
  }
}

/** Makes text of the links within links of raw HTML. */
function unlink(edits: EditList): void {
  let isInLink = false;
  for (let i = 0; i < edits.count; i++) {
    const kind = edits.kind(i);
    if (kind === TAG) {
      const { element, isClosing, href } = edits.tag(i);
      if (element.name === "a") isInLink = !isClosing && (isInLink || href !== undefined);
    } else if (!isInLink) continue;
    else if (kind === AUTOLINK) edits.setKind(i, TEXT);
    else if (kind === LINK || kind === LINK_END) edits.setKind(i, DROP);
  }
}
