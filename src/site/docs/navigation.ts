/** The pages of `docs/` by file name, such as `quickstart.md`, as Markdown. */
export type DocsSources = Readonly<Record<string, string>>;

export type DocsEntry = {
  /** The page is served at `/docs/<slug>`. The file name without `.md`, or `docsSlugOf` a tool without a page. */
  slug: string;
  /** Null for a tool without a page of its own: its page is generated. */
  file: string | null;
  /** Without markup: the contents write the name of a tool as code. The name of the tool where the page is generated. */
  label: string;
  /** One sentence, for the contents, search engines and `/llms.txt`. */
  description: string;
  section: string;
  /** Not shown to the customers of a service with a name of its own. */
  isForOperators: boolean;
};

/** A page as the navigation shows it. */
export type DocsPlace = {
  path: string;
  label: string;
  description: string;
  /** Null: it stands before the first section. */
  section: string | null;
};

/** The contents page: GitHub shows it for the folder, the service at `/docs`. */
export const CONTENTS_FILE = "README.md";
/** The section of the contents that lists the tools. */
const TOOLS_SECTION = "Tools";

const SECTION = /^## (.+)$/;
const ENTRY = /^- \[(.+)\]\(([\w-]+)\.md\): (.+)$/;

/** The first line of a page for operators. All others are for customers. */
export const FOR_OPERATORS = "<!-- for operators -->\n";

/** The directives of a page that describes a tool, and of that on the pages of tools (`facts.ts`). */
const TOOL_REFERENCE = /^<!-- generated tool ([\w-]+) -->$/m;
const BROWSER_TOOLS = /^<!-- generated browser-tool-list -->$/m;

/**
 * The page of a tool is `/docs/<slug>`. Those of own tools have a prefix that no other page has: whatever pages a later version adds,
 * none takes the address of an own tool's page.
 */
export const docsSlugOf = ({ name, isOwn }: { name: string; isOwn?: boolean }): string =>
  isOwn ? `tool-${name}` : name;

/**
 * Every page in reading order, read from the lists of `docs/README.md`, so that GitHub and the site show the same order.
 * Pages of tools that the service does not offer are left out, as is that on browser tools where no tool is one; tools without a
 * page come first among the tools: they are the operator's.
 * Throws where the contents name a page that is missing.
 */
export function readNavigation(
  sources: DocsSources,
  tools: readonly { name: string; summary: string; isOwn?: boolean; browser?: boolean }[],
): DocsEntry[] {
  const entries: DocsEntry[] = [];
  let section = "";
  for (const line of (sources[CONTENTS_FILE] ?? "").split("\n")) {
    section = SECTION.exec(line)?.[1] ?? section;
    const [, label, slug, description] = ENTRY.exec(line) ?? [];
    if (label === undefined || slug === undefined || description === undefined) continue;
    const file = `${slug}.md`;
    if (sources[file] === undefined)
      throw new Error(`docs/README.md names ${file}, which is missing`);
    const [, tool] = TOOL_REFERENCE.exec(sources[file]) ?? [];
    // That of a tool which a tool of the operator replaces is generated.
    if (tool !== undefined && !tools.some(({ name, isOwn }) => name === tool && !isOwn)) continue;
    if (BROWSER_TOOLS.test(sources[file]) && !tools.some(({ browser, isOwn }) => browser && !isOwn))
      continue;
    const isForOperators = sources[file].startsWith(FOR_OPERATORS);
    entries.push({
      ...{ slug, file, label: label.replaceAll("`", ""), description, section, isForOperators },
    });
  }
  const listed = new Set(entries.map(({ slug }) => slug));
  const generated = tools
    .filter((tool) => !listed.has(docsSlugOf(tool)))
    .map((tool) => ({
      slug: docsSlugOf(tool),
      file: null,
      label: tool.name,
      description: tool.summary,
      section: TOOLS_SECTION,
      isForOperators: false,
    }));
  const first = entries.findIndex((entry) => entry.section === TOOLS_SECTION);
  const at = first < 0 ? entries.length : first;
  return [...entries.slice(0, at), ...generated, ...entries.slice(at)];
}
