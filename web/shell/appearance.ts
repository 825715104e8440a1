import { SCHEME_ATTRIBUTE } from "#site/tokens.ts";
import { APPEARANCE_KEY } from "./storage-keys.ts";

/** The colours that the user chose: those of the system, light or dark. */
export type Appearance = "auto" | "light" | "dark";

const isDarkSystem = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<(appearance: Appearance) => void>();
/** Where the browser stores nothing, a choice holds until the page is left. */
let chosen: Appearance | null = null;

export function readAppearance(): Appearance {
  try {
    const stored = localStorage.getItem(APPEARANCE_KEY);
    return stored === "light" || stored === "dark" ? stored : (chosen ?? "auto");
  } catch {
    return chosen ?? "auto";
  }
}

export function chooseAppearance(appearance: Appearance): void {
  chosen = appearance;
  try {
    localStorage.setItem(APPEARANCE_KEY, appearance);
  } catch {
    // See `chosen`.
  }
  apply();
}

/** Calls `listener` after every change, also of another tab. Returns how to stop it. */
export function watchAppearance(listener: (appearance: Appearance) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Follows the choice and the system, and connects the choices in the menus of the header. */
export function startAppearance(page: Document): void {
  const fields = page.querySelectorAll<HTMLInputElement>("[data-appearance] input");
  const show = (appearance: Appearance) => {
    for (const field of fields) field.checked = field.value === appearance;
  };
  for (const field of fields) {
    field.addEventListener("change", () => chooseAppearance(field.value as Appearance));
  }
  watchAppearance(show);
  show(readAppearance());
  isDarkSystem.addEventListener("change", apply);
  addEventListener("storage", ({ key }) => {
    if (key === APPEARANCE_KEY || key === null) apply();
  });
}

function apply(): void {
  const appearance = readAppearance();
  const isDark = appearance === "dark" || (appearance === "auto" && isDarkSystem.matches);
  document.documentElement.setAttribute(SCHEME_ATTRIBUTE, isDark ? "dark" : "light");
  for (const listener of listeners) listener(appearance);
}
