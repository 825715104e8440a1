import assert from "node:assert/strict";
import { test } from "node:test";
import tool from "./word-count.ts";

test("counts words, not spaces", async () => {
  assert.deepEqual(await tool.run({ text: "  three  little words " }), { words: 3 });
  assert.deepEqual(await tool.run({ text: " " }), { words: 0 });
});
