import { SCHEME_ATTRIBUTE } from "#site/tokens.ts";
import { addCopyButtons } from "./copy-buttons.ts";
import { createDocsSearch } from "./docs-search.ts";
import { createLanguageTabs } from "./language-tabs.ts";

/** The script of the pages that the server renders. They can be read without it. */
followColourScheme();
// The script may run before the page is fully parsed.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();

function start(): void {
  createLanguageTabs(document);
  addCopyButtons(document);
  expandContents(document);
  createDocsSearch(document);
  const pricing = document.querySelector<HTMLElement>("section[data-pricing]");
  if (pricing !== null) import("./pricing.ts").then(({ startPricing }) => startPricing(pricing));
  const island = document.querySelector<HTMLElement>("section[data-try]");
  // Only the front page has this section, so only the front page loads the tools.
  if (island !== null) import("./try-it.ts").then(({ startTryIt }) => startTryIt(island));
}

/** Follows the colour scheme that the user chose on the dashboard, also while it changes in another tab. */
function followColourScheme(): void {
  // The key under which Mantine stores light, dark or auto.
  const storageKey = "mantine-color-scheme-value";
  const apply = () => {
    const scheme = storedScheme(storageKey);
    const root = document.documentElement;
    if (scheme === null) root.removeAttribute(SCHEME_ATTRIBUTE);
    else root.setAttribute(SCHEME_ATTRIBUTE, scheme);
  };
  apply();
  addEventListener("storage", (event) => {
    if (event.key === storageKey || event.key === null) apply();
  });
}

function storedScheme(storageKey: string): "light" | "dark" | null {
  try {
    const value = localStorage.getItem(storageKey);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // Storage is disabled.
  }
}

/**
 * Collapses the table of contents on narrow screens, where it is above the text. On wide screens the stylesheet always
 * shows it beside the text; the attribute says so to assistive technology.
 */
function expandContents(page: Document): void {
  const contents = page.querySelector<HTMLDetailsElement>("details.toc");
  if (contents === null) return;
  // The same width as in src/site/style.ts.
  const isWide = matchMedia("(min-width: 62rem)");
  const follow = () => {
    contents.open = isWide.matches;
  };
  follow();
  isWide.addEventListener("change", follow);
}
