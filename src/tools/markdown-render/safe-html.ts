import { Block, RULE } from "./blocks.ts";
import { BLOCK_ELEMENTS, HtmlText, WHITE_RUN } from "./html-text.ts";
import { type Resolve, safeElement, safeTag, type Tag } from "./safe-elements.ts";

/**
 * Reads an HTML block whose elements are kept: inline content becomes blocks of kind `html`, in whose text `<7>` stands for
 * the tag with this number. `<` itself is a character reference there.
 */
export class SafeHtml extends HtmlText {
  private readonly resolve: Resolve;
  private content = "";
  private tags: Tag[] = [];
  /** The paragraph or heading that is open. */
  private leaf: Tag | undefined;

  constructor(blocks: Block[], resolve: Resolve) {
    super(blocks);
    this.resolve = resolve;
  }

  protected override hasAttributes(): boolean {
    return !this.isClosing;
  }

  protected override addText(source: string): void {
    if (this.isPreformatted) super.addText(source);
    else this.content += source.replaceAll("<", "&lt;").replace(WHITE_RUN, " ");
  }

  protected override showTag(): void {
    const { tag: name, isClosing, attributes } = this;
    if (name === "pre" || this.isPreformatted) {
      super.showTag();
      return;
    }
    if (name === "hr") {
      this.endParagraph();
      if (!isClosing) this.blocks.push(RULE);
      return;
    }
    const tag = safeTag(elementFor(name), isClosing, attributes, this.resolve);
    const kind = tag?.element.kind;
    if (tag === undefined || kind === "void" || kind === "inline") {
      if (tag !== undefined) this.content += `<${this.tags.push(tag) - 1}>`;
      else if (name === "img") super.showTag();
      return;
    }
    this.endParagraph();
    if (isClosing) {
      if (kind === "block") this.addBlock("element-end", tag);
    } else if (kind === "leaf") this.leaf = tag;
    else this.addBlock("element", tag);
  }

  protected override endParagraph(): void {
    super.endParagraph();
    const { content, tags, leaf } = this;
    this.leaf = undefined;
    if (content === "") return;
    this.content = "";
    if (tags.length > 0) this.tags = [];
    // Beside a comment, both sides may have a space.
    const text = content.replaceAll(/ {2,}/g, " ").trim();
    if (text === "") return;
    const block = new Block("html", text, 0, text.length);
    block.html = { tag: leaf, tags };
    this.blocks.push(block);
  }

  private addBlock(kind: "element" | "element-end", tag: Tag): void {
    const block = new Block(kind);
    block.html = { tag, tags: [] };
    this.blocks.push(block);
  }
}

/** Other elements that separate paragraphs, such as `section`, are divisions. */
const elementFor = (name: string): string =>
  safeElement(name) === undefined &&
  BLOCK_ELEMENTS.has(name) &&
  !EMPTY.has(name) &&
  name !== "center"
    ? "div"
    : name;

/** Elements of this kind that have no content to separate. */
const EMPTY = new Set(
  "base basefont col colgroup frame head html body link menuitem param track".split(" "),
);
