import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { tests } from "commonmark-spec";

/** The examples of both specifications: the input and the expected HTML. */
export type Example = {
  /** The specification and the example's number. */
  readonly name: string;
  readonly section: string;
  readonly markdown: string;
  readonly html: string;
};

/** CommonMark 0.31.2. */
export function commonMarkExamples(): Example[] {
  return tests.map(({ number, section, markdown, html }) => ({
    name: `CommonMark ${number}`,
    section,
    // The specification shows tabs as arrows.
    markdown: markdown.replaceAll("→", "\t"),
    html: html.replaceAll("→", "\t"),
  }));
}

const DATA = path.join(import.meta.dirname, "../../../../shared/data");

/**
 * Returns no examples if their file is missing; for tests that take many documents and follow a test that is skipped
 * with the reason.
 */
export const examplesIn = (examples: Example[] | string): Example[] =>
  typeof examples === "string" ? [] : examples;

type GfmExample = { section: string; example: number; markdown: string; html: string };

/** GFM's specification, 0.29. */
export const gfmExamples = () => readExamples("gfm-spec.json", "GFM");

/** The tests that cmark-gfm keeps for its extensions; footnotes are only there. */
export const gfmExtensionExamples = () =>
  readExamples("gfm-extensions-tests.json", "GFM extensions");

/** The examples, or the reason to skip them: the file is not part of the repository. */
function readExamples(file: string, specification: string): Example[] | string {
  const full = path.join(DATA, file);
  if (!existsSync(full)) return `${full} is missing`;
  const examples = JSON.parse(readFileSync(full, "utf8")) as GfmExample[];
  return examples.map(({ example, section, markdown, html }) => ({
    name: `${specification} ${example}`,
    section,
    markdown,
    html,
  }));
}
