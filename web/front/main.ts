import { startShell } from "../shell/shell.ts";
import { addCopyButtons } from "./copy-buttons.ts";
import { createLanguageTabs } from "./language-tabs.ts";

/** The script of the pages that the server renders. They can be read without it. */
// The script may run before the page is fully parsed.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();

function start(): void {
  startShell(document);
  createLanguageTabs(document);
  addCopyButtons(document);
  expandContents(document);
  const pricing = document.querySelector<HTMLElement>("section[data-pricing]");
  if (pricing !== null) import("./pricing.ts").then(({ startPricing }) => startPricing(pricing));
  const island = document.querySelector<HTMLElement>("section[data-try]");
  // Only the front page has this section, so only the front page loads the tools.
  if (island !== null) import("./try-it.ts").then(({ startTryIt }) => startTryIt(island));
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
