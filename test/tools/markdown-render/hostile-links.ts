import { type Hostile, repeat, type Table, writtenFamily } from "./hostile-shapes.ts";

/** Engines allow this many levels of parentheses in a destination; the specification requires at least three. */
const PARENS_MAX = 32;

export const links: Hostile[] = writtenFamily("links", {
  "destinations of opening brackets": repeat(`[a](${"(".repeat(PARENS_MAX)}`),
  ...Object.fromEntries(
    [-1, 0, 1, 2].map((more): [string, Table[string]] => {
      const depth = PARENS_MAX + more;
      return [
        `destinations ${depth} deep`,
        repeat(`[a](${"(".repeat(depth)}${")".repeat(depth)})`),
      ];
    }),
  ),
  "destinations of long words, unclosed": repeat(`[a](${"b".repeat(1000)}`),
});
