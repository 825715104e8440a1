import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { buildPages } from "#apps/node/build-pages.ts";
import { APP_ENTRY, listAppPages } from "#site/app-pages.ts";
import type { AppPage } from "#site/app-shell.ts";
import { assetsOf, FRONT_ENTRY, type PageManifest } from "#site/page-manifest.ts";
import { TOOLS } from "#tools/registry.ts";

/**
 * What a browser with an empty cache loads for each React page: the built files that the head of the page names, compressed.
 * `npm run measure:pages` measures the same and more in a browser.
 */
const ROOT = path.join(import.meta.dirname, "../..");

/** Requests: HTML, style, scripts, two fonts, and the visitor. */
const REQUESTS_MAX: [pages: RegExp, requests: number][] = [
  // It also loads the engine of its tool and its view.
  [/^\/tools\/./, 12],
  [/./, 9],
];
const FONTS = 2;
const NO_TEXTS = { early: "", firstPaint: "" };

/** JavaScript in kB (1,000 bytes) that a page may load before it is complete; a bound is a little above what is needed. */
const SCRIPT_KB_MAX: [pages: RegExp, kB: number][] = [
  [/^\/(?:sign-in|undo-email-change|unsubscribe)$/, 120],
  // It shows code to copy, as the dashboard does, which opens next and finds that in the cache.
  [/^\/sign-in\/link$/, 134],
  [/^\/(?:home|tools)$/, 138],
  // With what shows and saves responses of own tools that are no text.
  [/^\/tools\//, 191],
  [/./, 160],
];

const build = await buildPages(ROOT, path.join(ROOT, "data"));
const manifest = JSON.parse(
  readFileSync(path.join(build, "manifest.json"), "utf8"),
) as PageManifest;

/** Bytes on the wire: files that compression would not make smaller have no compressed form. */
const bytesOf = (file: string): number =>
  (
    statSync(path.join(build, `${file}.br`), { throwIfNoEntry: false }) ??
    statSync(path.join(build, file))
  ).size;

function weigh(page: AppPage) {
  const { scripts, preloads, styles } = assetsOf(manifest, NO_TEXTS, APP_ENTRY, page.screen);
  const files = [...scripts, ...preloads];
  const kB = files.reduce((sum, file) => sum + bytesOf(file), 0) / 1_000;
  return { kB, requests: 2 + styles.length + files.length + FONTS, files };
}

for (const page of listAppPages(TOOLS)) {
  test(`${page.path} loads few files and little JavaScript`, () => {
    // The first chunk, which every page loads, contains the sign-in page.
    const isFirst = page.path === "/sign-in";
    assert.equal(manifest[page.screen] === undefined, isFirst, `the build has no ${page.screen}`);
    const { kB, requests, files } = weigh(page);
    const list = files.map((file) => `${file} ${bytesOf(file)}`).join("\n");
    const bound = boundOf(SCRIPT_KB_MAX, page);
    assert.ok(kB <= bound, `${kB} kB of JavaScript, more than ${bound}:\n${list}`);
    assert.ok(requests <= boundOf(REQUESTS_MAX, page), `${requests} requests:\n${list}`);
  });
}

/** The first bound whose pattern matches. */
const boundOf = (bounds: [pages: RegExp, bound: number][], { path }: AppPage): number =>
  bounds.find(([pages]) => pages.test(path))?.[1] ?? 0;

test("the script of the server-rendered pages, with all that it can come to load, is small", () => {
  const below = (name: string): string[] => {
    const { dynamicImports = [] } = manifest[name] as { dynamicImports?: string[] };
    const { scripts, preloads } = assetsOf(manifest, NO_TEXTS, name);
    return [...scripts, ...preloads, ...dynamicImports.flatMap(below)];
  };
  const kB = [...new Set(below(FRONT_ENTRY))].reduce((sum, file) => sum + bytesOf(file), 0) / 1_000;
  assert.ok(kB < 40, `${kB} kB`);
});

test("the script of the server-rendered pages shares no file with the dashboard", () => {
  const dashboard = assetsOf(manifest, NO_TEXTS, APP_ENTRY);
  const front = assetsOf(manifest, NO_TEXTS, FRONT_ENTRY);
  const shared = [...front.scripts, ...front.preloads].filter((file) =>
    [...dashboard.scripts, ...dashboard.preloads].includes(file),
  );
  assert.deepEqual(shared, []);
});
