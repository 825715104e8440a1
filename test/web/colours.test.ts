import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { contrast } from "#site/accent.ts";
import { renderAppPage } from "#site/app-shell.ts";
import { STYLE } from "#site/style.ts";
import { DARK, LIGHT, SIZES, tokensCss } from "#site/tokens.ts";
import { FULL } from "../site/pages-server.ts";

const ROOT = path.join(import.meta.dirname, "../..");

test("the pages of the server and those of React begin their styles with the same tokens", () => {
  assert.ok(STYLE.startsWith(tokensCss()));
  const page = { path: "/tools", title: "", description: "", findable: true, screen: "" };
  const assets = {
    scripts: [],
    styles: [],
    preloads: [],
    firstPaint: "p{top:0}",
    early: "",
    files: null,
  };
  const sent = renderAppPage(page, FULL, assets);
  assert.ok(sent.includes(`<style>${tokensCss()}`));
  assert.ok(
    sent.includes(
      `<meta name="theme-color" media="(prefers-color-scheme: light)" content="${LIGHT.bg}">`,
    ),
  );
});

test("every token that a style uses is defined, and dark has what light has", () => {
  assert.deepEqual(Object.keys(DARK), Object.keys(LIGHT));
  const web = path.join(ROOT, "web");
  const styles = readdirSync(web, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(?:css|tsx?)$/.test(name),
  );
  const texts = [STYLE, ...styles.map((name) => readFileSync(path.join(web, name), "utf8"))].join(
    "\n",
  );
  const defined = new Set([...Object.keys(LIGHT), ...Object.keys(SIZES)]);
  for (const [, name = ""] of texts.matchAll(/--tb-([\w-]+)\s*:/g)) defined.add(name);
  const used = [...texts.matchAll(/var\(--tb-([\w-]+)[,)]/g)].map(([, name = ""]) => name);
  assert.ok(used.length > 100);
  assert.deepEqual(
    [...new Set(used)].filter((name) => !defined.has(name)),
    [],
  );
});

for (const [name, scheme] of Object.entries({ light: LIGHT, dark: DARK })) {
  test(`text in the ${name} colours has a contrast of at least 4.5 to 1, and edges of fields 3 to 1`, () => {
    const pairs = [
      ...[
        "ink",
        "soft",
        "accent",
        "accent-ink",
        "key",
        "text",
        "value",
        "ok",
        "warn",
        "bad",
      ].flatMap((text) => ["bg", "panel"].map((ground) => [text, ground])),
      ...[
        ["accent", "tint"],
        ["ink", "tint"],
        ["ok", "ok-bg"],
        ["warn", "warn-bg"],
        ["bad", "bad-bg"],
      ],
      ...[
        ["on-filled", "accent"],
        ["on-filled", "accent-ink"],
      ],
    ] as [keyof typeof LIGHT, keyof typeof LIGHT][];
    const low = (at: number, list: typeof pairs) =>
      list.filter(([text, ground]) => contrast(scheme[text], scheme[ground]) < at);
    assert.deepEqual(low(4.5, pairs), []);
    assert.deepEqual(
      low(3, [
        ["edge", "bg"],
        ["signal", "bg"],
      ]),
      [],
    );
  });
}
