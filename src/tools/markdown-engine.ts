import createMarkdownIt, { type MarkdownIt, type StateCore, type Token } from "markdown-it";
import { cleanInline, createLinkBudget, type LinkBudget } from "#tools/markdown-clean.ts";
import { plainText } from "#tools/markdown-plain.ts";
import { withoutControls } from "#tools/markdown-url.ts";

/**
 * The door to the Markdown engine: Markdown in, sanitized HTML and plain text out. Nothing else knows the
 * engine, which is a library for the time being (docs/decisions/0003). Sanitizing is done on its tokens,
 * before there is any HTML: what is not in a token that we let pass cannot get into the output.
 */
export function renderMarkdown(
  markdown: string,
  withText: boolean,
): { html: string; text?: string } {
  const tokens = engine.parse(markdown, {});
  const html = engine.renderer.render(tokens, engine.options, {});
  return withText ? { html, text: plainText(tokens) } : { html };
}

/** Deeper containers are dropped: the time for lazy lines grows with the depth, and nobody reads so deep. */
const NESTING_MAX = 40;

const engine = createEngine();

function createEngine(): MarkdownIt {
  // Raw HTML is parsed so that it can be told from text and taken out; escaped, it would show as text.
  const md = createMarkdownIt("default", { html: true, linkify: true, xhtmlOut: true });
  md.set({ maxNesting: NESTING_MAX });
  const encodeUrl = md.normalizeLink;
  md.normalizeLink = (url) => withoutControls(encodeUrl(withoutControls(url)));
  // Refusing here would leave the brackets of the link in the text. It is refused in `cleanInline`.
  md.validateLink = () => true;
  autolinkLikeGfm(md);
  md.core.ruler.push("clean", cleanTokens);
  Object.assign(md.renderer.rules, {
    task_box: (tokens: Token[], index: number) =>
      `<input ${tokens[index]?.info === "x" ? 'checked="" ' : ""}disabled="" type="checkbox">`,
  });
  return md;
}

/** GFM, section 6.9: `www.` and whole URLs become links; `example.com` or `notes.md` alone do not. */
function autolinkLikeGfm(md: MarkdownIt): void {
  md.linkify.set({ fuzzyLink: false, fuzzyIP: false, fuzzyEmail: true });
  md.linkify.add("//", null);
  md.linkify.add("www.", {
    validate(text, pos, { re }) {
      const domain = re.get_relative_proto_validator();
      domain.lastIndex = pos;
      return domain.exec(text)?.[0].length ?? 0;
    },
    normalize(match) {
      match.url = `http://${match.url}`;
    },
  });
}

/** Takes out what must not reach the output, and writes tables, deletions and tasks as GFM has them. */
function cleanTokens(state: StateCore): void {
  const budget = createLinkBudget(state.src.length);
  const kept: Token[] = [];
  for (const token of state.tokens) {
    if (token.type === "html_block") continue;
    if (token.type === "inline") cleanContent(token, kept, budget);
    if (token.type === "th_open" || token.type === "td_open") alignCell(token);
    // A paragraph that held nothing but raw HTML goes with it.
    if (token.type === "paragraph_close" && kept.at(-1)?.type === "paragraph_open") kept.pop();
    else if (!isEmptied(token, kept)) kept.push(token);
  }
  state.tokens = kept;
}

function isEmptied(token: Token, before: readonly Token[]): boolean {
  const empty = token.type === "inline" && token.children?.length === 0;
  return empty && before.at(-1)?.type === "paragraph_open";
}

function cleanContent(token: Token, before: readonly Token[], budget: LinkBudget): void {
  const children = cleanInline(token.children ?? [], budget);
  const box = taskBox(children[0], before);
  if (box !== undefined) children.unshift(box);
  token.children = children;
}

/** GFM, section 5.3: `[ ]` or `[x]` and white space at the start of the first paragraph of a list item. */
function taskBox(first: Token | undefined, before: readonly Token[]): Token | undefined {
  if (first?.type !== "text" || before.at(-1)?.type !== "paragraph_open") return undefined;
  if (before.at(-2)?.type !== "list_item_open") return undefined;
  const mark = /^\[([ xX])\](?=\s+\S)/.exec(first.content)?.[1];
  if (mark === undefined) return undefined;
  first.content = first.content.slice(3);
  const box = new (first.constructor as typeof Token)("task_box", "input", 0);
  box.info = mark === " " ? "" : "x";
  return box;
}

/** The library writes `style`, which a page's own policy may forbid; the GFM specification writes `align`. */
function alignCell(token: Token): void {
  const align = /^text-align:(left|center|right)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
  token.attrs = align === undefined ? null : [["align", align]];
}
