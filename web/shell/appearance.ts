import { SCHEME_ATTRIBUTE } from "#site/tokens.ts";
import { APPEARANCE_KEY, readStored, store } from "./storage.ts";

/** The colours that the user chose: those of the system, light or dark. */
export type Appearance = "auto" | "light" | "dark";

const isDarkSystem = matchMedia("(prefers-color-scheme: dark)");
/** Where the browser stores nothing, a choice holds until the page is left. */
let chosen: Appearance | null = null;

function readAppearance(): Appearance {
  const stored = readStored(APPEARANCE_KEY);
  return stored === "light" || stored === "dark" ? stored : (chosen ?? "auto");
}

export function chooseAppearance(appearance: Appearance): void {
  chosen = appearance;
  store(APPEARANCE_KEY, appearance);
  apply();
}

/** Follows the choice and the system, and connects the choices in the menus of the header. */
export function startAppearance(page: Document): void {
  const fields = page.querySelectorAll<HTMLInputElement>("[data-appearance] input");
  for (const field of fields) {
    field.addEventListener("change", () => chooseAppearance(field.value as Appearance));
  }
  apply();
  isDarkSystem.addEventListener("change", apply);
  addEventListener("storage", ({ key }) => {
    if (key === APPEARANCE_KEY || key === null) apply();
  });
}

function apply(): void {
  const appearance = readAppearance();
  const isDark = appearance === "dark" || (appearance === "auto" && isDarkSystem.matches);
  document.documentElement.setAttribute(SCHEME_ATTRIBUTE, isDark ? "dark" : "light");
  const fields = document.querySelectorAll<HTMLInputElement>("[data-appearance] input");
  for (const field of fields) field.checked = field.value === appearance;
}
