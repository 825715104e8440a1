import assert from "node:assert/strict";
import { test } from "node:test";
import { ICONS, icon, toolIcon } from "#site/icons.ts";
import { SHELL_STYLE } from "#site/shell-style.ts";
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
  assert.match(
    String(icon("keys", 16)),
    /^<svg class="tb-icon" width="16"[^>]*aria-hidden="true"><path d="M/,
  );
  assert.match(SHELL_STYLE, /\.tb-icon\{flex:none;fill:none;stroke:currentColor/);
});
