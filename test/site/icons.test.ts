import assert from "node:assert/strict";
import { test } from "node:test";
import { ICONS, icon, toolIcon } from "#site/icons.ts";
import { TOOLS } from "#tools/registry.ts";

test("every tool has an icon of its own, and an unknown tool has that of all tools", () => {
  for (const { name } of TOOLS) assert.equal(toolIcon(name), name);
  assert.equal(toolIcon("constructor"), "tools");
});

test("an icon is one path of plain commands, and no two icons are the same", () => {
  const paths = Object.values(ICONS);
  for (const path of paths) assert.match(path, /^M[-\d. MmLlHhVvCcSsAaZz]+$/);
  assert.equal(new Set(paths).size, paths.length);
});

test("an icon in a page is hidden from screen readers and has the colour of the text", () => {
  const { text } = icon("keys", 16);
  assert.match(
    text,
    /^<svg [^>]*width="16"[^>]*stroke="currentColor"[^>]*aria-hidden="true"><path d="M/,
  );
});
