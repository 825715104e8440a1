import { createIndex, type Entry, excerptOf, findEntries, wordsOf } from "./find-entries.ts";
import { knownEntries, loadIndex, loadKeys, type SearchDeps } from "./palette-entries.ts";
import { applyPaletteStyle } from "./palette-style.ts";

/**
 * The search over pages, documentation, error codes, tools, API keys and actions, on every page. A combobox with a listbox
 * (ARIA Authoring Practices) in the browser's modal dialog, which keeps the focus and gives it back.
 */
export function openPalette(deps: SearchDeps): void {
  if (document.querySelector(".tb-palette[open]") !== null) return;
  applyPaletteStyle();
  new Palette(deps).open();
}

const LIST_ID = "tb-palette-list";

class Palette {
  readonly #dialog = element("dialog", { class: "tb-palette", "aria-label": "Search" });
  readonly #field = element("input", {
    type: "text",
    role: "combobox",
    placeholder: "Search or jump to…",
    "aria-label": "Search docs, error codes, tools and actions",
    "aria-autocomplete": "list",
    "aria-controls": LIST_ID,
    "aria-expanded": "true",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "go",
  });
  readonly #list = element("div", {
    id: LIST_ID,
    class: "tb-palette-list",
    role: "listbox",
    "aria-label": "Results",
  });
  readonly #status = element("p", { class: "tb-palette-status", role: "status" });
  readonly #deps: SearchDeps;
  readonly #known: Entry[];
  readonly #index = createIndex();
  #options: { node: HTMLElement; entry: Entry }[] = [];
  #selected = 0;
  /** Whether the user has moved the selection since they last typed. */
  #hasMoved = false;
  #problem = "";

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#known = knownEntries(deps);
    this.#index.addAll(this.#known);
  }

  open(): void {
    const close = element("button", { type: "button", "aria-label": "Esc, close the search" });
    close.textContent = "Esc";
    close.addEventListener("click", () => this.#close());
    const row = element("div", { class: "tb-palette-field" });
    row.append(this.#field, close);
    this.#dialog.append(row, this.#list, this.#status);
    this.#field.addEventListener("input", () => {
      this.#hasMoved = false;
      this.#show();
    });
    this.#dialog.addEventListener("keydown", (event) => this.#onKey(event));
    this.#dialog.addEventListener("close", () => this.#dialog.remove());
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#close();
    });
    document.body.append(this.#dialog);
    this.#show();
    this.#dialog.showModal();
    this.#field.focus();
    void this.#load(
      loadIndex(this.#deps),
      "The documentation cannot be searched now. Try again later.",
    );
    // Without its keys the search is still of use.
    void this.#load(loadKeys(this.#deps), "");
  }

  #close(): void {
    this.#dialog.close();
  }

  async #load(more: Promise<Entry[]>, problem: string): Promise<void> {
    try {
      // In pieces: all at once the documentation would hold up typing for a moment.
      await this.#index.addAllAsync(await more);
    } catch {
      this.#problem ||= problem;
    }
    if (!this.#dialog.open) return;
    this.#show(this.#hasMoved ? this.#options[this.#selected]?.entry : undefined);
  }

  /** Lists what the query finds, the best of it selected. `keep` stays selected if it is still found. */
  #show(keep?: Entry): void {
    const query = this.#field.value;
    const isEmpty = query.trim() === "";
    const found = isEmpty ? this.#known : findEntries(this.#index, query);
    this.#options = [];
    const groups = Map.groupBy(found, ({ group }) => group);
    this.#list.replaceChildren(
      ...[...groups].map(([group, entries], at) => this.#groupNode(group, entries, query, at)),
    );
    this.#select(
      Math.max(
        0,
        this.#options.findIndex(({ entry }) => entry === keep),
      ),
    );
    const count = found.length === 1 ? "1 result" : `${found.length} results`;
    this.#status.textContent =
      [isEmpty ? "" : found.length === 0 ? "No results" : count, this.#problem]
        .filter(Boolean)
        .join(". ") || "Arrow keys to move, Enter to open, Esc to close";
  }

  #groupNode(group: string, entries: readonly Entry[], query: string, at: number): HTMLElement {
    const headingId = `tb-palette-group-${at}`;
    const node = element("div", { role: "group", "aria-labelledby": headingId });
    const heading = element("div", { id: headingId, class: "tb-palette-heading" });
    heading.textContent = group;
    node.append(heading, ...entries.map((entry) => this.#optionNode(entry, query)));
    return node;
  }

  #optionNode(entry: Entry, query: string): HTMLElement {
    const index = this.#options.length;
    const attributes = {
      id: `tb-palette-option-${index}`,
      class: "tb-palette-option",
      role: "option",
      "aria-selected": "false",
      tabindex: "-1",
    };
    // A link can be opened in another tab as links are.
    const node: HTMLElement =
      typeof entry.target === "string"
        ? element("a", { ...attributes, href: entry.target })
        : element("div", attributes);
    const title = element("span", {});
    title.append(...marked(entry.title, query));
    node.append(title);
    const words = query.trim() === "" ? "" : excerptOf(entry, query);
    const isText = entry.group === "Documentation";
    const detail =
      isText && words !== "" ? [entry.detail, words].filter(Boolean).join(": ") : entry.detail;
    if (detail !== "") {
      const small = element("small", {});
      small.textContent = detail;
      node.append(small);
    }
    node.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.#choose(entry);
    });
    node.addEventListener("pointermove", () => {
      if (this.#selected === index) return;
      this.#hasMoved = true;
      this.#select(index, false);
    });
    this.#options.push({ node, entry });
    return node;
  }

  #select(index: number, scroll = true): void {
    this.#options[this.#selected]?.node.setAttribute("aria-selected", "false");
    this.#selected = index;
    const option = this.#options[index]?.node;
    option?.setAttribute("aria-selected", "true");
    if (scroll) option?.scrollIntoView({ block: "nearest" });
    if (option === undefined) this.#field.removeAttribute("aria-activedescendant");
    else this.#field.setAttribute("aria-activedescendant", option.id);
  }

  #onKey(event: KeyboardEvent): void {
    const last = this.#options.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: this.#selected === last ? 0 : this.#selected + 1,
      ArrowUp: this.#selected === 0 ? last : this.#selected - 1,
      PageDown: Math.min(last, this.#selected + 8),
      PageUp: Math.max(0, this.#selected - 8),
    };
    const next = moves[event.key];
    // A text that is being composed uses these keys itself.
    if (event.isComposing) return;
    if (next !== undefined && last >= 0) {
      event.preventDefault();
      this.#hasMoved = true;
      this.#select(next);
    } else if (event.key === "Enter" && event.target === this.#field) {
      event.preventDefault();
      const option = this.#options[this.#selected];
      if (option === undefined) return;
      // As a link does with the key held.
      if ((event.ctrlKey || event.metaKey) && typeof option.entry.target === "string") {
        open(option.entry.target, "_blank", "noopener");
      } else this.#choose(option.entry);
    }
  }

  #choose({ target }: Entry): void {
    this.#close();
    if (typeof target === "string") this.#deps.openPage(target);
    else void target();
  }
}

/** The text with the words of the query emphasized. */
function marked(text: string, query: string): (Node | string)[] {
  const words = wordsOf(query).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (words.length === 0) return [text];
  return text.split(new RegExp(`(${words.join("|")})`, "gi")).map((part, at) => {
    if (at % 2 === 0) return part;
    const mark = element("mark", {});
    mark.textContent = part;
    return mark;
  });
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
