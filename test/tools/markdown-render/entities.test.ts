import assert from "node:assert/strict";
import { test } from "node:test";
import { characterEntities } from "character-entities";
import { readEntity, resolveEscapes } from "#tools/markdown-render/entities.ts";
import { ENTITY_TABLE } from "#tools/markdown-render/entity-table.ts";

const names = Object.entries(characterEntities);

test("every named character reference of HTML has its text", () => {
  assert.equal(names.length, 2125);
  for (const [name, text] of names) {
    const reference = `&${name};`;
    assert.deepEqual(readEntity(reference, 0, reference.length), { text, end: reference.length });
  }
});

test("the table has no name that HTML does not have", () => {
  const listed = ENTITY_TABLE.match(/[A-Za-z][A-Za-z0-9]*/g) ?? [];
  for (const name of listed) assert.ok(name in characterEntities, name);
  // The three alphabets of 52 letters that the table leaves out have 23 letters elsewhere, which it lists.
  assert.equal(listed.length, 2125 - 3 * 52 + 23);
});

test("an invalid reference is text", () => {
  for (const text of [
    ...["&", "&;", "&a", "&amp", "&AMp;", "&nosuch;", "& amp;", "&#;", "&#x;", "&#a;", "&#xg;"],
    ...["&#12345678;", "&#x1234567;", "&__proto__;", "&constructor;", `&${"a".repeat(40)};`],
  ]) {
    assert.equal(readEntity(text, 0, text.length), undefined, text);
    assert.equal(resolveEscapes(text), text);
  }
});

test("a number gives its character, or U+FFFD if there is none", () => {
  const table: [string, string][] = [
    ["&#65;", "A"],
    ["&#x41;", "A"],
    ["&#X1F600;", "\u{1f600}"],
    ["&#1114111;", "\u{10ffff}"],
    ...["&#0;", "&#xd800;", "&#xDFFF;", "&#1114112;", "&#x110000;", "&#9999999;"].map(
      (reference): [string, string] => [reference, "\ufffd"],
    ),
  ];
  for (const [reference, text] of table) assert.equal(resolveEscapes(reference), text, reference);
});

test("a reference that the end of the text cuts off is none", () => {
  assert.equal(readEntity("&amp;", 0, 4), undefined);
  assert.equal(readEntity("&#65;", 0, 4), undefined);
});

test("backslashes escape punctuation only, and one after the other", () => {
  assert.equal(resolveEscapes("\\a\\*\\\\\\&amp;\\"), "\\a*\\&amp;\\");
});
