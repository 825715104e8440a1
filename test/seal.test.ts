import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlaceHider, createSealer, SealError } from "#seal.ts";

const [OLD, NEW] = ["the old secret", "the new secret"];
const PURPOSE = "test";

test("a sealed text opens with its secret, purpose and place only, and never repeats itself", async () => {
  const sealer = createSealer([OLD], PURPOSE);
  const sealed = await sealer.seal("Käse 🐝", "row 1");
  assert.doesNotMatch(sealed, /K.se/);
  assert.equal(await sealer.open(sealed, "row 1"), "Käse 🐝");
  assert.notEqual(await sealer.seal("Käse 🐝", "row 1"), sealed);
  const at = sealed.length - 10;
  const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
  for (const [other, text, place] of [
    [sealer, sealed, "row 2"],
    [sealer, changed, "row 1"],
    [sealer, sealed.slice(0, -3), "row 1"],
    [sealer, "whsec_plain", "row 1"],
    [sealer, "sealed1.00000000.AAAA", "row 1"],
    [createSealer([NEW], PURPOSE), sealed, "row 1"],
    [createSealer([OLD], "other"), sealed, "row 1"],
  ] as const) {
    await assert.rejects(other.open(text, place), SealError, text);
  }
});

test("with a list of secrets the first one seals and all of them open", async () => {
  const old = await createSealer([OLD], PURPOSE).seal("text", "row");
  const both = createSealer([NEW, OLD], PURPOSE);
  assert.equal(await both.open(old, "row"), "text");
  const again = await both.seal("text", "row");
  assert.deepEqual([both.isCurrent(old), both.isCurrent(again)], [false, true]);
  assert.equal(await createSealer([NEW], PURPOSE).open(again, "row"), "text");
  assert.throws(() => createSealer([], PURPOSE), RangeError);
});

test("a hidden place is found again, also after the secret was rotated, and is not in the text", () => {
  const old = createPlaceHider(["old secret"], "list");
  const places = [
    { no: 0, index: 0 },
    { no: 1_234_567, index: 89 },
    { no: 1_234_568, index: 89 },
    { no: Number.MAX_SAFE_INTEGER, index: 2 ** 32 - 1 },
  ];
  const hidden = places.map((place) => old.hide(place));
  assert.equal(new Set(hidden).size, places.length);
  for (const [at, text] of hidden.entries()) {
    const place = places[at] as (typeof places)[number];
    assert.match(text, /^[\w-]{22}$/);
    assert.equal(old.hide(place), text);
    assert.deepEqual(createPlaceHider(["new secret", "old secret"], "list").reveal(text), place);
    assert.equal(createPlaceHider(["new secret"], "list").reveal(text), null);
    assert.equal(createPlaceHider(["old secret"], "other list").reveal(text), null);
  }
  for (const text of ["", "1.0", "1234567.89", "A".repeat(21), "A".repeat(22), "A".repeat(23)])
    assert.equal(old.reveal(text), null);
});
