import { hasOwnName, inNameOf, keyVariableOf, productOf, slugOf, TOOLBOOTH } from "#brand.ts";
import { weightsOf } from "#calls/reply.ts";
import { html, raw } from "../markup.ts";
import { basePath } from "../page-links.ts";
import type { PageOptions } from "../page-options.ts";
import { KEY_VARIABLE } from "../request-code.ts";
import { renderDocsFrame } from "./docs-frame.ts";
import { expandDirectives } from "./expand.ts";
import { docsFacts, PLACEHOLDER_URL } from "./facts.ts";
import {
  CONTENTS_FILE,
  type DocsEntry,
  type DocsPlace,
  type DocsSources,
  FOR_OPERATORS,
  readNavigation,
} from "./navigation.ts";
import { type RenderedPage, renderPageBody } from "./render-page.ts";
import { type SearchEntry, searchEntries, toolEntries } from "./search-index.ts";

/** The documentation of this service, made from `docs/*.md`. */
export type Docs = {
  /** Paths of all pages, the contents first. */
  paths: readonly string[];
  entries: readonly DocsEntry[];
  /** A page as HTML by its path; undefined: there is none. */
  html(path: string): string | undefined;
  /** The same page as Markdown, by the path of its HTML. */
  markdown(path: string): string | undefined;
  /** What the search looks through, as JSON (`web/shell/`). */
  searchIndex(): string;
};

const CONTENTS_PATH = "/docs";
const TOPICS_LABEL = "All topics";
/** Every heading, error code and setting in one list: the search, for a browser without scripts. */
const TOPICS_PATH = "/docs/topics";

export function createDocs(sources: DocsSources, options: PageOptions): Docs {
  const facts = docsFacts(options);
  const base = basePath(options.publicUrl);
  const entries = readNavigation(sources, options.tools)
    .filter(({ isForOperators }) => !isForOperators || !hasOwnName(options))
    .map((entry) => ({ ...entry, description: inDocsOf(options, entry.description) }));
  const sourceOf = new Map<string, string>([[CONTENTS_PATH, sources[CONTENTS_FILE] ?? ""]]);
  for (const { slug, file, label, description } of entries) {
    const generated = `# ${label}\n\n${description}\n\n<!-- generated tool ${label} -->\n<!-- end -->\n`;
    sourceOf.set(`/docs/${slug}`, file === null ? generated : textOf(sources, file));
  }
  const places: DocsPlace[] = [
    {
      path: CONTENTS_PATH,
      label: "Overview",
      description: `Everything about the ${options.name} API: calls, errors, tools, credits, webhooks${
        hasOwnName(options) ? "" : ", self-hosting"
      }.`,
      section: null,
    },
    ...entries.map((entry) => ({ ...entry, path: `/docs/${entry.slug}` })),
  ];

  function markdown(path: string): string | undefined {
    const source = sourceOf.get(path);
    if (source === undefined) return undefined;
    // Where a directive has left nothing, blank lines meet.
    const expanded = expandDirectives(source, facts).replace(CODE_OR_BLANK_LINES, (found) =>
      found.startsWith("\n") ? "\n\n" : found,
    );
    return inDocsOf(options, withWholeLinks(expanded, sourceOf, options));
  }
  const rendered = new Map<string, RenderedPage>();
  /** For its HTML, the search and the list of topics. */
  function render(path: string): RenderedPage {
    const known = rendered.get(path) ?? renderPageBody(markdown(path) as string);
    rendered.set(path, known);
    return known;
  }
  /** What the search finds on a page. */
  const entriesOf = ({ path, label }: DocsPlace): SearchEntry[] =>
    searchEntries(label, path, render(path));

  return {
    paths: [...places.map(({ path }) => path), TOPICS_PATH],
    entries,
    markdown,
    html(path) {
      if (path === TOPICS_PATH) {
        const found = places.map((place) => ({ place, topics: entriesOf(place) }));
        return renderDocsFrame(topicsOf(options), topicsPage(found, base), places, options);
      }
      const place = places.find((each) => each.path === path);
      if (place === undefined) return undefined;
      const page = render(path);
      const body = raw(withPaths(page.body, options.publicUrl));
      return renderDocsFrame(place, { ...page, body }, places, options);
    },
    searchIndex: () =>
      JSON.stringify(
        [...toolEntries(options), ...places.flatMap(entriesOf)].map((entry) => ({
          ...entry,
          href: `${base}${entry.href}`,
        })),
      ),
  };
}

const topicsOf = ({ name }: PageOptions): DocsPlace => ({
  path: TOPICS_PATH,
  label: TOPICS_LABEL,
  description: `Every heading and error code of the ${name} documentation in one list.`,
  section: null,
});

function topicsPage(
  found: readonly { place: DocsPlace; topics: readonly SearchEntry[] }[],
  base: string,
): RenderedPage {
  const body = html`<p class="lead">Every page with its headings, error codes and settings.</p>
${found.map(
  ({ place, topics }) => html`<h2><a href="${base}${place.path}">${place.label}</a></h2>
<ul class="topics">${topics
    .filter(({ title }) => title !== "")
    .map(({ title, href }) => html`<li><a href="${base}${href}">${title}</a></li>\n`)}</ul>
`,
)}`;
  return { title: TOPICS_LABEL, body, headings: [], sections: [] };
}

/** The Markdown of a page, without the mark of its readers. */
const textOf = (sources: DocsSources, file: string): string => {
  const text = sources[file] as string;
  return text.startsWith(FOR_OPERATORS) ? text.slice(FOR_OPERATORS.length) : text;
};

/**
 * The text for this service. Pages are written for one that is named Toolbooth, whose keys begin with `tb_` and are in
 * TOOLBOOTH_KEY.
 */
function inDocsOf(options: PageOptions, text: string): string {
  const withPrefix = text.replace(/\btb_/g, options.keyPrefix);
  if (!hasOwnName(options)) return withPrefix;
  const named = withPrefix.replaceAll("Toolbooth-Webhooks", `${productOf(options.name)}-Webhooks`);
  return inNameOf(options, named.replaceAll(KEY_VARIABLE, keyVariableOf(options))).replaceAll(
    TOOLBOOTH.name.toLowerCase(),
    slugOf(options.name),
  );
}

/** A code block, code within a line, or a link; what is in code is no link. */
const CODE_OR_LINK =
  /^(`{3,})[\s\S]*?^\1$|`[^`\n]+`|(!?)\[((?:`[^`\n]*`|[^\]`])*)\]\((?!#)([^)\s]+)\)/gm;
const CODE_OR_BLANK_LINES = /^(`{3,})[\s\S]*?^\1$|\n{3,}/gm;
const PAGE_LINK = /^([\w-]+)\.md(#[\w-]+)?$/;

/**
 * The Markdown with whole addresses, so that a page that was saved or sent to a program keeps its links. What is not served (images,
 * the decisions, other files of the repository) is named without a link.
 */
function withWholeLinks(
  markdown: string,
  pages: ReadonlyMap<string, string>,
  { publicUrl }: PageOptions,
): string {
  return markdown
    .replace(CODE_OR_LINK, (found, _, image, label, target?: string) => {
      if (target === undefined) return found;
      if (image === "!") return label;
      if (/^\w+:/.test(target)) return found;
      const [, slug, id = ""] = PAGE_LINK.exec(target) ?? [];
      const path = slug === "README" ? CONTENTS_PATH : `${CONTENTS_PATH}/${slug}`;
      return pages.has(path) ? `[${label}](${publicUrl}${path}.md${id})` : label;
    })
    .replaceAll(PLACEHOLDER_URL, publicUrl);
}

/** Links to this service as paths, which work under any name of the machine, and those to Markdown as links to pages. */
const withPaths = (body: string, publicUrl: string): string =>
  body.replace(/ href="([^"]*)"/g, (found, href: string) => {
    if (href !== publicUrl && !href.startsWith(`${publicUrl}/`)) return found;
    const path = href.slice(publicUrl.length).replace(/^(\/docs(?:\/[\w-]+)?)\.md(?=#|$)/, "$1");
    return ` href="${basePath(publicUrl)}${path || "/"}"`;
  });

/** Whether `Accept` names Markdown with a higher weight than HTML (RFC 9110, section 12.5.1). A browser names HTML, and many programs neither. */
export function prefersMarkdown(accept: string | null): boolean {
  const weights = weightsOf(accept ?? "");
  const markdown = weights.get("text/markdown") ?? 0;
  return markdown > 0 && markdown >= (weights.get("text/html") ?? 0);
}
