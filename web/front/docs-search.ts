/** An entry of `/docs/search.json` (`src/site/docs/search-index.ts`). */
type Entry = { page: string; title: string; href: string; text: string };

const RESULTS_MAX = 12;
const EXCERPT_CHARS = 140;

/**
 * Turns the link to all topics into a search field above it. The index is loaded when the field is focused for the first time;
 * every word of the query must occur, and titles count more than text.
 */
export function createDocsSearch(page: Document): void {
  const place = page.querySelector<HTMLElement>("[data-search]");
  const url = place?.dataset["search"];
  if (place === null || url === undefined) return;
  const field = page.createElement("input");
  field.type = "search";
  field.placeholder = "Search";
  field.autocomplete = "off";
  field.setAttribute("aria-label", "Search the documentation");
  const status = page.createElement("p");
  status.className = "small soft";
  status.setAttribute("role", "status");
  const list = page.createElement("ul");
  place.prepend(field, status, list);

  let entries: Promise<Entry[]> | null = null;
  const load = () => {
    entries ??= fetch(url).then((response) => {
      if (!response.ok) throw new Error(`The search index could not be loaded: ${response.status}`);
      return response.json() as Promise<Entry[]>;
    });
    return entries;
  };
  const show = async () => {
    const query = field.value;
    const found = await load().then(
      (all) => findEntries(all, query),
      () => {
        entries = null; // The next key tries again.
        return null;
      },
    );
    // A later key has its own turn.
    if (query !== field.value) return;
    list.replaceChildren(...(found ?? []).map((entry) => resultItem(page, entry, query)));
    status.textContent = statusText(query, found);
  };
  field.addEventListener("focus", () => void load().catch(() => {}));
  field.addEventListener("input", () => void show());
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    field.value = "";
    void show();
  });
}

function statusText(query: string, found: Entry[] | null): string {
  if (query.trim() === "") return "";
  if (found === null) return "The search is not available. Use the list of all topics.";
  return found.length === 0 ? "No results" : "";
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

export function findEntries(entries: readonly Entry[], query: string): Entry[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry);
}

/** 0 where a word is missing. */
function scoreOf({ page, title, text }: Entry, words: readonly string[]): number {
  const [heading, label, body] = [title, page, text].map((part) => part.toLowerCase()) as [
    string,
    string,
    string,
  ];
  let score = 0;
  for (const word of words) {
    if (heading === word) score += 40;
    else if (heading.startsWith(word)) score += 20;
    else if (heading.includes(word)) score += 10;
    else if (label.includes(word)) score += 5;
    else if (body.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

function resultItem(page: Document, entry: Entry, query: string): HTMLLIElement {
  const item = page.createElement("li");
  const link = page.createElement("a");
  link.href = entry.href;
  link.textContent = entry.title === "" ? entry.page : entry.title;
  const excerpt = page.createElement("small");
  excerpt.textContent =
    entry.title === "" ? excerptOf(entry, query) : `${entry.page}: ${excerptOf(entry, query)}`;
  link.append(excerpt);
  item.append(link);
  return item;
}

/** The text around the first word of the query. */
function excerptOf({ text }: Entry, query: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(wordsOf(query)[0] ?? ""));
  const from = at < EXCERPT_CHARS ? 0 : text.lastIndexOf(" ", at - EXCERPT_CHARS / 3) + 1;
  const excerpt = text.slice(from, from + EXCERPT_CHARS);
  return `${from > 0 ? "…" : ""}${excerpt}${from + EXCERPT_CHARS < text.length ? "…" : ""}`;
}
