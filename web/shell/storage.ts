/** What pages keep in the browser. `front/early.ts` reads the first two before the first paint. */

/** The colours that the user chose. It is Mantine's key. */
export const APPEARANCE_KEY = "mantine-color-scheme-value";

/** Whether this browser was signed in when it last knew: "in" or "out". */
export const VISITOR_KEY = "tb-visitor";

/** The page that the user wanted when the last code was sent. */
export const NEXT_KEY = "tb-next";

/** The language of code samples that the user chose, in the documentation or in the dashboard. */
export const LANGUAGE_KEY = "tb-docs-language";

/** Null where nothing is stored, or the browser stores nothing for this site. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Where the browser stores nothing for this site, or no more, a choice holds until the page is left. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // No page depends on it.
  }
}
