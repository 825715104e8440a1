/** The parts that the tests use of two packages without types. */
declare module "commonmark" {
  export type NodeType =
    | "block_quote"
    | "code"
    | "custom_block"
    | "document"
    | "html_block"
    | "html_inline"
    | "image"
    | "link"
    | "text";
  export class Node {
    constructor(type: NodeType);
    readonly type: string;
    readonly firstChild: Node | null;
    readonly next: Node | null;
    readonly parent: Node | null;
    literal: string | null;
    destination: string | null;
    info: string | null;
    appendChild(child: Node): void;
    insertBefore(sibling: Node): void;
    unlink(): void;
    walker(): { next(): { entering: boolean; node: Node } | null };
  }
  export class Parser {
    parse(markdown: string): Node;
  }
  export class HtmlRenderer {
    render(root: Node): string;
  }
}

declare module "commonmark-spec" {
  export const tests: { markdown: string; html: string; section: string; number: number }[];
}
