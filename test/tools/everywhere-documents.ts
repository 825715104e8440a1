import { Random } from "./markdown-render/random.ts";
import {
  commonMarkExamples,
  examplesIn,
  gfmExamples,
  gfmExtensionExamples,
} from "./markdown-render/spec-examples.ts";
import { VECTORS } from "./markdown-render/xss-vectors.ts";

/**
 * The documents that compare the runtimes: the specifications, the hostile documents, and texts with every character.
 */
export function documents(): string[] {
  const examples = [
    ...commonMarkExamples(),
    ...examplesIn(gfmExamples()),
    ...examplesIn(gfmExtensionExamples()),
  ].map(({ markdown }) => markdown);
  const hostile = VECTORS.map(({ markdown }) => markdown);
  // All in one document, so that state left by one example would affect the next.
  const together = examples.join("\n\n");
  return [...examples, together, ...hostile, ...everyCharacter(), ...labels(), ...mixedTexts()];
}

/** The other planes have ideographs, private-use characters or nothing. */
const CHARACTERS = 0x20000;
const BLOCK = 0x400;

/**
 * Every character where its class matters: beside emphasis (punctuation or not), in an address, and as a label that is
 * found in its other case. Runtimes have Unicode tables of different versions, which the output must not show.
 */
function everyCharacter(): string[] {
  return Array.from({ length: CHARACTERS / BLOCK }, (_, block) => {
    const from = block * BLOCK;
    const lines = Array.from({ length: BLOCK }, (_, offset) => {
      const character = String.fromCodePoint(from + offset);
      return `a*${character}b*c _${character}_d`;
    });
    return lines.join("\n\n");
  });
}

/** Labels in the other case. Only Node changes their case, so that every runtime gets the same document. */
function labels(): string[] {
  const documents: string[] = [];
  for (let code = 0; code < CHARACTERS; code += 1) {
    const character = String.fromCodePoint(code);
    for (const other of [character.toLowerCase(), character.toUpperCase()]) {
      if (other !== character)
        documents.push(
          `[x${character}]: /${code}\n\n[x${other}] [^x${other}]\n\n[^x${character}]: y`,
        );
    }
  }
  return documents;
}

const PIECES =
  "* ** _ ~~ ` [ ] ( ) ![ < > & ; | - + # : \\ \n \n\n > 1. &amp; &#x85; https:// www. @ [^1] [^1]:".split(
    " ",
  );

/** Words of every script among the marks of Markdown. */
function mixedTexts(): string[] {
  const random = new Random(20_261_121);
  const character = () =>
    String.fromCodePoint(random.between(0, random.pick([0x7f, 0x2ff, 0xffff, 0x1ffff, 0x10ffff])));
  const piece = () =>
    random.chance(0.4) ? random.pick(PIECES) : random.several(1, 3, character).join("");
  return Array.from({ length: 500 }, () =>
    random.several(1, 60, piece).join(random.pick(["", " "])),
  );
}
