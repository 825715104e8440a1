import { cleanAddress } from "./address.ts";
import { referenceCharsMax } from "./bounds.ts";
import { escapeHtml } from "./escape-html.ts";
import { normalizeLabel, type Target } from "./link-scanner.ts";

/** The target of a link or image. `address` is undefined if it is not allowed; only the text is then kept. */
export type Destination = { address: string | undefined; title: string | undefined };

/** The link reference definitions of a document (CommonMark, section 4.7). The first one for a label counts. */
export class References {
  /** Each with the number of characters that one use writes. */
  private readonly definitions = new Map<string, Destination & { chars: number }>();
  private charsLeft: number;

  constructor(sourceChars: number) {
    this.charsLeft = referenceCharsMax(sourceChars);
  }

  get isEmpty(): boolean {
    return this.definitions.size === 0;
  }

  define({ label, destination, title }: Target & { label: string }): void {
    if (this.definitions.has(label)) return;
    const address = cleanAddress(destination);
    const chars = escapeHtml(address ?? "").length + escapeHtml(title ?? "").length;
    this.definitions.set(label, { address, title, chars });
  }

  /** Returns the definition for a label as written in the text, or undefined. Each use counts towards the bound. */
  use(label: string): Destination | undefined {
    const destination = this.definitions.get(normalizeLabel(label));
    if (destination === undefined) return undefined;
    if (destination.chars > this.charsLeft) return { address: undefined, title: undefined };
    this.charsLeft -= destination.chars;
    return destination;
  }
}
