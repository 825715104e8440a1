import { followChosenColours } from "./chosen-colours.ts";
import { unfoldContents } from "./contents.ts";
import { addCopyButtons } from "./copy-buttons.ts";
import { createDocsSearch } from "./docs-search.ts";
import { createLanguageTabs } from "./language-tabs.ts";

/** The script of the server-rendered pages. Every page can be read without it. */
followChosenColours();

function start(): void {
  createLanguageTabs(document);
  addCopyButtons(document);
  unfoldContents(document);
  createDocsSearch(document);
  const island = document.querySelector<HTMLElement>("section[data-try]");
  // Only the front page has it, so only the front page loads the tools.
  if (island !== null) import("./try-it.ts").then(({ startTrying }) => startTrying(island));
}

// The script may run before the page has been parsed.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
