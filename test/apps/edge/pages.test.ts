import assert from "node:assert/strict";
import { test } from "node:test";
import { manifestKey, SITE_FILES } from "#site/site-files.ts";
import { openEdgePages } from "../../../src/apps/edge/pages.ts";

/** Assets that the Worker fetches itself because the platform did not serve them. */

const MANIFEST = {
  "main.tsx": { file: "assets/main-1.js", imports: ["_box.js"] },
  "_box.js": { file: "assets/box-1.js" },
  "front/main.ts": { file: "assets/front-1.js" },
  "style.css": { file: "assets/style-1.css" },
  ...Object.fromEntries(
    SITE_FILES.map((name) => [manifestKey(name), { file: `assets/1-${name}` }]),
  ),
};
const FILES = Object.fromEntries(SITE_FILES.map((name) => [name, `assets/1-${name}`]));

const INLINE = { early: "early()", firstPaint: "body{}" };

function openPages() {
  const loggedErrors: string[] = [];
  const requested: string[] = [];
  let isAway = false;
  const assets = {
    async fetch(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url);
      requested.push(`${request.method} ${pathname}`);
      if (isAway) throw new Error("the assets are unavailable");
      if (pathname === "/build/manifest.json") return Response.json(MANIFEST);
      if (pathname === "/build/inline.json") return Response.json(INLINE);
      if (/^\/build\/(?:docs|legal)\.json$/.test(pathname)) return Response.json({});
      if (pathname !== "/assets/main-1.js") return new Response("none", { status: 404 });
      const isKnown = request.headers.get("if-none-match") === '"1"';
      return isKnown ? new Response(null, { status: 304 }) : new Response("script");
    },
  };
  const pages = openEdgePages(assets, (message) => loggedErrors.push(message));
  const setAway = (next: boolean) => {
    isAway = next;
  };
  return { pages, loggedErrors, requested, setAway };
}

test("reads the build manifest once and puts its files into the head of each page", async () => {
  const { pages, requested, loggedErrors } = openPages();
  assert.equal(pages.frontAssets(), null);
  assert.equal(pages.docs(), null);
  assert.equal(await pages.assetsFor("main.tsx"), null);
  await pages.load();
  await pages.load();
  assert.deepEqual(requested, [
    "GET /build/manifest.json",
    "GET /build/inline.json",
    "GET /build/docs.json",
    "GET /build/legal.json",
  ]);
  assert.deepEqual(pages.docs(), {});
  assert.deepEqual(pages.frontAssets(), {
    script: "assets/front-1.js",
    files: FILES,
    early: INLINE.early,
  });
  assert.equal(pages.frontAssets(), pages.frontAssets());
  assert.deepEqual(await pages.assetsFor("main.tsx"), {
    scripts: ["assets/main-1.js"],
    styles: ["assets/style-1.css"],
    preloads: ["assets/box-1.js"],
    ...INLINE,
    files: FILES,
  });
  assert.deepEqual(loggedErrors, []);
});

test("reads the manifest again at the next request after a failure", async () => {
  const { pages, loggedErrors, setAway } = openPages();
  setAway(true);
  await pages.load();
  assert.equal(pages.frontAssets(), null);
  assert.equal(loggedErrors.length, 1);
  setAway(false);
  await pages.load();
  assert.deepEqual(pages.frontAssets(), {
    script: "assets/front-1.js",
    files: FILES,
    early: INLINE.early,
  });
  assert.equal(pages.frontAssets(), pages.frontAssets());
});

test("returns an asset as the platform serves it, and 404 for any other name", async () => {
  const { pages } = openPages();
  const ask = (name: string, headers: Record<string, string> = {}) =>
    pages.serveAsset(name, new Request("https://tools.example/assets/x", { headers }));
  assert.equal(await (await ask("main-1.js")).text(), "script");
  assert.equal((await ask("main-1.js", { "If-None-Match": '"1"' })).status, 304);
  for (const name of ["other.js", "../build/manifest.json", "%2e%2e%2fbuild%2fmanifest.json", ""]) {
    const response = await ask(name);
    assert.equal(response.status, 404, name);
    assert.equal(await response.text(), "There is no such file.\n");
    assert.equal(response.headers.get("cache-control"), "no-store");
  }
});
