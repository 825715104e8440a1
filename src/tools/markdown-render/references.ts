import { cleanAddress } from "./address.ts";
import { referenceCharsMax } from "./bounds.ts";
import { escapeHtml } from "./escape-html.ts";
import { normalizeLabel, type Target } from "./link-scanner.ts";

/** The target of a link or image. `address` is undefined where it is not allowed; then only the text is left. */
export type Destination = { address: string | undefined; title: string | undefined };

/** The link reference definitions of a document (CommonMark, section 4.7): the first one of a label counts. */
export class References {
  /** With how many characters one use writes. */
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

  /** The definition for a label as it stands in the text, or undefined. Each use counts against the bound. */
  use(label: string): Destination | undefined {
    const destination = this.definitions.get(normalizeLabel(label));
    if (destination === undefined) return undefined;
    if (destination.chars > this.charsLeft) return { address: undefined, title: undefined };
    this.charsLeft -= destination.chars;
    return destination;
  }
}
