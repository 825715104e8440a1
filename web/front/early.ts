import { SCHEME_ATTRIBUTE } from "#site/tokens.ts";
import { APPEARANCE_KEY, VISITOR_KEY } from "../shell/storage.ts";

/**
 * Runs in the head of every page, before the first paint, so that a page never flashes in the wrong colours or with the links of
 * another visitor. The build inlines it (`src/apps/node/build-pages.ts`), because a file would delay the paint; the
 * Content-Security-Policy allows it by its hash. `shell/appearance.ts` and `shell/visitor.ts` write what it reads. Without it, CSS
 * follows the system.
 */
const root = document.documentElement;
let [chosen, visitor]: (string | null)[] = [];
try {
  chosen = localStorage.getItem(APPEARANCE_KEY);
  visitor = localStorage.getItem(VISITOR_KEY);
} catch {
  // Nothing is stored where the browser forbids it.
}
const isDark =
  chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
root.setAttribute(SCHEME_ATTRIBUTE, isDark ? "dark" : "light");
if (visitor === "in") {
  root.setAttribute("data-visitor", "in");
  root.setAttribute("data-was-in", "");
}
