import { cleanAddress } from "./address.ts";

/** How a text is kept apart from the one before it. */
const NOT = 0;
/** A description is beside it: a space keeps two words apart. */
const WORDS = 1;
/** Both are descriptions: a space keeps them apart, whatever they contain. */
const ALWAYS = 2;

/** Collects the plain text of a paragraph, heading or cell. */
export class InlineText {
  private collected = "";
  /** What was added last. Reading the end of `collected` would copy all of it each time. */
  private last = "";
  /**
   * The text before the open link; undefined without one. The link's text is collected separately, because cutting it out
   * of the whole text would copy the whole text each time.
   */
  private before: string | undefined;
  private address = "";
  private images = 0;
  private seam = NOT;

  get text(): string {
    return this.collected;
  }

  add(text: string): void {
    if (text === "") return;
    if (this.seam !== NOT) this.separate(text);
    this.collected += text;
    this.last = text;
  }

  /** A link in a description is text. */
  openLink(address: string): void {
    if (this.images > 0) return;
    this.before = this.collected;
    this.collected = "";
    this.address = address;
  }

  /** Does nothing if no link is open: the first reference to a footnote in a link's text ends the link. */
  closeLink(): void {
    if (this.before === undefined || this.images > 0) return;
    const address = addressBehind(this.collected, this.address);
    this.collected = this.before + this.collected + address;
    this.before = undefined;
    if (address !== "") this.last = address;
  }

  openImage(): void {
    if (this.images++ > 0) return;
    this.seam = this.seam === NOT ? WORDS : ALWAYS;
  }

  closeImage(): void {
    // Without a description, the images beside it are neighbors.
    if (--this.images === 0 && this.seam === NOT) this.seam = WORDS;
  }

  private separate(text: string): void {
    const isApart =
      this.seam === ALWAYS
        ? !/(?:^|\s)$/.test(this.last) && !/^\s/.test(text)
        : /[\p{L}\p{N}]$/u.test(this.last) && /^[\p{L}\p{N}]/u.test(text);
    this.seam = NOT;
    if (!isApart) return;
    if (this.collected === "" && this.before !== undefined) this.before += " ";
    else this.collected += " ";
  }
}

/**
 * Returns the address of a link in parentheses; empty if the link's text already is its address, and for a place in the
 * document, which the text does not have.
 */
function addressBehind(text: string, address: string): string {
  const isMail = address.startsWith("mailto:") && address.endsWith(text);
  const isSame = text === address || (isMail && address.length === "mailto:".length + text.length);
  if (isSame || address === "" || address.startsWith("#")) return "";
  // An address is percent-encoded; its text usually is not.
  return address.includes("%") && cleanAddress(text) === address ? "" : ` (${address})`;
}
