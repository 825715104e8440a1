import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement, type FunctionComponent, Suspense } from "react";
import { renderToStaticMarkup } from "react-dom/server";

type Load = () => Promise<{ default: FunctionComponent }>;
type Screen = FunctionComponent & { preload(): Promise<void> };

// Dynamic, because the file needs the types of the DOM.
const file = new URL("../../web/frame/screen-of.ts", import.meta.url).href;
const { screenOf }: { screenOf(load: Load): Screen } = await import(file);

const load = async () => ({ default: () => "the screen" });
const render = (Screen: Screen) =>
  renderToStaticMarkup(
    createElement(Suspense, { fallback: "a moment" }, createElement(Screen)),
  ).replaceAll(/<[^>]*>/g, "");

test("a preloaded screen renders at once, without a fallback", async () => {
  const Screen = screenOf(load);
  assert.equal(render(Screen), "a moment");
  await Screen.preload();
  assert.equal(render(Screen), "the screen");
});

test("a screen whose preload failed is loaded again when it is rendered", async () => {
  let loads = 0;
  const Screen = screenOf(async () => {
    loads += 1;
    if (loads === 1) throw new Error("made to fail");
    return load();
  });
  await Screen.preload();
  assert.equal(render(Screen), "a moment");
  assert.equal(loads, 2);
});
