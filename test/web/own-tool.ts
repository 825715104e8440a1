/** An own tool with a page, as a server has it: without its code. */
import * as z from "zod";
import { describeOwnTool, toolOfDescription } from "#api/openapi/tool-description.ts";
import { defineTool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";

/** Only the code has it. */
export const CODE_MARK = "a-line-of-the-code";

export const OWN_TOOL = toolOfDescription(
  describeOwnTool(
    ownTool(
      "word-count",
      defineTool({
        summary: "Counts the words of a `text`.",
        input: {
          text: z.string().describe("The text to count."),
          ignore: z.array(z.string()).default([]).describe("Words that do not count."),
          language: z.enum(["any", "en", "de"]).default("any"),
          unique: z.boolean(),
          author: z.string().max(40).optional().describe("Who wrote it."),
          from: z.int().min(1).max(9).default(1).describe("The length of the shortest word."),
        },
        price: ({ text }) => Math.min(3, 1 + Math.floor(text.length / 1_000)),
        priceMax: 3,
        effect: "none",
        browser: true,
        examples: [
          {
            name: "words of a sentence",
            request: { text: "three little words", ignore: ["little"], unique: false },
            response: { ok: true, words: 2 },
          },
        ],
        run: ({ text }) => ({ words: text.split(/\s+/).length, mark: CODE_MARK }),
      }),
    ),
  ),
);
