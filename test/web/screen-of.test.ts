import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement, type FunctionComponent, Suspense } from "react";
import { renderToStaticMarkup } from "react-dom/server";

type Load = () => Promise<{ default: FunctionComponent }>;
type Screen = FunctionComponent & { preload(): Promise<void> };

// By address, because the types of a browser are not those of this folder.
const file = new URL("../../web/frame/screen-of.ts", import.meta.url).href;
const { screenOf }: { screenOf(load: Load): Screen } = await import(file);

const load = async () => ({ default: () => "the screen" });
const draw = (Screen: Screen) =>
  renderToStaticMarkup(
    createElement(Suspense, { fallback: "a moment" }, createElement(Screen)),
  ).replaceAll(/<[^>]*>/g, "");

test("a screen that was fetched ahead of time is drawn at once, without a fallback", async () => {
  const Screen = screenOf(load);
  assert.equal(draw(Screen), "a moment");
  await Screen.preload();
  assert.equal(draw(Screen), "the screen");
});

test("one that could not be fetched ahead of time is asked for again when it is drawn", async () => {
  let asked = 0;
  const Screen = screenOf(async () => {
    asked += 1;
    if (asked === 1) throw new Error("made to fail");
    return load();
  });
  await Screen.preload();
  assert.equal(draw(Screen), "a moment");
  assert.equal(asked, 2);
});
