/** Where the dashboard, which is made with Mantine, keeps the colour scheme that a person has chosen: light, dark or auto. */
const KEPT_AS = "mantine-color-scheme-value";

/** The pages follow the system, or the choice that was made on the dashboard, there and in other tabs. */
export function followChosenColours(): void {
  apply();
  addEventListener("storage", (event) => {
    if (event.key === KEPT_AS || event.key === null) apply();
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
    const value = localStorage.getItem(KEPT_AS);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // The browser keeps nothing for this site.
  }
}
