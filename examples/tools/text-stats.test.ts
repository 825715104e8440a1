import assert from "node:assert/strict";
import { test } from "node:test";
import tool from "./text-stats.ts";

test("counts words and sentences, also where no spaces are between them", async () => {
  const english = await tool.run({ text: "One. Two three!", language: "en" });
  assert.deepEqual(english, { words: 3, sentences: 2, seconds: 1 });
  const japanese = await tool.run({ text: "今日は晴れです。明日は雨です。", language: "ja" });
  assert.equal(japanese.sentences, 2);
  assert.ok(japanese.words > 4);
});

test("an empty text has nothing to count", async () => {
  const nothing = await tool.run({ text: "  ", language: "en" });
  assert.deepEqual(nothing, { words: 0, sentences: 0, seconds: 0 });
});
