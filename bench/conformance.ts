import { normalizeHtml } from "../test/tools/markdown-render/normalize-html.ts";
import { hasRawHtml } from "../test/tools/markdown-render/reference-engines.ts";
import {
  commonMarkExamples,
  type Example,
  examplesIn,
  gfmExamples,
} from "../test/tools/markdown-render/spec-examples.ts";

/** Engines differ on purpose in what they do with raw HTML, so examples with it say nothing here. */
const judged = (examples: Example[]) => examples.filter(({ markdown }) => !hasRawHtml(markdown));

/** The examples of both specifications that all engines should render alike. Those of GFM are missing without their file. */
export const EXAMPLES = {
  commonMark: judged(commonMarkExamples()),
  gfm: judged(examplesIn(gfmExamples())),
};

/** Quotes in text may be escaped or not. */
const normalize = (html: string) => normalizeHtml(html).replaceAll("&quot;", '"');

/** How many examples an engine renders as the specification does. */
export function passedBy(render: (markdown: string) => unknown): Record<string, number> {
  const count = (examples: readonly Example[]) =>
    examples.filter(({ markdown, html }) => normalize(String(render(markdown))) === normalize(html))
      .length;
  return { commonMark: count(EXAMPLES.commonMark), gfm: count(EXAMPLES.gfm) };
}
