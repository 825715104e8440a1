import { defineTool, z } from "toolbooth";

export default defineTool({
  summary: "Counts the words of a text.",
  input: { text: z.string() },
  price: 1,
  effect: "none",
  run: ({ text }) => ({ words: text.split(/\s+/).filter(Boolean).length }),
});
