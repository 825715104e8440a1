import type { Token } from "markdown-it";

/**
 * Plain text of cleaned Markdown tokens: blocks apart by a blank line, list markers, `> ` before quotes, cells
 * apart by tabs, code as it stands, and the address of a link behind its text where the two differ.
 */
export function plainText(tokens: readonly Token[]): string {
  const writer = new PlainWriter();
  for (const token of tokens) writer.add(token);
  return writer.lines.join("\n");
}

type List = { ordered: boolean; next: number; delimiter: string; loose: boolean; items: number };
/** A quote or list item: what stands before its first line, and before the others. */
type Container = { first: string; rest: string; started: boolean; list?: List };

/** Deeper containers add no more prefix: a short lazy line would otherwise become a long one. */
const PREFIXES_MAX = 12;

class PlainWriter {
  readonly lines: string[] = [];
  private readonly containers: Container[] = [];
  private readonly lists: List[] = [];
  private gap = false;
  /** The cells of the row of a table so far; undefined outside of tables. */
  private cells: string[] | undefined;

  add(token: Token): void {
    switch (token.type) {
      case "bullet_list_open":
      case "ordered_list_open":
        this.openList(token);
        break;
      case "bullet_list_close":
      case "ordered_list_close":
        this.lists.pop();
        break;
      case "list_item_open":
        this.openItem();
        break;
      case "blockquote_open":
        this.beginBlock();
        this.containers.push({ first: "> ", rest: "> ", started: false });
        break;
      case "list_item_close":
      case "blockquote_close":
        this.close();
        break;
      case "paragraph_open":
        this.noteTightness(token);
        this.beginBlock();
        break;
      case "heading_open":
      case "table_open":
        this.beginBlock();
        break;
      case "hr":
        this.beginBlock();
        this.write("---");
        break;
      case "fence":
      case "code_block":
        this.beginBlock();
        this.write(token.content.replace(/\n$/, ""));
        break;
      case "inline":
        this.addInline(token);
        break;
      case "tr_open":
        this.cells = [];
        break;
      case "tr_close":
        this.write((this.cells ?? []).join("\t"));
        this.cells = undefined;
        break;
    }
  }

  private openList(token: Token): void {
    const ordered = token.type === "ordered_list_open";
    const start = Number(token.attrGet("start") ?? 1);
    const delimiter = token.markup === ")" ? ")" : ".";
    this.lists.push({ ordered, next: start, delimiter, loose: false, items: 0 });
  }

  private openItem(): void {
    const list = this.lists.at(-1);
    if (list === undefined) return;
    if (list.items === 0) this.beginBlock();
    else this.gap = list.loose;
    const first = list.ordered ? `${list.next}${list.delimiter} ` : "- ";
    list.items += 1;
    list.next += 1;
    this.containers.push({ first, rest: " ".repeat(first.length), started: false, list });
  }

  /** An empty item or quote still shows its marker. */
  private close(): void {
    if (this.containers.at(-1)?.started === false) this.write("");
    this.containers.pop();
  }

  /** Paragraphs of a tight list are hidden; one that is not makes the list loose. */
  private noteTightness(token: Token): void {
    const list = this.containers.at(-1)?.list;
    if (list !== undefined && !token.hidden) list.loose = true;
  }

  /** Decides whether a blank line goes before the block: it is written with the block's first line. */
  private beginBlock(): void {
    const container = this.containers.at(-1);
    // The first block of an item or quote stands where that began.
    if (container?.started === false) return;
    this.gap = container?.list?.loose ?? true;
  }

  private addInline(token: Token): void {
    const text = inlineText(token.children ?? []);
    if (this.cells === undefined) this.write(text);
    else this.cells.push(text);
  }

  private write(text: string): void {
    if (this.gap && this.lines.length > 0) this.lines.push(this.blankPrefix());
    this.gap = false;
    for (const line of text.split("\n")) {
      const whole = this.prefix() + line;
      this.lines.push(line === "" ? whole.trimEnd() : whole);
    }
  }

  private prefix(): string {
    let prefix = "";
    this.containers.forEach((container, depth) => {
      if (depth < PREFIXES_MAX) prefix += container.started ? container.rest : container.first;
      container.started = true;
    });
    return prefix;
  }

  /** A blank line before a container that has not begun stands outside of it. */
  private blankPrefix(): string {
    let prefix = "";
    for (const { started, rest } of this.containers.slice(0, PREFIXES_MAX)) {
      if (!started) break;
      prefix += rest;
    }
    return prefix.trimEnd();
  }
}

function inlineText(tokens: readonly Token[]): string {
  let text = "";
  // The text of a link is kept apart until it ends: cutting it out of the whole would copy the whole each time.
  let before = "";
  let address = "";
  for (const token of tokens) {
    switch (token.type) {
      case "softbreak":
      case "hardbreak":
        text += "\n";
        break;
      case "task_box":
        text += token.info === "x" ? "[x]" : "[ ]";
        break;
      case "image":
        text += inlineText(token.children ?? []);
        break;
      case "link_open":
        before = text;
        text = "";
        address = String(token.attrGet("href") ?? "");
        break;
      case "link_close":
        text = before + text + addressBehind(text, address);
        break;
      default:
        text += token.content;
    }
  }
  return text;
}

/** Nothing where the text of a link already is its address. */
function addressBehind(text: string, address: string): string {
  const shown = [address, decodedUrl(address)];
  const same = shown.some((url) => [text, `mailto:${text}`, `http://${text}`].includes(url));
  return same || address === "" ? "" : ` (${address})`;
}

function decodedUrl(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
