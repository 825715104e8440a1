/**
 * Elements whose contents a browser does not show as text (HTML, sections 13.1.2 and 13.2.6). Raw HTML is removed tag by
 * tag; for these elements the contents are removed too.
 */
const NAMES = "script|style|title|textarea|iframe|noembed|noframes|plaintext|xmp";
const NAME = new RegExp(`^(?:${NAMES})$`);
const TAG = new RegExp(`<(/?)(${NAMES})(?=[\\s/>]|$)`, "gi");

/** `name` in lower case. */
export function isHiddenElement(name: string): boolean {
  return NAME.test(name);
}

/** Returns the hidden element that is open after `line` if `open` was open before it; "" for none. */
export function hiddenAfter(line: string, open: string): string {
  let name = open;
  for (const [, slash, tag = ""] of line.matchAll(TAG)) {
    if (name === "" && slash === "") name = tag.toLowerCase();
    else if (slash !== "" && tag.toLowerCase() === name) name = "";
  }
  return name;
}

/** The position of the last closing tag of each hidden element in a document. */
export function lastClosings(source: string): Map<string, number> {
  const last = new Map<string, number>();
  for (const match of source.matchAll(TAG)) {
    if (match[1] !== "") last.set((match[2] ?? "").toLowerCase(), match.index);
  }
  return last;
}
