import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { codeBlock, type Html, highlightJson, html, raw } from "../markup.ts";
import { LANGUAGES } from "../request-code.ts";

/** A heading below the page's title. */
export type DocsHeading = { level: number; id: string; html: Html; text: string };

/** A page as HTML, without the frame around it. */
export type RenderedPage = {
  title: string;
  body: Html;
  headings: DocsHeading[];
  /** The text of each section for the search: of the page's beginning first (`id` is empty), then by heading. */
  sections: { id: string; title: string; text: string }[];
};

/**
 * Renders the Markdown of a page with the engine of `markdown-render` and adds what a documentation page needs: ids and links
 * on headings, tables that scroll, tabs of code. The engine escapes all text, so every `<` in its output begins a tag
 * that it has written, and the patterns below cannot meet anything else.
 */
export function renderPageBody(markdown: string): RenderedPage {
  const { html: rendered } = renderMarkdown(markdown, false);
  const [, title = ""] = /<h1>([\s\S]*?)<\/h1>\n?/.exec(rendered) ?? [];
  const headings: DocsHeading[] = [];
  const ids = new Set<string>();
  const body = rendered
    .replace(/<h1>[\s\S]*?<\/h1>\n?/, "")
    .replace(/^\s*<p>/, '<p class="lead">')
    .replace(/<h([2-6])>([\s\S]*?)<\/h\1>/g, (_, level: string, content: string) => {
      const id = uniqueId(slugOf(textOf(content)), ids);
      const shown = raw(content.replace(/<\/?a\b[^>]*>/g, ""));
      headings.push({ level: Number(level), id, html: shown, text: textOf(content) });
      return String(html`<h${level} id="${id}"><a href="#${id}">${shown}</a></h${level}>`);
    })
    .replace(CODE_GROUP, (group) => renderCodeGroup(group));
  return {
    title: textOf(title),
    body: raw(withTables(body, ids)),
    headings,
    sections: splitSections(body, headings),
  };
}

/** GitHub's rule for the ids of headings, so that links to them work in both places. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

function uniqueId(slug: string, taken: Set<string>): string {
  let id = slug;
  for (let count = 1; taken.has(id); count++) id = `${slug}-${count}`;
  taken.add(id);
  return id;
}

const CODE = '<pre><code(?: class="language-[^"]*")?>[^<]*</code></pre>';
/** Code blocks with nothing between them. */
const CODE_GROUP = new RegExp(`${CODE}(?:\\s*${CODE})*`, "g");
const CODE_PARTS = /<pre><code(?: class="language-([^"]*)")?>([^<]*)<\/code><\/pre>/g;

/** The languages that are shown as tabs, with the names of the tabs; a shell line among them is a call with curl. */
const TAB_NAMES: Record<string, string> = Object.fromEntries(
  LANGUAGES.map(({ id, title }) => [id, title]),
);
/** What is above a block of code, by its language. */
export const CAPTIONS: Readonly<Record<string, string>> = {
  ...TAB_NAMES,
  ts: "TypeScript",
  sh: "Shell",
  console: "Shell",
  json: "JSON",
  http: "HTTP",
  ini: "Configuration",
  sql: "SQL",
  text: "Text",
};

function renderCodeGroup(group: string): string {
  const blocks = [...group.matchAll(CODE_PARTS)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
  const languages = new Set(blocks.map(({ language }) => language));
  const isTabs =
    blocks.length > 1 &&
    languages.size === blocks.length &&
    blocks.every(({ language }) => language in TAB_NAMES);
  const names = isTabs ? TAB_NAMES : CAPTIONS;
  const codeFrames = blocks.map(({ language, code }) => {
    const text = code.replace(/\n$/, "");
    const shown =
      language === "json"
        ? highlightJson(unescapeHtml(text))
        : language === "sh"
          ? raw(withWholeOptions(text))
          : raw(text);
    return codeBlock(names[language] ?? CAPTIONS["text"], shown, isTabs ? { language } : {});
  });
  return String(isTabs ? html`<div class="tabs">\n${codeFrames}</div>\n` : html`${codeFrames}`);
}

/** A call on one line, which every shell takes, wraps between options and not within one. */
const withWholeOptions = (text: string): string =>
  text.replace(/^curl .*$/gm, (line) =>
    line.replace(
      / (-[HFo] (?:(?:"|&quot;)[^"\n]*?(?:"|&quot;)|[^\s\\]+))/g,
      ' <i class="o">$1</i>',
    ),
  );

/**
 * A table scrolls sideways where it is wider than the screen, by keyboard too, so it needs a name. The row of a setting has the
 * setting's name as its id.
 */
function withTables(body: string, ids: Set<string>): string {
  const labels = new Set<string>();
  return body.replace(/<table>([\s\S]*?)<\/table>/g, (_, content: string) => {
    const head = [...content.matchAll(/<th[^>]*>([\s\S]*?)<\/th>/g)].map(([, cell = ""]) =>
      textOf(cell),
    );
    let label = `Table: ${head.filter((cell) => cell !== "").join(", ")}`;
    for (let count = 2; labels.has(label); count++)
      label = label.replace(/(?: \d+)?$/, ` ${count}`);
    labels.add(label);
    const rows = withBreaks(content).replace(
      /<tr>\n<td([^>]*)><code>([A-Z](?:[A-Z0-9_]|<wbr>)+)<\/code>/g,
      (row, attributes: string, code: string) => {
        const name = code.replaceAll("<wbr>", "");
        if (ids.has(name)) return row;
        ids.add(name);
        return `<tr id="${name}">\n<td${attributes}><code>${code}</code>`;
      },
    );
    return String(
      html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table>${raw(rows)}</table></div>`,
    );
  });
}

/**
 * Long names and addresses in tables may break after `_`, `/`, `.` and `:`, so that they fit on a phone. Whole sentences, such as
 * messages of the log, break anywhere.
 */
const withBreaks = (content: string): string =>
  content
    .replace(/<code>(?=[^<]{48,}<)/g, '<code class="long">')
    .replace(
      /<code>([^<\s&]{14,})<\/code>/g,
      (_, name: string) => `<code>${name.replace(/[_/.:](?=\w)/g, "$&<wbr>")}</code>`,
    );

function splitSections(body: string, headings: readonly DocsHeading[]): RenderedPage["sections"] {
  const parts = body.split(/<h[2-6] id="[^"]*">[\s\S]*?<\/h[2-6]>/);
  return parts.map((part, index) => {
    const heading = headings[index - 1];
    return { id: heading?.id ?? "", title: heading?.text ?? "", text: textOf(part) };
  });
}

/** The text between tags, white space collapsed. */
const textOf = (markup: string): string =>
  unescapeHtml(
    markup.replace(/<\/?(?:code|em|strong|a|del|i|span)\b[^>]*>/g, "").replace(/<[^>]*>/g, " "),
  )
    .replace(/\s+/g, " ")
    .trim();

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&#39;": "'",
};

const unescapeHtml = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#34|#39);/g, (entity) => ENTITIES[entity] as string);
