import MiniSearch from "minisearch";

/** Something that the search can find. */
export type Entry = {
  group: "Go to" | "Actions" | "Tools" | "API keys" | "Error codes" | "Documentation";
  title: string;
  /** What stands below the title where the query is not found in the text. */
  detail: string;
  /** Searched with less weight than the title. */
  text: string;
  /** What choosing it does: opens a page, or runs an action. */
  target: string | (() => void | Promise<void>);
};

/** An entry of `/docs/search.json` (`src/site/docs/search-index.ts`). */
export type IndexEntry = { page: string; title: string; href: string; text: string };

const EXCERPT_CHARS = 110;

/** `base` is the path under which the service is published. */
export function fromIndex({ page, title, href, text }: IndexEntry, base: string): Entry {
  const isError = href.startsWith(`${base}/docs/errors#`) && /^[a-z]+(?:_[a-z0-9]+)*$/.test(title);
  if (href.startsWith(`${base}/tools/`)) {
    return { group: "Tools", title, detail: text, text, target: href };
  }
  if (isError) {
    return {
      group: "Error codes",
      title,
      detail: text.slice(0, EXCERPT_CHARS),
      text,
      target: href,
    };
  }
  return {
    group: "Documentation",
    title: title === "" ? page : title,
    detail: title === "" ? "" : page,
    text,
    target: href,
  };
}

/** The most results of a group, and of all. */
const GROUP_MAX = 6;
const RESULTS_MAX = 20;

export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** An index over entries, each of which is its own id. */
export const createIndex = (): MiniSearch<Entry> =>
  new MiniSearch({
    fields: ["title", "detail", "text"],
    extractField: (entry, field) => (field === "id" ? entry : entry[field as keyof Entry]),
    searchOptions: {
      prefix: true,
      combineWith: "AND",
      boost: { title: 10, detail: 3 },
      // Names of pages and tools come before headings of the documentation that match as well.
      boostDocument: ({ group }: Entry) => (group === "Documentation" ? 1 : 1.5),
    },
  });

/** Every word of the query must occur. The group with the best result comes first; within a group the best result does. */
export function findEntries(index: MiniSearch<Entry>, query: string): Entry[] {
  const found = index.search(query).map(({ id }): Entry => id);
  const groups = Map.groupBy(found, ({ group }) => group);
  return [...groups.values()].flatMap((group) => group.slice(0, GROUP_MAX)).slice(0, RESULTS_MAX);
}

/** The text around the first word of the query that is in it; empty where there is none. */
export function excerptOf({ text }: Entry, query: string): string {
  const lower = text.toLowerCase();
  const at = Math.max(-1, ...wordsOf(query).map((word) => lower.indexOf(word)));
  if (at < 0) return "";
  const from = at < EXCERPT_CHARS / 2 ? 0 : text.lastIndexOf(" ", at - EXCERPT_CHARS / 3) + 1;
  const excerpt = text.slice(from, from + EXCERPT_CHARS);
  return `${from > 0 ? "…" : ""}${excerpt}${from + EXCERPT_CHARS < text.length ? "…" : ""}`;
}
