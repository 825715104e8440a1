/**
 * Sets the colour scheme before the first paint, so that a page never flashes in the wrong colours. It is a classic
 * script of its own, not a module, so it must not import anything. Mantine reads and writes the same storage key.
 */
{
  let stored: string | null = null;
  try {
    stored = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage is disabled: follow the system.
  }
  const dark =
    stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
}
