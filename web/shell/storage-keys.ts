/** What pages keep in the browser. `front/early.ts` reads it before the first paint. */

/** The colours that the user chose. It is Mantine's key. */
export const APPEARANCE_KEY = "mantine-color-scheme-value";

/** Whether this browser was signed in when it last knew: "in" or "out". */
export const VISITOR_KEY = "tb-visitor";

/** The page that the user wanted when the last code was sent. */
export const NEXT_KEY = "tb-next";
