/**
 * Whether a parser that keeps numbers as doubles and objects as maps would give back this JSON text as it was written. A
 * host that passes on what it has parsed would change any other text, and nobody would notice.
 *
 * The text must be valid JSON. `JSON.parse` with the source text of each number tells the numbers too, but takes five
 * times as long, and does not see repeated names.
 */
export function survivesParsing(json: string): boolean {
  /** The names in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (const [token, colon] of json.matchAll(TOKENS)) {
    switch (token[0]) {
      case "{":
        open.push(new Set());
        break;
      case "[":
        open.push(null);
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case '"': {
        const text = token.slice(0, token.length - (colon?.length ?? 0));
        const value: string = JSON.parse(text);
        if (!value.isWellFormed()) return false;
        if (colon === undefined) break;
        const names = open.at(-1);
        if (MOVES.test(value) || names?.has(value)) return false;
        names?.add(value);
        break;
      }
      default:
        if (JSON.stringify(Number(token)) !== token) return false;
    }
  }
  return true;
}

/** Strings, with the colon after a name; brackets; numbers. `true`, `false` and `null` mean the same everywhere. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]|-?\d[\d.eE+-]*/g;

/** Names that JavaScript moves before the others, or takes for the prototype when they are copied. */
const MOVES = /^(?:\d+|__proto__)$/;
