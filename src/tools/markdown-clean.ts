import type { Token } from "markdown-it";
import { isAllowedUrl } from "#tools/markdown-url.ts";

/**
 * Cleans the inline tokens of one paragraph: raw HTML goes, with the contents of elements that are not text;
 * links and images whose address is refused become their text.
 */
export function cleanInline(tokens: readonly Token[], budget: LinkBudget): Token[] {
  const cleaner = new Cleaner(budget);
  for (const token of tokens) cleaner.add(token);
  return cleaner.kept;
}

/** Elements whose contents a browser does not show as text (HTML, sections 13.1.2 and 13.2.6). */
const NOT_TEXT = new Set(
  "script style title textarea iframe noembed noframes plaintext xmp".split(" "),
);

/** An opening tag of such an element, with the place in the output to which its closing tag cuts back. */
type OpenElement = { name: string; level: number; keptBefore: number };

class Cleaner {
  readonly kept: Token[] = [];
  private readonly budget: LinkBudget;
  private open: OpenElement[] = [];
  /** For each link that is open, whether it was kept. */
  private readonly links: boolean[] = [];

  constructor(budget: LinkBudget) {
    this.budget = budget;
  }

  add(token: Token): void {
    // A tag that is still open where the emphasis or link around it ends has no contents of its own.
    while ((this.open.at(-1)?.level ?? 0) > token.level) this.open.pop();
    switch (token.type) {
      case "html_inline":
        this.addTag(token);
        break;
      case "link_open":
        this.links.push(this.budget.allows(token, "href"));
        if (this.links.at(-1)) this.kept.push(token);
        break;
      case "link_close":
        if (this.links.pop()) this.kept.push(token);
        break;
      case "image":
        this.addImage(token);
        break;
      default:
        // GFM's examples delete with <del>; the library writes <s>.
        if (token.tag === "s") token.tag = "del";
        this.kept.push(token);
    }
  }

  private addTag({ content, level }: Token): void {
    const match = /^<(\/?)([a-z]+)(?=[\s/>])/i.exec(content);
    const name = match?.[2]?.toLowerCase();
    if (name === undefined || !NOT_TEXT.has(name)) return;
    const index = this.open.findIndex(
      (element) => element.name === name && element.level === level,
    );
    if (match?.[1] === "") {
      // The first of several opening tags counts: the others are its contents.
      if (index < 0) this.open.push({ name, level, keptBefore: this.kept.length });
    } else if (index >= 0) {
      this.kept.length = this.open[index]?.keptBefore ?? 0;
      this.open.length = index;
    }
  }

  private addImage(token: Token): void {
    token.children = cleanInline(token.children ?? [], this.budget);
    if (this.budget.allows(token, "src")) this.kept.push(token);
    // Its description stands in its place, as the inline content that it is.
    else for (const child of token.children) this.kept.push(child);
  }
}

export type LinkBudget = { allows(token: Token, attribute: "href" | "src"): boolean };

/**
 * References may repeat one long address or title any number of times: a megabyte could ask for gigabytes.
 * Written out in place, encoded, an address takes at most nine times its letters; more is refused.
 */
export function createLinkBudget(sourceChars: number): LinkBudget {
  let left = 64 * 1024 + 9 * sourceChars;
  return {
    allows(token, attribute) {
      const url = String(token.attrGet(attribute) ?? "");
      const chars = url.length + String(token.attrGet("title") ?? "").length;
      // Counted before it is looked at: looking a million times at a long address takes as long as writing it.
      if (chars > left) return false;
      left -= chars;
      return isAllowedUrl(url);
    },
  };
}
