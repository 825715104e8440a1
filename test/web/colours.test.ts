import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { STYLE } from "#site/style.ts";

/** The pages of the server and those of React define the same colours, each in a file of their own. */
const REACT_CSS = readFileSync(path.join(import.meta.dirname, "../../web/colours.css"), "utf8");

/** The variables of the first rule with this selector, without the prefix `tb-`. */
function coloursOf(css: string, selector: string): Record<string, string> {
  const packed = css.replaceAll(" {", "{");
  const start = packed.indexOf(`${selector}{`);
  assert.ok(start >= 0, selector);
  const rule = packed.slice(start, packed.indexOf("}", start));
  const found = [...rule.matchAll(/--(?:tb-)?([\w-]+):\s*(#[0-9a-f]+)/g)];
  return Object.fromEntries(found.map(([, name, colour]) => [name, colour]));
}

const SCHEMES = [
  { name: "light", server: ":root", react: ':root:root[data-mantine-color-scheme="light"]' },
  {
    name: "dark",
    server: ":root[data-scheme=dark]",
    react: ':root:root[data-mantine-color-scheme="dark"]',
  },
];
for (const { name, server, react } of SCHEMES) {
  test(`the pages of the server and those of React have the same ${name} colours`, () => {
    const { "accent-ink": _hover, ...serverColours } = coloursOf(STYLE, server);
    const { "on-filled": _onFilled, ...reactColours } = coloursOf(REACT_CSS, react);
    assert.ok(Object.keys(serverColours).length > 10);
    assert.deepEqual(reactColours, serverColours);
  });
}
