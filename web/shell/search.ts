import type { SearchDeps } from "./palette-entries.ts";

/** Connects the search button of the header and its shortcut. The palette is loaded when it is first opened. */
export function startSearch(header: HTMLElement, depsOf: () => SearchDeps): void {
  const button = header.querySelector<HTMLButtonElement>("[data-open=search]");
  if (button === null) return;
  const isMac = /Mac|iP(?:hone|ad|od)/.test(navigator.platform);
  const open = () =>
    void import("./palette.ts").then(({ openPalette }) => openPalette(depsOf()), ignore);
  if (isMac) {
    button.setAttribute("aria-keyshortcuts", "Meta+K");
    const hint = button.querySelector("kbd");
    if (hint !== null) hint.textContent = "⌘ K";
  }
  button.addEventListener("click", open);
  // A pointer over the button is on its way to press it.
  button.addEventListener("pointerenter", () => void import("./palette.ts").catch(ignore), {
    once: true,
  });
  addEventListener("keydown", (event) => {
    const isShortcut = (isMac ? event.metaKey : event.ctrlKey) && event.key.toLowerCase() === "k";
    if (!isShortcut || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open();
  });
}

/** A palette that could not be loaded is loaded again when it is next opened. */
const ignore = () => {};
