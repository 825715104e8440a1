/** A string, a number or a word, white space, or one of the characters between values. */
const TOKEN = /"(?:\\.|[^"\\])*"?|[^\s{}[\],:"]+|[{}[\],:]/g;

/**
 * Lays out JSON text with line ends and indentation, without parsing it: numbers, the order of keys and duplicate keys stay as
 * they are. Stops after about `charsMax` characters, so the time does not grow with the text.
 */
export function layOutJsonText(text: string, charsMax: number): string {
  // Laid out, a text is not shorter, but for the white space that it has now.
  const source = text.slice(0, SOURCE_FACTOR * charsMax);
  let out = "";
  let depth = 0;
  let previous = "";
  const line = () => `\n${"  ".repeat(Math.min(depth, INDENTS_MAX))}`;
  for (const [token] of source.matchAll(TOKEN)) {
    if (out.length > charsMax) return out;
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    const isEmpty = isEnd && (previous === "{" || previous === "[");
    if (previous === "," || (isEnd ? !isEmpty : previous === "{" || previous === "["))
      out += line();
    out += token === ":" ? ": " : cutToken(token, charsMax);
    if (token === "{" || token === "[") depth += 1;
    previous = token;
  }
  return out;
}

const SOURCE_FACTOR = 4;

/** Deeper values are indented no further: they would be beyond the edge of every screen. */
const INDENTS_MAX = 40;

const cutToken = (token: string, charsMax: number): string =>
  token.length > charsMax + 1 ? token.slice(0, charsMax + 1) : token;
