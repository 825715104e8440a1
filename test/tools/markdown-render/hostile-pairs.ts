import { family, type Hostile, halves, repeat } from "./hostile-shapes.ts";
import { Random } from "./random.ts";

/** Openers and closers; every ordered pair of them becomes documents. */
const FRAGMENTS = [
  ..."*a¦_ ¦**¦a__¦~~¦`¦```\n¦[¦![¦](¦](u)¦[a]: ¦[^a]¦(¦)¦<a ¦<!--¦</a>¦<http:¦&#¦\\".split("¦"),
  ...'"¦> ¦- ¦1. ¦    ¦\n¦\n\n¦# ¦|-|\n¦===\n¦www.a¦@b.c'.split("¦"),
];

export const pairs: Hostile[] = FRAGMENTS.flatMap((first) =>
  FRAGMENTS.flatMap((second) =>
    first === second
      ? []
      : family(`pair ${JSON.stringify(first)} ${JSON.stringify(second)}`, {
          "by turns": repeat(first + second),
          "by halves": halves(first, second),
        }),
  ),
);

/** More fragments: complete constructs and their ends. */
const MORE = [
  ..."a¦ ¦\t¦*¦_¦~¦``¦]¦[a]¦[a][b]¦[^¦]:¦<¦>¦</¦<?¦?>¦-->¦<![CDATA[¦]]>¦<!A¦<script>".split("¦"),
  ..."</script>¦<title>¦=¦'¦a='¦&amp;¦;¦$¦+ ¦* ¦> [!NOTE]\n¦- [ ] ¦~~~\n¦---\n¦|".split("¦"),
  ..."a|b\n¦\r¦\u00a0¦\ud83d\ude00¦\u0000¦:¦//¦.¦!¦<div>\n¦<pre>\n¦</pre>¦[^a]: ".split("¦"),
  ..."\n  ¦\n    ¦\n> ".split("¦"),
];
const LETTERS = [...FRAGMENTS, ...MORE];

/** Generates a document from a number: one fragment, a second one repeated, and sometimes a third one repeated. */
export function drawn(number: number): Hostile {
  const random = new Random(number);
  const phrase = (most: number) => random.several(0, most, () => random.pick(LETTERS)).join("");
  const before = phrase(3);
  const first = phrase(4) || "a*";
  const second = random.chance(0.5) ? first : phrase(4) || first;
  const after = phrase(3);
  return {
    name: `drawn ${number}: ${JSON.stringify([before, first, second, after])}`,
    make: (size) => before + halves(first, second)(size - before.length - after.length) + after,
  };
}
