/** The storage key of Mantine, with which the dashboard is made: light, dark or auto. */
const STORAGE_KEY = "mantine-color-scheme-value";

/** Applies the colour scheme that the user chose on the dashboard, in any tab; otherwise the pages follow the system. */
export function followChosenColours(): void {
  apply();
  addEventListener("storage", (event) => {
    if (event.key === STORAGE_KEY || event.key === null) apply();
  });
}

function apply(): void {
  const chosen = chosenScheme();
  const root = document.documentElement;
  if (chosen === null) delete root.dataset["scheme"];
  else root.dataset["scheme"] = chosen;
}

function chosenScheme(): "light" | "dark" | null {
  try {
    const value = localStorage.getItem(STORAGE_KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // The browser stores nothing for this site.
  }
}
