import { htmlBlock, table } from "./generate-blocks.ts";
import { definitionLabel, definitionTail, inlineLine } from "./generate-inlines.ts";
import { Random } from "./random.ts";

/**
 * The kind of document to generate. `gfm` includes GFM constructs. An `odd` document has empty items, blank lines of
 * spaces and tabs, and unusual indents. The references differ most on these, so most documents with GFM constructs,
 * which only one of them can judge, are not odd.
 */
type Manner = { readonly gfm: boolean; readonly odd: boolean };

/**
 * Generates a document with all kinds of Markdown, usually 20 to 300 characters. The same seed gives the same document.
 */
export function generateMarkdown(seed: number, examples: readonly string[]): string {
  const random = new Random(seed);
  const gfm = random.chance(0.5);
  const manner = { gfm, odd: random.chance(gfm ? 0.15 : 0.7) };
  const kind = random.next();
  if (kind < 0.45) return finished(random, withFootnote(random, manner, blocks(random, manner, 3)));
  if (kind < 0.65)
    return finished(
      random,
      random.several(1, 3, () => inlineLine(random, gfm)),
    );
  if (kind < 0.75) return finished(random, lineSoup(random, manner));
  return mutated(random, manner, examples);
}

const LENGTH_MAX = 240;

function finished(random: Random, lines: readonly string[]): string {
  const text = lines.join("\n").slice(0, LENGTH_MAX).toWellFormed();
  const ended = random.chance(0.8) ? `${text}\n` : text;
  return random.chance(0.03) ? ended.replaceAll("\n", random.pick(["\r\n", "\r"])) : ended;
}

const BLANKS = ["", "", "", " ", "    ", "\t"];
const INDENTS = ["", "", "", " ", "  ", "   ", "    ", "\t", "     "];

const blank = (random: Random, { odd }: Manner) => (odd ? random.pick(BLANKS) : "");

/** Generates some blocks as lines, with or without blank lines between them. */
function blocks(random: Random, manner: Manner, depth: number): string[] {
  const lines: string[] = [];
  for (let left = random.between(1, depth + 1); left > 0; left--) {
    if (lines.length > 0 && random.chance(0.45)) lines.push(blank(random, manner));
    lines.push(...indented(random, manner, block(random, manner, depth)));
  }
  return lines;
}

/** Adds a footnote and a reference to it to some documents. */
function withFootnote(random: Random, manner: Manner, lines: string[]): string[] {
  if (!manner.gfm || !random.chance(0.15)) return lines;
  const call = `${inlineLine(random, true)}[^1]${random.pick(["", ".", "[^1]", " a[^a]"])}`;
  const more = random.chance(0.4)
    ? ["", ...block(random, manner, 0).map((line) => `    ${line}`)]
    : [];
  const definition = ["", `[^1]: ${inlineLine(random, false).replaceAll("\n", " ")}`, ...more];
  return random.chance(0.5)
    ? [call, "", ...lines.slice(0, 3), ...definition]
    : [...lines.slice(0, 3), ...definition, "", call];
}

function indented(random: Random, { odd }: Manner, lines: string[]): string[] {
  if (random.chance(odd ? 0.7 : 0.95)) return lines;
  if (odd && random.chance(0.5)) return lines.map((line) => random.pick(INDENTS) + line);
  const indent = random.pick(odd ? INDENTS : ["", " ", "  ", "   "]);
  return lines.map((line) => indent + line);
}

function block(random: Random, manner: Manner, depth: number): string[] {
  const { gfm } = manner;
  if (depth > 0 && random.chance(0.45)) return container(random, manner, depth);
  if (gfm && random.chance(0.3)) return gfmBlock(random, manner, depth);
  switch (random.between(0, 12)) {
    case 0:
      return [
        "#".repeat(random.between(1, 7)) + random.pick(["", " ", " ", "\t"]) + heading(random),
      ];
    case 1:
      return [inlineLine(random, gfm), random.pick(["===", "---", "-", "= ", "--- -", "  ="])];
    case 2:
      return [random.pick(["---", "* * *", "___", "- - -", "-\t-\t-", "--", "***a", "_ _ _ "])];
    case 3:
      return fenced(random, manner);
    case 4:
      return random.several(
        1,
        3,
        () => random.pick(["    ", "\t", "     ", "  \t"]) + word(random),
      );
    case 5:
      return htmlBlock(random);
    case 6:
    case 7:
      return `[${definitionLabel(random)}]:${definitionTail(random)}`.split("\n");
    default:
      return random
        .several(1, 3, () => inlineLine(random, gfm))
        .flatMap((line) => line.split("\n"));
  }
}

const word = (random: Random) =>
  random.pick(["a", "b c", "- d", "> e", "# f", "```", "1. g", "*h*", "i  ", "\tj", "---"]);

const heading = (random: Random) =>
  random.pick(["a", "b #", "c ##", "d #e", "*f*", "", "#", "g \\#", "h#", "# i", "j \t#\t"]);

function fenced(random: Random, manner: Manner): string[] {
  const mark = random.pick(["`", "~"]);
  const fence = mark.repeat(random.between(2, 4));
  const info = random.pick(["", "", "js", " a b", "a`b", "&amp;\\*", "\tc", "é"]);
  const line = () =>
    random.chance(0.3) ? blank(random, manner) : random.pick(["", "", "  "]) + word(random);
  const inner = random.several(0, 3, line);
  const close = random.pick([fence, fence, fence, `${fence}${mark}`, `  ${fence} `, `${fence} a`]);
  return random.chance(0.8) ? [fence + info, ...inner, close] : [fence + info, ...inner];
}

function container(random: Random, manner: Manner, depth: number): string[] {
  if (random.chance(0.35)) return quoted(random, manner, blocks(random, manner, depth - 1));
  const items = random.several(1, 3, () => blocks(random, manner, depth - 1));
  const marker = random.pick([
    "-",
    "*",
    "+",
    "-",
    "*",
    "1.",
    "1.",
    "1)",
    manner.odd ? "0." : "1.",
    "10)",
    "2.",
  ]);
  return items.flatMap((lines, index) => {
    const between = index > 0 && random.chance(0.2) ? [blank(random, manner)] : [];
    return [...between, ...listItem(random, manner, marker, lines)];
  });
}

/** A line may omit its mark, which makes it lazy or ends the quote. */
function quoted(random: Random, { odd }: Manner, lines: readonly string[]): string[] {
  const marks = odd ? ["> ", "> ", "> ", ">", ">\t", " > "] : ["> ", "> ", "> ", ">"];
  return lines.map((line, index) =>
    index > 0 && random.chance(0.1) ? line : random.pick(marks) + line,
  );
}

function listItem(
  random: Random,
  { gfm, odd }: Manner,
  marker: string,
  lines: readonly string[],
): string[] {
  const spaces = odd ? [" ", " ", "  ", "   ", "    ", "     ", "\t", "\n"] : [" ", " ", "  "];
  const space = random.pick(spaces);
  const box = random.pick([
    "[ ] ",
    "[x] ",
    "[x] ",
    "[X] ",
    "[ ]",
    "[x]",
    "[y] ",
    odd ? "[x]  " : "[ ] ",
  ]);
  const width = marker.length + (/^ {1,4}$/.test(space) ? space.length : 1);
  const indent = () => {
    if (random.chance(0.06)) return "";
    return odd && random.chance(0.08) ? random.pick(INDENTS) : " ".repeat(width);
  };
  const first = (gfm && random.chance(0.4) ? box : "") + (lines[0] ?? "");
  const start = space === "\n" ? [marker, indent() + first] : [marker + space + first];
  return [...start, ...lines.slice(1).map((line) => (line === "" ? line : indent() + line))];
}

function gfmBlock(random: Random, manner: Manner, depth: number): string[] {
  if (random.chance(0.6)) return table(random);
  const label = random.pick(["1", "a", "A", "1", "b c", "^"]);
  const [first = "", ...rest] = blocks(random, manner, Math.max(0, depth - 1));
  const indents = manner.odd ? ["    ", "    ", "    ", "\t", "  ", ""] : ["    "];
  return [
    `[^${label}]:${random.pick([" ", " ", ""])}${first}`,
    ...rest.map((line) => (line === "" ? line : random.pick(indents) + line)),
  ];
}

const STARTS =
  "> |>|- |* |+ |1. |2) |# |## |    |\t|  |```|~~~|---|***|===|- - -|[a]: |<div>|<!--|-->|-\t|>\t|>     |-|1.".split(
    "|",
  );

/** Generates lines that each start with some marks, whatever precedes them. */
const lineSoup = (random: Random, manner: Manner) =>
  random.several(2, 8, () => {
    if (random.chance(0.15)) return blank(random, manner);
    const marks = random.several(0, 3, () => random.pick(STARTS)).join("");
    const text = random.chance(0.3)
      ? inlineLine(random, manner.gfm)
      : random.pick(["a", "b", "c d", ""]);
    return marks + text;
  });

/** Takes one or two examples of the specifications and changes a few characters. */
function mutated(random: Random, manner: Manner, examples: readonly string[]): string {
  const parts = random.several(1, 2, () => random.pick(examples));
  let text = parts.join(random.pick(["", "\n"])).slice(0, LENGTH_MAX);
  for (let left = random.between(1, 4); left > 0; left--) text = mutate(random, manner, text);
  return text.toWellFormed();
}

function mutate(random: Random, manner: Manner, text: string): string {
  const at = random.between(0, text.length);
  const end = Math.min(text.length, at + random.between(1, 4));
  switch (random.between(0, 5)) {
    case 0:
      return text.slice(0, at) + text.slice(end);
    case 1:
      return (
        text.slice(0, at) + random.pick([..." \n\t*_`[]()<>!#-+\\&~|a1.:\"'"]) + text.slice(at)
      );
    case 2:
      return text.slice(0, at) + inlineLine(random, manner.gfm) + text.slice(at);
    case 3:
      return text.slice(0, end) + text.slice(at, end) + text.slice(end);
    case 4: {
      const mark = random.pick(["> ", "- ", "  ", "    ", "1. ", "\t", ">"]);
      return text.replaceAll(/^(?=.)/gm, () => (random.chance(0.85) ? mark : ""));
    }
    default: {
      const lines = text.split("\n");
      lines.splice(random.between(0, lines.length), random.between(0, 1), blank(random, manner));
      return lines.join("\n");
    }
  }
}
