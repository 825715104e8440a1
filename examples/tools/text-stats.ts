import { defineTool, z } from "toolbooth";

const WORDS_PER_MINUTE = 230;

/** A pure function: the same text always gets the same response, so the tool may run again for a repeat. */
export default defineTool({
  summary: "Counts the words and the sentences of a text, and says how long it takes to read.",
  input: {
    text: z.string().describe("Plain text."),
    language: z.enum(["de", "en", "es", "fr", "ja"]).default("en"),
  },
  output: {
    words: z.int(),
    sentences: z.int(),
    seconds: z.int().describe("The time to read the text."),
  },
  price: 1,
  effect: "none",
  browser: true,
  fieldBytesMax: { text: 100_000 },
  examples: [
    {
      name: "Two sentences",
      request: { text: "Tools cost money. Who pays for them?" },
      response: { ok: true, words: 7, sentences: 2, seconds: 2 },
    },
  ],
  run({ text, language }) {
    const count = (granularity: "word" | "sentence") =>
      [...new Intl.Segmenter(language, { granularity }).segment(text)].filter(
        ({ segment, isWordLike }) => isWordLike ?? segment.trim() !== "",
      ).length;
    const words = count("word");
    return {
      words,
      sentences: count("sentence"),
      seconds: Math.round((words / WORDS_PER_MINUTE) * 60),
    };
  },
});
