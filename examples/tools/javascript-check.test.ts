import assert from "node:assert/strict";
import { test } from "node:test";
import tool from "./javascript-check.ts";

const check = (code: string) => tool.run({ code }, { signal: new AbortController().signal });

test("finds the line of a syntax error, and runs nothing", async () => {
  assert.deepEqual(await check("await 1;\nprocess.exit(3);"), { valid: true });
  assert.deepEqual(await check("let a;\nlet a;"), {
    ...{ valid: false, line: 2 },
    message: "Identifier 'a' has already been declared",
  });
});

test("finds the line also where it is longer than a program prints", async () => {
  const found = await check(`\n${"x;".repeat(300_000)})`);
  assert.partialDeepStrictEqual(found, { valid: false, line: 2 });
});
