import { cleanAddress } from "#tools/markdown/address.ts";
import { LABEL_CHARS_MAX } from "#tools/markdown/bounds.ts";
import { Edit } from "#tools/markdown/edits.ts";
import type { DelimiterStack } from "#tools/markdown/emphasis.ts";
import type { Footnotes } from "#tools/markdown/footnotes.ts";
import { readInlineTarget, skipLabel } from "#tools/markdown/link-scanner.ts";
import type { Destination, References } from "#tools/markdown/references.ts";

const OPEN_PARENTHESIS = 40;
const OPEN_BRACKET = 91;
const CARET = 94;

/** A `[` or `![` that may yet begin a link or image. */
type Bracket = {
  edit: Edit;
  /** Where the edit stands in the list. */
  index: number;
  isImage: boolean;
  /** Another bracket opened behind it: what is between cannot be a label. */
  isFollowed: boolean;
};

/** The bracket stack of one paragraph (CommonMark, appendix A, "look for link or image"). */
export class BracketStack {
  private readonly stack: Bracket[] = [];
  private readonly edits: Edit[];
  private readonly delimiters: DelimiterStack;
  private readonly references: References;
  private readonly footnotes: Footnotes;
  /** So many of the lowest brackets can no longer be links: there is a link within them. */
  private inactive = 0;
  private s = "";
  private to = 0;

  constructor(
    edits: Edit[],
    delimiters: DelimiterStack,
    references: References,
    footnotes: Footnotes,
  ) {
    this.edits = edits;
    this.delimiters = delimiters;
    this.references = references;
    this.footnotes = footnotes;
  }

  begin(s: string, to: number): void {
    this.s = s;
    this.to = to;
    this.stack.length = 0;
    this.inactive = 0;
  }

  get isOpen(): boolean {
    return this.stack.length > 0;
  }

  /** `[` or `![` from `pos` to `end`. Returns where reading goes on, as `close` does. */
  open(pos: number, end: number): number {
    const edit = new Edit("keep", pos, end);
    const top = this.stack.at(-1);
    if (top !== undefined) top.isFollowed = true;
    const index = this.edits.push(edit) - 1;
    this.stack.push({ edit, index, isImage: end - pos === 2, isFollowed: false });
    return end;
  }

  /** `]` at `pos`. */
  close(pos: number): number {
    const bracket = this.stack.pop();
    if (bracket === undefined) return pos + 1;
    const isInactive = this.stack.length < this.inactive;
    if (isInactive) this.inactive = this.stack.length;
    if (isInactive && !bracket.isImage) return pos + 1;
    return this.closeFootnote(bracket, pos) ?? this.closeLink(bracket, pos) ?? pos + 1;
  }

  /** `[^label]`, also behind an exclamation mark, which then is text. */
  private closeFootnote({ edit, index, isFollowed }: Bracket, pos: number): number | undefined {
    const start = edit.end;
    if (this.s.charCodeAt(start) !== CARET || isFollowed) return undefined;
    if (pos - start > LABEL_CHARS_MAX) return undefined;
    const label = this.s.slice(start + 1, pos);
    if (this.footnotes.find(label) === undefined) return undefined;
    this.edits.length = index;
    this.delimiters.drop(start);
    this.edits.push(new Edit("footnote", start - 1, pos + 1, label));
    this.inactive = this.stack.length;
    return pos + 1;
  }

  private closeLink(bracket: Bracket, pos: number): number | undefined {
    if (this.s.charCodeAt(pos + 1) === OPEN_PARENTHESIS && pos + 1 < this.to) {
      const target = readInlineTarget(this.s, pos + 1, this.to);
      if (target !== undefined) {
        const address = cleanAddress(target.destination);
        return this.make(bracket, { address, title: target.title }, pos, target.end);
      }
    }
    return this.references.isEmpty ? undefined : this.closeReference(bracket, pos);
  }

  /** `[text][label]`, `[label][]` or `[label]`. */
  private closeReference(bracket: Bracket, pos: number): number | undefined {
    const next = pos + 1;
    const isFull = this.s.charCodeAt(next) === OPEN_BRACKET && next < this.to;
    const labelEnd = isFull ? skipLabel(this.s, next, this.to) : -1;
    if (labelEnd > next + 2) {
      const destination = this.references.use(this.s.slice(next + 1, labelEnd - 1));
      return destination && this.make(bracket, destination, pos, labelEnd);
    }
    const start = bracket.edit.end;
    if (bracket.isFollowed || pos - start > LABEL_CHARS_MAX) return undefined;
    const destination = this.references.use(this.s.slice(start, pos));
    return destination && this.make(bracket, destination, pos, Math.max(labelEnd, next));
  }

  /** Turns the bracket and what closes it, from `pos` to `end`, into a link or image; refused, only its text stays. */
  private make(
    { edit, index, isImage }: Bracket,
    to: Destination,
    pos: number,
    end: number,
  ): number {
    const { address, title } = to;
    // Autolinks within a link are its text: links do not nest, and no browser would show them so.
    for (let i = index + 1; !isImage && i < this.edits.length; i++) {
      const inner = this.edits[i];
      if (inner?.kind === "autolink") inner.kind = "text";
    }
    this.delimiters.match(edit.end);
    if (address === undefined) {
      edit.kind = "drop";
      this.edits.push(new Edit("drop", pos, end));
    } else {
      edit.kind = isImage ? "image" : "link";
      edit.value = address;
      edit.title = title;
      const closing = new Edit(isImage ? "image end" : "link end", pos, end, address);
      closing.title = title;
      this.edits.push(closing);
    }
    if (!isImage) this.inactive = this.stack.length;
    return end;
  }
}
