import assert from "node:assert/strict";
import { test } from "node:test";
import { problemExamples } from "#api/openapi/problems.ts";
import { TOOLBOOTH } from "#brand.ts";
import type { ApiError } from "#errors.ts";
import { QR_TEXT_BYTES_MAX } from "#limits.ts";
import { QR_LEVELS, type QrLevel } from "#tools/qr-code/capacity.ts";
import qrCode from "#tools/qr-code/tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { Random } from "../markdown-render/random.ts";
import { errorOf, runTool } from "../run-tool.ts";
import { generatedTexts, planOf } from "./texts.ts";

/**
 * The error for a text that does not fit: its bytes, the capacity of each level, and the highest level that holds all
 * of it.
 */
function problem(text: string, errorCorrectionLevel: QrLevel): ApiError {
  const error = errorOf(() => runTool(qrCode, { text, errorCorrectionLevel }));
  assert.equal(error.code, "text_too_long_for_level");
  return error;
}

/** By trying: the bytes of the longest prefix, in whole characters, that fits in a symbol. */
function bytesHeld(text: string, level: QrLevel): number {
  const characters = [...text];
  const beginning = (count: number) => characters.slice(0, count).join("");
  let held = 0;
  let beyond = characters.length + 1;
  while (beyond - held > 1) {
    const count = (held + beyond) >> 1;
    if (planOf(beginning(count), level) === undefined) beyond = count;
    else held = count;
  }
  return Buffer.byteLength(beginning(held));
}

type ProblemDetails = {
  name: string;
  text: string;
  level: QrLevel;
  message: string;
  members: object;
};

const PROBLEMS: ProblemDetails[] = [
  {
    name: "letters with accents",
    text: "é".repeat(700),
    level: "H",
    message:
      "`text` is 1400 bytes of UTF-8; level H holds only the first 1272 bytes. Capacity for this text: L all, M all, Q all, H 1272 bytes. Shorten the text, or request level Q.",
    members: { bytes: 1400, capacities: { L: 1400, M: 1400, Q: 1400, H: 1272 }, fits: "Q" },
  },
  {
    name: "Kanji, of which levels hold more bytes than of other text",
    text: "漢".repeat(785),
    level: "H",
    message:
      "`text` is 2355 bytes of UTF-8; level H holds only the first 2352 bytes. Capacity for this text: L all, M all, Q all, H 2352 bytes. Shorten the text, or request level Q.",
    members: { bytes: 2355, capacities: { L: 2355, M: 2355, Q: 2355, H: 2352 }, fits: "Q" },
  },
  {
    name: "digits, of which level L holds more than a text may have",
    text: "7".repeat(4000),
    level: "Q",
    message:
      "`text` is 4000 bytes of UTF-8; level Q holds only the first 3993 bytes. Capacity for this text: L all, M all, Q 3993 bytes, H 3057 bytes. Shorten the text, or request level M.",
    members: { bytes: 4000, capacities: { L: 4000, M: 4000, Q: 3993, H: 3057 }, fits: "M" },
  },
  {
    name: "more than any level holds",
    text: "a".repeat(2954),
    level: "L",
    message:
      "`text` is 2954 bytes of UTF-8; level L holds only the first 2953 bytes. Capacity for this text: L 2953 bytes, M 2331 bytes, Q 1663 bytes, H 1273 bytes. It fits at no level: shorten the text.",
    members: { bytes: 2954, capacities: { L: 2953, M: 2331, Q: 1663, H: 1273 }, fits: null },
  },
];

for (const { name, text, level, message, members } of PROBLEMS) {
  test(`the error for a text that does not fit says how much of it fits: ${name}`, () => {
    const { message: actual, details } = problem(text, level);
    assert.equal(actual, message);
    assert.deepEqual(details.members, members);
    const detail = message.slice("`text` ".length, message.indexOf(". "));
    assert.deepEqual(details.errors, [{ pointer: "/text", detail }]);
  });
}

test("each level holds exactly as many bytes of a text as the error says", (t) => {
  const random = new Random(7_1);
  const parts = generatedTexts(660, 4).map(({ text }) => text);
  let rejected = 0;
  for (let round = 0; round < 12; round++) {
    const kind = random.between(0, 10);
    let text = "";
    // Texts of one kind, or of all kinds in turn.
    for (let i = kind; Buffer.byteLength(text) < 3000; i += round % 4 === 0 ? 7 : 11) {
      text += parts[i % parts.length];
    }
    while (Buffer.byteLength(text) > QR_TEXT_BYTES_MAX) text = [...text].slice(0, -1).join("");
    if (planOf(text, "H") !== undefined) continue;
    const bytes = Buffer.byteLength(text);
    const held = QR_LEVELS.map((level) => [level, bytesHeld(text, level)] as const);
    const fits = held.findLast(([, most]) => most === bytes)?.[0] ?? null;
    const capacities = Object.fromEntries(held);
    assert.deepEqual(problem(text, "H").details.members, { bytes, capacities, fits }, text);
    rejected++;
  }
  t.diagnostic(`${rejected} texts were too long`);
  assert.ok(rejected >= 10);
});

test("the example in the OpenAPI description is the error that the service throws", () => {
  const { message, details } = problem("a".repeat(2000), "Q");
  const examples = problemExamples({
    ...TOOLBOOTH,
    publicUrl: "https://toolbooth.example",
    tools: TOOLS,
  });
  const { value } = examples["text_too_long_for_level"] ?? {};
  const { detail, errors, bytes, capacities, fits } = value as ApiError["details"]["members"] & {
    detail: string;
    errors: unknown;
  };
  assert.equal(detail, message);
  assert.deepEqual(errors, details.errors);
  assert.deepEqual({ bytes, capacities, fits }, details.members);
});
