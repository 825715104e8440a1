import { Random } from "./random.ts";
import {
  commonMarkExamples,
  examplesIn,
  gfmExamples,
  gfmExtensionExamples,
} from "./spec-examples.ts";
import { VECTORS } from "./xss-vectors.ts";

export type Document = { name: string; markdown: string };

/**
 * The documents that compare the runtimes: the specifications, the hostile documents, and texts with every character.
 */
export function documents(): Document[] {
  const examples = [
    ...commonMarkExamples(),
    ...examplesIn(gfmExamples()),
    ...examplesIn(gfmExtensionExamples()),
  ];
  const hostile = VECTORS.map(({ markdown }, index) => ({ name: `hostile ${index}`, markdown }));
  // All in one document, so that state left by one example would affect the next.
  const together = {
    name: "every example, one after the other",
    markdown: examples.map(({ markdown }) => markdown).join("\n\n"),
  };
  return [...examples, together, ...hostile, ...everyCharacter(), ...mixedTexts()];
}

/** The other planes have ideographs, private-use characters or nothing. */
const CHARACTERS = 0x20000;
const BLOCK = 0x400;

/**
 * Every character where its class matters: beside emphasis (punctuation or not), in an address, and as a label that is
 * found in its other case. Runtimes have Unicode tables of different versions, which the output must not show.
 */
function everyCharacter(): Document[] {
  return Array.from({ length: CHARACTERS / BLOCK }, (_, block) => {
    const from = block * BLOCK;
    const lines = Array.from({ length: BLOCK }, (_, offset) => {
      const character = String.fromCodePoint(from + offset);
      return `a*${character}b*c _${character}_d`;
    });
    return { name: `characters from U+${from.toString(16)}`, markdown: lines.join("\n\n") };
  }).concat(cases());
}

/** Only Node changes the case of labels, so that every runtime gets the same document. */
function cases(): Document[] {
  const cased: string[] = [];
  for (let code = 0; code < CHARACTERS; code += 1) {
    const character = String.fromCodePoint(code);
    for (const other of [character.toLowerCase(), character.toUpperCase()]) {
      if (other !== character)
        cased.push(`[x${character}]: /${code}\n\n[x${other}] [^x${other}]\n\n[^x${character}]: y`);
    }
  }
  return cased.map((markdown) => ({ name: "a label in the other case", markdown }));
}

const PIECES =
  "* ** _ ~~ ` [ ] ( ) ![ < > & ; | - + # : \\ \n \n\n > 1. &amp; &#x85; https:// www. @ [^1] [^1]:".split(
    " ",
  );

/** Words of every script among the marks of Markdown. */
function mixedTexts(): Document[] {
  const random = new Random(20_261_121);
  const character = () =>
    String.fromCodePoint(random.between(0, random.pick([0x7f, 0x2ff, 0xffff, 0x1ffff, 0x10ffff])));
  const piece = () =>
    random.chance(0.4) ? random.pick(PIECES) : random.several(1, 3, character).join("");
  return Array.from({ length: 1000 }, (_, index) => ({
    name: `mixed text ${index}`,
    markdown: random.several(1, 60, piece).join(random.pick(["", " "])),
  }));
}
