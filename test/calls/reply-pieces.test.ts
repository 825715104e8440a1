import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inPieces,
  isLargeText,
  type LargeText,
  streamPieces,
  writeJson,
} from "#calls/reply-pieces.ts";
import type { LongText } from "#tools/define-tool.ts";
import { LONG_TEXT_CHARS, LongTextWriter, PIECE_CHARS } from "#tools/long-text.ts";
import { openChanged } from "../http/in-process.ts";
import { createCaller } from "../http/test-api.ts";
import fc from "../support/properties.ts";

/** Large answers in pieces: the same bytes as whole, their length known before, nothing made that nobody takes. */
const numRuns = Number(process.env["TEST_FUZZ_RUNS"] ?? 50);
const UNCOUNTED = { release() {}, isOver: () => false };

/** How often it was told that an answer has left. */
function listen() {
  const told = {
    times: 0,
    release() {
      told.times += 1;
    },
    isOver: () => false,
  };
  return told;
}

/** Texts with everything that JSON or UTF-8 writes in its own way, also across the end of a piece. */
const unit = fc.constantFrom(
  ...["a", '"', "\\", "\n", "\u0000", "\u001f", "\u007f", "é", "中", "\u2028", "😀"],
  ...["\ud83d", "\ude00", "\ude00\ud83d"],
);
const text = fc
  .tuple(fc.array(unit, { maxLength: 40 }), fc.integer({ min: -3, max: 3 }), fc.boolean())
  .map(([units, shift, isLong]) => {
    const some = units.join("");
    if (!isLong || some === "") return some;
    const filled = some.repeat(Math.ceil((2 * PIECE_CHARS) / some.length));
    return "x".repeat(PIECE_CHARS - 4 + shift) + some + filled;
  });

const encode = (whole: string) => new TextEncoder().encode(whole);

function assertSame(body: string | LargeText, whole: string): void {
  if (!isLargeText(body)) {
    assert.equal(body, whole);
    return;
  }
  const bytes = encode(whole);
  assert.equal(body.bytes, bytes.length);
  assert.ok(Buffer.concat([...body.pieces()]).equals(bytes));
  for (const piece of body.pieces()) assert.ok(piece.byteLength <= 6 * PIECE_CHARS);
}

test("a text in pieces has the bytes of TextEncoder, lone surrogates included", () => {
  fc.assert(
    fc.property(text, (given) => assertSame(inPieces(given), given)),
    { numRuns },
  );
});

test("an output in pieces has the bytes of its JSON", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (html, second, isFirst) => {
      const fields = isFirst ? { html, count: 3, none: undefined } : { list: [1, "a"], html };
      const output = { ok: true, ...fields, text: second };
      assertSame(writeJson(output), JSON.stringify(output));
    }),
    { numRuns },
  );
});

/** The same text as a LongText, added in parts that may split a surrogate pair. */
function inBlocks(given: string, partChars: number): string | LongText {
  const writer = new LongTextWriter();
  for (let from = 0; from < given.length; from += partChars) {
    writer.add(given.slice(from, from + partChars));
  }
  return writer.end();
}

test("a text in blocks has the same bytes, alone and in JSON", () => {
  const parts = fc.integer({ min: 1000, max: 100_000 });
  fc.assert(
    fc.property(text, parts, (given, partChars) => {
      const whole = given.toWellFormed();
      const long = inBlocks(whole, partChars);
      assert.equal(typeof long === "string", whole.length <= LONG_TEXT_CHARS);
      assertSame(inPieces(long), whole);
      const output = { ok: true, html: whole, text: "b" };
      assertSame(writeJson({ ...output, html: long }), JSON.stringify(output));
    }),
    { numRuns },
  );
});

test("a value that is not an object is written as a whole", () => {
  for (const output of ["x".repeat(200_000), ["x".repeat(200_000)], null, 1, {}]) {
    assert.equal(writeJson(output), JSON.stringify(output));
  }
});

test("a small answer is written once and in one call", (t) => {
  const stringify = t.mock.method(JSON, "stringify");
  const output = { ok: true, html: "a".repeat(2 * PIECE_CHARS), text: "b" };
  assert.equal(typeof writeJson(output), "string");
  assert.equal(stringify.mock.callCount(), 1);
  const text = "é".repeat(2 * PIECE_CHARS);
  assert.equal(inPieces(text), text);
});

test("a piece is made when it is requested, and none after the reader cancels", async () => {
  let made = 0;
  const told = listen();
  const large = inPieces("a".repeat(PIECE_CHARS * 10)) as LargeText;
  const counted: LargeText = {
    ...large,
    *pieces() {
      for (const piece of large.pieces()) {
        made += 1;
        yield piece;
      }
    },
  };
  const reader = streamPieces(counted, told).getReader();
  assert.equal(made, 0);
  await reader.read();
  await reader.read();
  assert.equal(made, 2);
  assert.equal(told.times, 0);
  await reader.cancel();
  assert.deepEqual({ made, released: told.times }, { made: 2, released: 1 });
});

test("a response that was read to its end is released", async () => {
  const told = listen();
  const large = inPieces("é".repeat(PIECE_CHARS * 3)) as LargeText;
  const stream = streamPieces(large, told);
  assert.equal((await new Response(stream).arrayBuffer()).byteLength, large.bytes);
  assert.equal(told.times, 1);
});

test("a response that held its memory for too long is aborted", async () => {
  let isOver = false;
  const large = inPieces("a".repeat(PIECE_CHARS * 3)) as LargeText;
  const reader = streamPieces(large, { ...UNCOUNTED, isOver: () => isOver }).getReader();
  await reader.read();
  isOver = true;
  await assert.rejects(reader.read(), /too slowly/);
});

test("a call with a small body gets a large response to its end", async (t) => {
  const whole = "x".repeat(3 * LONG_TEXT_CHARS);
  const service = await openChanged(t, {
    runTool: async () => ({ body: inPieces(whole), type: "text/plain", fingerprint: null }),
  });
  const caller = await createCaller(service, { credits: 1 });
  const response = await caller.call("markdown-render", { markdown: "a" });
  assert.equal(response.status, 200);
  assert.equal(response.text, whole);
});
