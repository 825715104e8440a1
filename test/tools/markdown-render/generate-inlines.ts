import type { Random } from "./random.ts";

/**
 * Generates one line of inline Markdown: well-formed constructs mixed with random characters of their syntax. `gfm`
 * includes GFM.
 */
export function inlineLine(random: Random, gfm: boolean): string {
  return random
    .several(1, random.pick([1, 3, 6, 9]), () => piece(random, gfm, 2))
    .join(random.chance(0.3) ? " " : "");
}

const WORDS = ["a", "b", "foo", "bar", "x y", "1", "é", "ß", "“q”", "\u00a0", "😀", "一", "×", "€"];
const SOUP =
  "* * ** *** _ _ __ ___ ` `` [ ] ( ) ![ ]( ][ [] \\ < > & ! # - + = . : , ; ' \" { } / 1. ^ $ %".split(
    " ",
  );
const SPACES = [" ", " ", "  ", "\t"];
const ESCAPES = '\\* \\_ \\` \\[ \\] \\( \\) \\\\ \\< \\& \\! \\# \\a \\" \\~ \\|'.split(" ");
const ENTITIES =
  "&amp; &lt; &quot; &copy; &nbsp; &ouml; &#65; &#x41; &#0; &#xD800; &#x110000; &#42; &#32; &#9; &notit; &amp &x; &#; &ngE; &Tab; &NewLine;".split(
    " ",
  );
const DESTINATIONS =
  '/u <> <a b> a(b)c a\\)b b&amp;c %20 ü # ?q=1&r=2 <a\\>b> tel:+1 (( a) http://x.y/z* foo:bar a\\b "a" [b] `'.split(
    " ",
  );
const TITLES = [' "t"', " 't'", " (t)", ' "t*t*"', ' "a\\"b"', ' "&lt;"', ' "t', "  't'  ", '"t"'];
const LABELS = ["ref", "Ref", "ref 2", "foo", "a", "ß", "SS", "[x]", "*a*", "a\\]", "", " ", "!"];
const AUTOLINKS =
  "<http://a.b> <mailto:a@b.c> <a@b.c> <x:y> <http://a.b/?c=d&e> <a.b> <http://a b> <https://é/*x*> <a+b@c.d-e> <http://a\\*> <a@b>".split(
    " ",
  );
const TAGS = [
  ..."<b> </b> <i/> <a href='x'> <!-- c --> <!--> <!---> <?p?> <!X y> <![CDATA[z]]> <b a=\"*\"> <b a=`> </b x> <a/b> < b>".split(
    " ",
  ),
  "<b\na>",
  '<c d="\n">',
  "<!-- a\nb -->",
];
const GFM_SOUP = "~ ~ ~ ~~ ~~ ~~ ~~~ | \\| | [^1] [^a] [x] www http:// @ .com : _.".split(" ");
const BARE =
  "www.a.b www.a.b www.a www.a_b.c www.a.b_c www.a.b/c(d) www.a.b/c) www.a.b/&amp; www.a.b/c&x; www.a.b. www.a.b/~~ www.a.b/c* http://a.b http://a.b https://a.b/c?d=e&f HTTP://A.B http://a http://a_b.c http://a.b/c<d http://é.x ftp://a.b/c a@b.c a@b.c x@y.z a.b@c.d. a@b a@b.c_ a@b.c- a+b-c_d@e.f xmpp:a@b.c/d xhttp://a.b 'http://a.b' (www.a.b) _www.a.b_ (http://a.b) http://a.b, http://a.b/c?d. **http://a.b** ~~a@b.c~~ http://a.b/c\"d http://a.b:80/".split(
    " ",
  );

function piece(random: Random, gfm: boolean, depth: number): string {
  if (gfm && random.chance(0.3)) return gfmPiece(random, depth);
  const inner = () => inside(random, gfm, depth);
  // Engines are known to differ on bare addresses in brackets, so a few are enough.
  const text = () => inside(random, gfm && random.chance(0.1), depth);
  switch (random.between(0, 13)) {
    case 0:
    case 1:
      return random.pick(WORDS);
    case 2:
    case 3:
    case 4:
      return random.pick(SOUP);
    case 5:
      return random.pick(SPACES);
    case 6:
      return random.pick([ESCAPES, ENTITIES, AUTOLINKS, TAGS][random.between(0, 3)] as string[]);
    case 7:
      return random.several(1, 6, () => random.pick(["*", "*", "_", "a", " ", "."])).join("");
    case 8:
      return around(random.pick(["*", "**", "_", "__", "***"]), inner());
    case 9:
      return codeSpan(random, inner());
    case 10:
      return inlineLink(random, text());
    case 11:
      return referenceLink(random, text());
    case 12:
      return random.pick(["  \n", "\\\n", "\n", "   \n ", "\n\t"]);
    default:
      return random.several(1, 5, () => random.pick(SOUP)).join("");
  }
}

const inside = (random: Random, gfm: boolean, depth: number) =>
  depth === 0
    ? random.pick(WORDS)
    : random.several(1, 3, () => piece(random, gfm, depth - 1)).join("");

const around = (mark: string, text: string) => `${mark}${text}${mark}`;

function codeSpan(random: Random, text: string): string {
  const ticks = "`".repeat(random.between(1, 3));
  return `${ticks}${text}${random.chance(0.8) ? ticks : "`"}`;
}

function inlineLink(random: Random, text: string): string {
  const bang = random.chance(0.3) ? "!" : "";
  const title = random.chance(0.3) ? random.pick(TITLES) : "";
  const space = random.chance(0.1) ? random.pick([" ", "\n", "  "]) : "";
  return `${bang}[${text}](${space}${random.pick(DESTINATIONS)}${title}${space})`;
}

function referenceLink(random: Random, text: string): string {
  const bang = random.chance(0.3) ? "!" : "";
  const label = random.pick(LABELS);
  return bang + random.pick([`[${text}][${label}]`, `[${label}]`, `[${label}][]`, `[${text}][]`]);
}

function gfmPiece(random: Random, depth: number): string {
  switch (random.between(0, 3)) {
    case 0:
      return around(random.pick(["~", "~~", "~~~"]), inside(random, true, depth));
    case 1:
      return random.pick(["[^1]", "[^a]", "[^1]", "![^a]", "[^ b]", "[^A]"]);
    case 2:
      return (
        random.pick(["", " ", " ", "(", "*"]) + random.pick(BARE) + random.pick(["", " ", " "])
      );
    default:
      return random.pick(GFM_SOUP);
  }
}

/** Text that can follow the label of a reference definition. */
export function definitionTail(random: Random): string {
  const title = random.chance(0.4) ? random.pick([...TITLES, "\n'u\nv'", ' "t" x', "\n(t) x"]) : "";
  return `${random.pick([" ", "", "\n", "  "])}${random.pick(DESTINATIONS)}${title}`;
}

export const definitionLabel = (random: Random) => random.pick(LABELS);
