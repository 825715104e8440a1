import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInput } from "#tools/check-input.ts";
import echo from "#tools/echo/tool.ts";
import fc from "../support/properties.ts";
import { fixedToolContext } from "../support/tool-context.ts";

const responseTo = (json: string, receivedAt = fixedToolContext().receivedAt) => {
  const output = echo.run(checkInput(echo, json).input, { ...fixedToolContext(), receivedAt });
  assert.ok(!(output instanceof Promise));
  assert.ok(echo.encode);
  return echo.encode(output);
};

test("returns the body exactly as it was sent", () => {
  for (const json of [
    "null",
    "true",
    '""',
    "[]",
    "12345678901234567890",
    "1.0",
    "-0",
    "1e400",
    '{"b":1,"a":2}',
    '{"2":0,"1":0}',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '"\\ud800"',
    '"\\u0041\\/"',
    '{ "spaced" :\n[ 1 , 2 ] }',
    '"$& $1 `"',
  ]) {
    assert.equal(
      responseTo(json),
      `{"ok":true,"receivedAt":"2026-03-04T05:06:07.089Z","body":${json}}`,
    );
  }
});

test("every JSON value in the response parses to itself", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (json) => {
      assert.deepEqual(JSON.parse(responseTo(json)).body, JSON.parse(json));
    }),
  );
});

test("receivedAt is ISO 8601 in UTC with milliseconds", () => {
  assert.match(responseTo("1", 0), /"receivedAt":"1970-01-01T00:00:00\.000Z"/);
  assert.match(responseTo("1", 1_767_225_599_999), /"receivedAt":"2025-12-31T23:59:59\.999Z"/);
});
