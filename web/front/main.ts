import { followChosenColours } from "./chosen-colours.ts";
import { unfoldContents } from "./contents.ts";
import { addCopyButtons } from "./copy-buttons.ts";

/** The script of the pages that the server renders. They work without it; nothing here is needed to read them. */
followChosenColours();

function start(): void {
  addCopyButtons(document);
  unfoldContents(document);
  const island = document.querySelector<HTMLElement>("section[data-try]");
  // Only the front page has it, so only the front page loads the tools.
  if (island !== null) import("./try-it.ts").then(({ startTrying }) => startTrying(island));
}

// The script may come before the page is read to its end.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
