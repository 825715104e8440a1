import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { tests } from "commonmark-spec";

/** The examples of both specifications: what goes in, and the HTML that the specification shows for it. */
export type Example = {
  /** The specification and the number there. */
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

type GfmExample = { section: string; example: number; markdown: string; html: string };

/** GFM's specification, 0.29. */
export const gfmExamples = () => readExamples("gfm-spec.json", "GFM");

/** The tests that cmark-gfm keeps for its extensions; footnotes are only there. */
export const gfmExtensionExamples = () =>
  readExamples("gfm-extensions-tests.json", "GFM extensions");

/** Undefined, and said so, where the file is missing: it is not part of the repository. */
function readExamples(file: string, specification: string): Example[] | undefined {
  const full = path.join(DATA, file);
  if (!existsSync(full)) {
    console.log(`cannot show that the examples of ${specification} pass: ${file} is missing`);
    return undefined;
  }
  const examples = JSON.parse(readFileSync(full, "utf8")) as GfmExample[];
  return examples.map(({ example, section, markdown, html }) => ({
    name: `${specification} ${example}`,
    section,
    markdown,
    html,
  }));
}
