/**
 * Elements whose contents a browser does not show as text (HTML, sections 13.1.2 and 13.2.6). Raw HTML is removed tag by
 * tag; for these elements the contents are removed too.
 */
const NAMES = "script|style|title|textarea|iframe|noembed|noframes|plaintext|xmp";
const NAME = new RegExp(`^(?:${NAMES})$`);
const CLOSING_TAG = new RegExp(`</(${NAMES})(?=[\\s/>])`, "gi");

/** `name` in lower case. */
export function isHiddenElement(name: string): boolean {
  return NAME.test(name);
}

/** The position of the last closing tag of each hidden element in a document. */
export function lastClosings(source: string): Map<string, number> {
  const last = new Map<string, number>();
  for (const match of source.matchAll(CLOSING_TAG)) {
    last.set((match[1] ?? "").toLowerCase(), match.index);
  }
  return last;
}
