import assert from "node:assert/strict";
import { test } from "node:test";
import { accentCss, accentOf, accentWarning, contrast } from "#site/accent.ts";
import { DARK, LIGHT } from "#site/tokens.ts";

const COLOURS = [
  "#000000",
  "#ffffff",
  "#ffee00",
  "#0a5f58",
  "#63cdbb",
  "#ff0000",
  "#0000ff",
  "#808080",
];

test("contrast is that of WCAG 2.2", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  // The grey that has just enough of it on white, and the one that has not.
  assert.ok(contrast("#767676", "#ffffff") >= 4.5 && contrast("#777777", "#ffffff") < 4.5);
});

test("text in the colour of a service, and on it, can be read in both schemes", () => {
  for (const colour of COLOURS) {
    const { light, dark } = accentOf(colour);
    for (const [shades, tokens] of [
      [light, LIGHT],
      [dark, DARK],
    ] as const) {
      for (const ground of [tokens.bg, tokens.panel, shades.tint]) {
        assert.ok(contrast(shades.accent, ground) >= 4.5, `${colour} on ${ground}`);
        assert.ok(contrast(shades["accent-ink"], ground) >= 7, `ink of ${colour} on ${ground}`);
      }
      assert.ok(contrast(tokens["on-filled"], shades.accent) >= 4.5, `text on ${colour}`);
      assert.ok(contrast(tokens.ink, shades.tint) >= 4.5, `text on the tint of ${colour}`);
    }
  }
});

test("a colour that can be read stays as it is, and a warning names one that was changed", () => {
  assert.equal(accentOf("#0a5f58").light.accent, "#0a5f58");
  assert.equal(accentOf("#63cdbb").dark.accent, "#63cdbb");
  assert.match(
    accentWarning("#ffee00") ?? "",
    /^TOOLBOOTH_ACCENT is #ffee00\. Pages show #\w{6} on light pages/,
  );
  assert.match(accentCss(accentOf("#ffee00")), /^:root\{--tb-accent:#/);
});
