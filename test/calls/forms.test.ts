import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readInput } from "#calls/read-input.ts";
import { ApiError } from "#errors.ts";
import { checkInput } from "#tools/check-input.ts";
import hash from "#tools/hash/tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { anyCharacter } from "../support/arbitraries.ts";
import { SEED } from "../support/random.ts";

/** Forms as the runtime's own `URLSearchParams` and `FormData` write them, and random bytes in their place. */
const numRuns = Number(process.env["TEST_FUZZ_RUNS"] ?? 5_000);
const FIELDS = "application/x-www-form-urlencoded";
const texts = fc.record({
  text: fc.string({ unit: "grapheme", maxLength: 100 }),
  hmacKey: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }),
  algorithm: fc.constantFrom("sha1", "SHA-256", "sha512"),
});

test("the fields of a form are those that URLSearchParams has written", () => {
  fc.assert(
    fc.property(texts, (record) => {
      const wellFormed = { ...record, text: record.text.toWellFormed() };
      wellFormed.hmacKey = record.hmacKey.toWellFormed();
      const body = Buffer.from(new URLSearchParams(wellFormed).toString());
      const sent = readInput(hash, { body, contentType: FIELDS, query: "" });
      assert.deepEqual(sent.value, wellFormed);
      assert.equal(sent.kind, "fields");
    }),
    { seed: SEED },
  );
});

test("the fields of a form are those that FormData has written", async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (record) => {
      const form = new FormData();
      // FormData turns single line feeds and returns into both, as HTML forms do.
      const lines = (text: string) => text.toWellFormed().replace(/\r\n|\r|\n/g, "\r\n");
      const wellFormed = { ...record, text: lines(record.text), hmacKey: lines(record.hmacKey) };
      for (const [name, value] of Object.entries(wellFormed)) form.append(name, value);
      const response = new Response(form);
      const contentType = response.headers.get("content-type");
      const body = new Uint8Array(await response.arrayBuffer());
      const sent = readInput(hash, { body, contentType, query: "" });
      assert.deepEqual(sent.value, wellFormed);
      assert.equal(sent.kind, "form");
    }),
    { seed: SEED },
  );
});

const pieces = fc.constantFrom(
  ...["&", "=", "%", "+", "%2", "%C3%BC", "%ff", "%00", "{", "[", '"', "'", "--x", "\r\n", "--x--"],
  ...["text", "count", "markdown", "base64", "__proto__", "3", "true", "Zg==", "\ud800", "\ufeff"],
  ...['Content-Disposition: form-data; name="text"', '; filename="a"', "\r\n\r\n", "a".repeat(300)],
);
const bodies = fc.oneof(
  fc.array(pieces, { maxLength: 20 }).map((list) => Buffer.from(list.join(""))),
  fc.uint8Array({ maxLength: 60 }),
);
const types = fc.constantFrom(
  ...[FIELDS, `${FIELDS}; charset=utf-8`, "multipart/form-data; boundary=x", "multipart/form-data"],
  ...["text/plain", "application/json", "", "multipart/form-data; boundary=", null],
);

test("any bytes under any type are an input or an error of the client", () => {
  fc.assert(
    fc.property(fc.constantFrom(...TOOLS), types, bodies, (tool, contentType, body) => {
      try {
        const sent = readInput(tool, { body, contentType, query: "" });
        checkInput(tool, sent.value, sent.parameters, sent.hint);
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
        assert.ok(error.status >= 400 && error.status < 500, error.message);
        assert.ok(error.message.length < 2_500, error.message);
      }
    }),
    { numRuns, seed: SEED },
  );
});
