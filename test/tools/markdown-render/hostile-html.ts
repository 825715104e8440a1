/** The result of a scan of rendered HTML. `depth` is that of nested elements. */
export type Scan = { readonly depth: number; readonly fault: string | null };

export const VOID = new Set(["br", "hr", "img", "input", "source", "wbr"]);
const NAME = /<(\/?)([a-z][a-z0-9]*)/y;
const ATTRIBUTE = / [a-z][a-z-]*(="|(?=[ >]))/y;
const END = /(?: \/)?>/y;

type Tag = { readonly name: string; readonly closing: boolean; readonly end: number };

/**
 * Reads HTML as strictly as we write it: tags in lower case, values in double quotes, no bare `<`. Elements must close
 * in order, and links must not be nested, because a browser would separate them.
 */
export function scanHtml(html: string): Scan {
  const open: string[] = [];
  let depth = 0;
  const fault = (what: string, at: number): Scan => ({
    depth,
    fault: `${what} at ${at}: ${JSON.stringify(html.slice(Math.max(0, at - 40), at + 80))}`,
  });
  for (let at = html.indexOf("<"); at !== -1; ) {
    const tag = readTag(html, at);
    if (tag === undefined) return fault("no tag of ours", at);
    if (tag.closing) {
      if (open.pop() !== tag.name) return fault("a tag that closes another element", at);
    } else if (!VOID.has(tag.name)) {
      if (tag.name === "a" && open.includes("a")) return fault("a link in a link", at);
      depth = Math.max(depth, open.push(tag.name));
    }
    at = html.indexOf("<", tag.end);
  }
  return open.length > 0
    ? fault(`${open.length} elements left open`, html.length)
    : { depth, fault: null };
}

/** Written by hand instead of as a regular expression, because a value can have a million characters. */
function readTag(html: string, start: number): Tag | undefined {
  NAME.lastIndex = start;
  const [, slash, name] = NAME.exec(html) ?? [];
  if (name === undefined) return undefined;
  let end = NAME.lastIndex;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const attribute = ATTRIBUTE.exec(html);
    if (attribute === null) break;
    end = ATTRIBUTE.lastIndex;
    if (attribute[1] === "") continue;
    const quote = html.indexOf('"', end);
    const less = html.indexOf("<", end);
    if (quote === -1 || (less !== -1 && less < quote)) return undefined;
    end = quote + 1;
  }
  END.lastIndex = end;
  return END.test(html) ? { name, closing: slash === "/", end: END.lastIndex } : undefined;
}
