import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { deflateSync, inflateSync } from "node:zlib";
import { QR_LEVELS } from "#tools/qr-code/capacity.ts";
import { deflateRepeatedRows } from "#tools/qr-code/deflate-rows.ts";
import { layOutQr } from "#tools/qr-code/draw.ts";
import { encodeQr } from "#tools/qr-code/encode-qr.ts";
import { huffmanCode } from "#tools/qr-code/huffman.ts";
import { writeQrPng } from "#tools/qr-code/png.ts";
import fc from "../../support/properties.ts";

/** Expands rows with their repeats. */
function expand(rows: Uint8Array, rowBytes: number, repeats: readonly number[]): Buffer {
  const row = (index: number) => rows.subarray(index * rowBytes, (index + 1) * rowBytes);
  return Buffer.concat(
    repeats.flatMap((times, index) => Array.from({ length: times }, () => row(index))),
  );
}

function assertInflates(rows: Uint8Array, rowBytes: number, repeats: number[]): number {
  const stream = deflateRepeatedRows(rows, rowBytes, Uint32Array.from(repeats));
  const expected = expand(rows, rowBytes, repeats);
  assert.ok(inflateSync(stream).equals(expected));
  return stream.length / deflateSync(expected, { level: 9 }).length;
}

test("zlib inflates the stream to the rows with their repeats", () => {
  const pictures = fc
    .tuple(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 255 }),
    )
    .chain(([rowBytes, count, mask]) =>
      fc.record({
        rowBytes: fc.constant(rowBytes),
        mask: fc.constant(mask),
        bytes: fc.uint8Array({ minLength: rowBytes * count, maxLength: rowBytes * count }),
        repeats: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: count, maxLength: count }),
      }),
    );
  fc.assert(
    fc.property(pictures, ({ rowBytes, mask, bytes, repeats }) => {
      // With this mask there are few distinct bytes and many matches.
      assertInflates(
        bytes.map((byte) => byte & mask),
        rowBytes,
        repeats,
      );
    }),
    { numRuns: 300 },
  );
});

test("rows of every width and many repeats are within the window and the lengths of deflate", () => {
  for (const rowBytes of [1, 2, 3, 9, 129, 257, 258, 259, 600, 40_000]) {
    for (const times of [1, 2, 3, 100, 259]) {
      if (rowBytes * times > 1_000_000) continue;
      const rows = Uint8Array.from({ length: rowBytes * 4 }, (_, i) => (i * i * 31) >> 3);
      // The distance of a repeat is the length of a row, which deflate limits to 32 KB.
      assertInflates(rows, rowBytes, rowBytes > 32_768 ? [1, 1, 1, 1] : [times, 1, 0, times]);
    }
  }
});

test("PNGs keep their bytes from release to release, because a retried call compares their digest", () => {
  const hash = createHash("sha256");
  const texts = [1, 40, 68, 300, 900].map((length) =>
    "https://example.com/a/".repeat(50).slice(0, length),
  );
  for (const text of texts) {
    for (const level of QR_LEVELS) {
      const symbol = encodeQr(text, level);
      assert.ok(symbol);
      // At 720 pixels, some modules are 16 pixels wide: all runs are whole bytes then.
      for (const width of [64, 256, 500, 720, 1024, 2048]) {
        for (const margin of [0, 4])
          hash.update(writeQrPng(symbol, layOutQr(symbol.size, width, margin)));
      }
    }
  }
  assert.equal(
    hash.digest("hex"),
    "dc243b7fb4db5ac7fd1c005b4696d3fa5b44890008ec274225b08e536be4779a",
  );
});

test("nothing at all is a stream too", () => {
  assertInflates(new Uint8Array(0), 1, []);
  assertInflates(new Uint8Array(5), 5, [0]);
});

test("a code is no deeper than its limit, and complete", () => {
  // Fibonacci numbers make the deepest Huffman trees.
  const frequencies = new Uint32Array(40);
  let [a, b] = [1, 1];
  for (let i = 0; i < 40; i++) {
    frequencies[i] = a;
    [a, b] = [b, a + b];
  }
  for (const limit of [7, 15]) {
    const { lengths } = huffmanCode(frequencies, limit);
    assert.ok(lengths.every((length) => length >= 1 && length <= limit));
    // Kraft's sum of a complete code is one.
    assert.equal(
      lengths.reduce((sum, length) => sum + 2 ** -length, 0),
      1,
    );
  }
});
