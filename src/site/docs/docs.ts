import { html } from "../markup.ts";
import { basePath } from "../page-links.ts";
import type { PageOptions } from "../page-options.ts";
import { renderDocsFrame } from "./docs-frame.ts";
import { expandDirectives } from "./expand.ts";
import { docsFacts, PLACEHOLDER_URL } from "./facts.ts";
import {
  CONTENTS_FILE,
  type DocsEntry,
  type DocsPlace,
  type DocsSources,
  readNavigation,
} from "./navigation.ts";
import { type RenderedPage, renderPageBody } from "./render-page.ts";
import { type SearchEntry, searchEntries, toolEntries } from "./search-index.ts";

/** The documentation of this service, rendered from `docs/*.md`. A page is rendered when it is first asked for. */
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
/** Every heading, error code and setting in one list: the search, for a browser without scripts. */
export const TOPICS_PATH = "/docs/topics";

export function createDocs(sources: DocsSources, options: PageOptions): Docs {
  const facts = docsFacts(options);
  const entries = readNavigation(sources, options.tools);
  const sourceOf = new Map<string, string>([[CONTENTS_PATH, sources[CONTENTS_FILE] ?? ""]]);
  for (const { slug, file, label, description } of entries) {
    const generated = `# ${label}\n\n${description}\n\n<!-- generated tool ${slug} -->\n<!-- end -->\n`;
    sourceOf.set(`/docs/${slug}`, file === null ? generated : (sources[file] as string));
  }
  const places: DocsPlace[] = [
    {
      path: CONTENTS_PATH,
      label: "Overview",
      description:
        "Everything about the Toolbooth API: calls, errors, tools, credits, webhooks, self-hosting.",
      section: null,
    },
    ...entries.map((entry) => ({ ...entry, path: `/docs/${entry.slug}` })),
  ];

  const expanded = memoize((path) => {
    const source = sourceOf.get(path);
    if (source === undefined) return undefined;
    // Where a directive has left nothing, blank lines meet.
    return expandDirectives(source, facts).replace(CODE_OR_BLANK_LINES, (found) =>
      found.startsWith("\n") ? "\n\n" : found,
    );
  });
  const rendered = memoize((path) => {
    const markdown = expanded(path);
    return markdown === undefined
      ? undefined
      : renderPageBody(withHtmlLinks(markdown, sourceOf, options));
  });
  const entriesOf = (place: DocsPlace): SearchEntry[] =>
    searchEntries(place.label, place.path, rendered(place.path) as RenderedPage);
  const pages = memoize((path) => {
    if (path === TOPICS_PATH) {
      const topics = places.map((place) => ({ place, found: entriesOf(place) }));
      return renderDocsFrame(
        topicsPlace,
        topicsPage(topics, basePath(options.publicUrl)),
        places,
        options,
      );
    }
    const place = places.find((each) => each.path === path);
    const page = rendered(path);
    return place === undefined || page === undefined
      ? undefined
      : renderDocsFrame(place, page, places, options);
  });
  let index: string | undefined;

  return {
    paths: [...places.map(({ path }) => path), TOPICS_PATH],
    entries,
    html: pages,
    markdown(path) {
      const markdown = expanded(path);
      return markdown === undefined ? undefined : withMarkdownLinks(markdown, options.publicUrl);
    },
    searchIndex() {
      const base = basePath(options.publicUrl);
      index ??= JSON.stringify(
        [...toolEntries(options), ...places.flatMap(entriesOf)].map((entry) => ({
          ...entry,
          href: `${base}${entry.href}`,
        })),
      );
      return index;
    },
  };
}

const topicsPlace: DocsPlace = {
  path: TOPICS_PATH,
  label: "All topics",
  description: "Every heading, error code and setting of the Toolbooth documentation in one list.",
  section: null,
};

function topicsPage(
  topics: readonly { place: DocsPlace; found: readonly SearchEntry[] }[],
  base: string,
): RenderedPage {
  const body = html`<p class="lead">Every page with its headings, error codes and settings.</p>
${topics.map(
  ({ place, found }) => html`<h2><a href="${base}${place.path}">${place.label}</a></h2>
<ul class="topics">${found
    .filter(({ title }) => title !== "")
    .map(({ title, href }) => html`<li><a href="${base}${href}">${title}</a></li>\n`)}</ul>
`,
)}`;
  return { title: topicsPlace.label, body, headings: [], sections: [] };
}

/** A code block, code within a line, or a link; what is in code is no link. */
const CODE_OR_LINK =
  /^(`{3,})[\s\S]*?^\1$|`[^`\n]+`|(!?)\[((?:`[^`\n]*`|[^\]`])*)\]\((?!#)([^)\s]+)\)/gm;
const CODE_OR_BLANK_LINES = /^(`{3,})[\s\S]*?^\1$|\n{3,}/gm;

/** Replaces each link but those within the page. `target` is an address or a file of the repository. */
const replaceLinks = (
  markdown: string,
  replace: (link: string, label: string, target: string) => string,
): string =>
  markdown.replace(CODE_OR_LINK, (found, _, image, label, target) => {
    if (target === undefined) return found;
    // Images are in the repository; the site shows their description.
    return image === "!" ? label : replace(found, label, target);
  });

const PAGE_LINK = /^([\w-]+)\.md(#[\w-]+)?$/;
/** Paths of this service that it serves without its dashboard. */
const WITHOUT_DASHBOARD = /^\/(?:docs|openapi\.json|llms\.txt|$)/;

/** Links within the service keep the path under which it is published, and work under any name of the machine. */
function withHtmlLinks(
  markdown: string,
  pages: ReadonlyMap<string, string>,
  { publicUrl, dashboard }: PageOptions,
): string {
  const base = basePath(publicUrl);
  const linked = replaceLinks(markdown, (link, label, target) => {
    if (target.startsWith(PLACEHOLDER_URL)) {
      const path = target.slice(PLACEHOLDER_URL.length);
      return dashboard || WITHOUT_DASHBOARD.test(path)
        ? `[${label}](<${base}${path || "/"}>)`
        : label;
    }
    if (/^\w+:/.test(target)) return link;
    const [, slug, id = ""] = PAGE_LINK.exec(target) ?? [];
    const path = slug === "README" ? CONTENTS_PATH : `/docs/${slug}`;
    // What is not served (the decisions, files of the repository) is named without a link.
    return slug !== undefined && pages.has(path) ? `[${label}](<${base}${path}${id}>)` : label;
  });
  return linked.replaceAll(PLACEHOLDER_URL, publicUrl);
}

/** The same with whole addresses, so that a page that was saved or sent to a program keeps its links. */
function withMarkdownLinks(markdown: string, publicUrl: string): string {
  const linked = replaceLinks(markdown, (link, label, target) => {
    if (/^\w+:/.test(target)) return link;
    const [, slug, id = ""] = PAGE_LINK.exec(target) ?? [];
    return slug === undefined ? label : `[${label}](${publicUrl}${markdownPath(slug)}${id})`;
  });
  return linked.replaceAll(PLACEHOLDER_URL, publicUrl);
}

const markdownPath = (slug: string): string =>
  slug === "README" ? `${CONTENTS_PATH}.md` : `${CONTENTS_PATH}/${slug}.md`;

function memoize<T>(make: (path: string) => T | undefined): (path: string) => T | undefined {
  const made = new Map<string, T>();
  return (path) => {
    const known = made.get(path);
    if (known !== undefined) return known;
    const value = make(path);
    if (value !== undefined) made.set(path, value);
    return value;
  };
}

/** Whether `Accept` names Markdown with a higher weight than HTML (RFC 9110, section 12.5.1). A browser names HTML, and many programs neither. */
export function prefersMarkdown(accept: string | null): boolean {
  const weights = { "text/markdown": 0, "text/html": 0 };
  for (const part of accept?.toLowerCase().split(",") ?? []) {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim());
    if (type !== "text/markdown" && type !== "text/html") continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    weights[type] = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return weights["text/markdown"] > 0 && weights["text/markdown"] >= weights["text/html"];
}
