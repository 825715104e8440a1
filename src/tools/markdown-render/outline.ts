import { OUTLINE_HEADINGS_MAX } from "./bounds.ts";
import { ID_PREFIX } from "./html-parts.ts";

/** A heading of the document; its id has no prefix, and is "" if it has none. */
export type Heading = { level: number; text: string; id: string };

/** A heading in the response; `id` as `headingIds` writes it. */
export type OutlineEntry = { level: number; text: string; id?: string };

/** What the option `outline` adds to the response. */
export type Outline = { outline: OutlineEntry[]; title: string; words: number };

/**
 * The outline of a document. Headings without text are left out. The title is the first heading of level 1; without one,
 * the first heading.
 */
export function outlineOf(headings: readonly Heading[], words: number): Outline {
  const shown = headings.flatMap(({ level, text, id }): OutlineEntry[] => {
    const line = text.replaceAll(/\s+/g, " ").trim();
    if (line === "") return [];
    return [{ level, text: line, ...(id !== "" && { id: ID_PREFIX + id }) }];
  });
  const title = shown.find(({ level }) => level === 1) ?? shown[0];
  return { outline: shown.slice(0, OUTLINE_HEADINGS_MAX), title: title?.text ?? "", words };
}

/**
 * Counts the words that a reader reads: runs between white space that have a letter or digit. In scripts that are written
 * without spaces, each character is a word, as in word processors.
 */
export class WordCounter {
  count = 0;

  add(text: string): void {
    for (const [run] of text.matchAll(RUN)) if (LETTER_OR_DIGIT.test(run)) this.count++;
  }
}

const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const RUN = new RegExp(`[${UNSPACED}]|[^\\s${UNSPACED}]+`, "gu");
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
