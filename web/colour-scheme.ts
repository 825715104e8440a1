/**
 * Runs before anything is drawn, as a small script file of its own, so that a page never flashes in the wrong colours.
 * The name of the setting is Mantine's, which takes over afterwards. No import may stand here: it is no module.
 */
{
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage is switched off: the system's colours, then.
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
}
