import * as z from "zod/mini";
import { BASE_URL_CHARS_MAX, bodyBytesFor, MARKDOWN_BYTES_MAX } from "#limits.ts";
import { defineTool } from "../define-tool.ts";
import { about, anyCase, inAnyCase, textField } from "../fields.ts";
import { isLinkRel, LINK_REL_PATTERN, LINK_RELATIONS } from "./links.ts";
import { renderMarkdown, renderMarkdownInBlocks } from "./render-markdown.ts";

const NO_BASE_URL = `must be an absolute http or https URL of at most ${BASE_URL_CHARS_MAX} characters`;

const NO_LINK_REL = `must be one or more of ${LINK_RELATIONS.join(", ")}, separated by spaces`;

function isBaseUrl(text: string): boolean {
  const isSound = text.length <= BASE_URL_CHARS_MAX && text.isWellFormed();
  return isSound && /^https?:\/\//i.test(text) && URL.canParse(text);
}

/**
 * Renders GitHub Flavored Markdown as HTML that is safe to insert into a page: only the text of raw HTML in the source
 * stays, with superscripts and subscripts, and only URLs that cannot run a script become links.
 */
const input = z.strictObject({
  markdown: textField(
    MARKDOWN_BYTES_MAX,
    "Markdown source, up to 1 MB (1,048,576 bytes) of UTF-8. It may be empty.",
  ),
  format: about(
    anyCase(["html", "text"], "html"),
    "`text` adds the field `text` to the response: the document as plain text. In any case.",
  ),
  headingIds: about(
    z._default(z.boolean(), false),
    "Gives headings the ids that GitHub gives them, with the prefix `user-content-`; links such as `#installation` are adapted.",
  ),
  baseUrl: about(
    z.optional(
      z
        .string()
        .check(z.refine(isBaseUrl, { error: NO_BASE_URL }), z.maxLength(BASE_URL_CHARS_MAX))
        .register(z.globalRegistry, { examples: ["https://example.com/docs/"] }),
    ),
    "Absolute http or https URL against which relative links and images are resolved; links within the page (`#…`) are unchanged.",
    "uri",
  ),
  html: about(
    anyCase(["strip", "safe"], "strip"),
    "What happens to raw HTML: its tags are removed and its text stays, or with `safe` a list of harmless elements is kept. In any case.",
  ),
  breaks: about(
    z._default(z.boolean(), false),
    "Every line ending within a paragraph becomes a line break, as in comments on GitHub.",
  ),
  math: about(
    anyCase(["markdown", "keep"], "markdown"),
    "Whether formulas (`$…$`, `$$…$$`, `\\(…\\)`, `\\[…\\]`) are parsed as Markdown, or with `keep` are kept for KaTeX or MathJax. In any case.",
  ),
  frontMatter: about(
    anyCase(["markdown", "skip", "data"], "markdown"),
    "What happens to front matter (`---` or `+++` on the first line): parsed as Markdown, left out with `skip`, or left out and returned with `data`. In any case.",
  ),
  outline: about(
    z._default(z.boolean(), false),
    "Adds `outline`, `title` and `words` to the response.",
  ),
  links: about(
    z.optional(
      z
        .strictObject({
          rel: about(
            z.optional(
              z
                .string()
                .check(z.refine(isLinkRel, { error: NO_LINK_REL }))
                .register(z.globalRegistry, { pattern: LINK_REL_PATTERN }),
            ),
            `Values of \`rel\`, separated by spaces: ${LINK_RELATIONS.map((name) => `\`${name}\``).join(", ")}.`,
          ),
          target: about(
            z.optional(inAnyCase(["_blank"])),
            "`_blank` opens the links in a new tab, without access to your page.",
          ),
        })
        .register(z.globalRegistry, { examples: [{ rel: "nofollow", target: "_blank" }] }),
    ),
    "Attributes of links that leave the page. In a query or form it is JSON.",
  ),
});

const output = z.strictObject({
  ok: about(z.literal(true), "True on success."),
  html: about(z.string(), "Rendered, sanitized HTML."),
  text: about(z.optional(z.string()), "The document as plain text; only with `format` `text`."),
  frontMatter: about(
    z.optional(z.string()),
    "The front matter without its delimiters; only with `frontMatter` `data`, if the document has any.",
  ),
  outline: about(
    z.optional(
      z.array(
        z.strictObject({
          level: about(z.int(), "From 1 to 6."),
          text: about(z.string(), "The text of the heading on one line."),
          id: about(
            z.optional(z.string()),
            "Its id, as `headingIds` writes it; missing where it has none.",
          ),
        }),
      ),
    ),
    "The headings in order; only with `outline`.",
  ),
  title: about(
    z.optional(z.string()),
    "The text of the first level-1 heading, otherwise of the first heading; empty without one. Only with `outline`.",
  ),
  words: about(z.optional(z.int()), "Number of words, without code blocks; only with `outline`."),
});

const PAGE_SAMPLE = `# Release notes

The **2.1** release is ready. See the [guide](https://example.com/guide).

| Change | Calls | State |
| :--- | ---: | :---: |
| Faster tables | 1,200 | done |
| ~~Old parser~~ | 0 | gone |

- [x] Tables, task lists and footnotes[^1]
- [ ] Publish

> [!NOTE]
> Raw HTML is removed: this is <b>not bold</b>.

[^1]: They are part of GitHub-flavored Markdown.
`;

export default defineTool({
  name: "markdown-render",
  operation: "renderMarkdown",
  title: "Markdown",
  summary: "GitHub-flavored Markdown as sanitized HTML.",
  description:
    "Renders GitHub-flavored Markdown (tables, task lists, strikethrough, autolinks, footnotes, alerts) to sanitized HTML. Raw HTML is removed, and its text stays; `sup` and `sub` stay, because 2⁶⁴ must not become another number. A link or image with a scheme other than http, https, mailto, tel, xmpp, ftp, irc or ircs becomes its text.",
  price: 1,
  effect: "none",
  input,
  output,
  body: "required",
  bodyBytesMax: bodyBytesFor(MARKDOWN_BYTES_MAX),
  fieldBytesMax: { markdown: MARKDOWN_BYTES_MAX },
  rawBody: {
    field: "markdown",
    types: ["text/markdown", "text/x-markdown", "text/plain"],
    octets: false,
  },
  representations: [
    { type: "text/html", fields: { format: "html" }, write: ({ html }) => html },
    { type: "text/plain", fields: { format: "text" }, write: ({ text }) => text ?? "" },
  ],
  heavyFromBytes: 12 * 1024,
  browser: true,
  examples: [
    {
      name: "headings, emphasis, a link",
      request: {
        markdown: "# Hello\n\nThis is **bold**, ~~gone~~ and [a link](https://example.com).",
      },
      response: {
        ok: true,
        html: '<h1>Hello</h1>\n<p>This is <strong>bold</strong>, <del>gone</del> and <a href="https://example.com">a link</a>.</p>\n',
      },
    },
    {
      name: "raw HTML and unsafe URLs are removed",
      request: {
        markdown: "<b>Safe</b> <script>alert(1)</script>and [sound](javascript:alert(1)).",
      },
      response: { ok: true, html: "<p>Safe and sound.</p>\n" },
    },
    {
      name: "a table and a task list, also as plain text",
      request: {
        markdown: "| Tool | Price |\n| --- | ---: |\n| hash | 1 |\n\n- [x] read\n- [ ] write",
        format: "text",
      },
      response: {
        ok: true,
        html: '<table>\n<thead>\n<tr>\n<th>Tool</th>\n<th align="right">Price</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>hash</td>\n<td align="right">1</td>\n</tr>\n</tbody>\n</table>\n<ul class="contains-task-list">\n<li class="task-list-item"><input class="task-list-item-checkbox" checked="" disabled="" type="checkbox" aria-label="Completed task"> read</li>\n<li class="task-list-item"><input class="task-list-item-checkbox" disabled="" type="checkbox" aria-label="Incomplete task"> write</li>\n</ul>\n',
        text: "Tool\tPrice\nhash\t1\n\n- [x] read\n- [ ] write",
      },
    },
  ],
  page: { sample: { markdown: PAGE_SAMPLE }, controls: { links: "none" } },
  run: ({ markdown, format, ...options }) => ({
    ok: true as const,
    ...renderMarkdown(markdown, format === "text", options),
  }),
  runInBlocks: ({ markdown, format, ...options }) => ({
    ok: true as const,
    ...renderMarkdownInBlocks(markdown, format === "text", options),
  }),
});
