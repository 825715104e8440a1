import assert from "node:assert/strict";
import { cpSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { buildServer } from "#apps/node/build-server.ts";
import { hashSources } from "#apps/node/builds.js";
import { type NodePages, openPages } from "#apps/node/pages.ts";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { makeCheckout, ROOT, write } from "./pages-checkout.ts";

/** Pages are built where there is no build of the present sources, and served as immutable files. */
const ENTRY = "main.tsx";

async function open(t: Pick<TestContext, "after">, checkout: string, dataDir: string) {
  const said: string[] = [];
  const loggedErrors: string[] = [];
  const pages = openPages({
    checkout,
    dataDir,
    say: (text) => said.push(text),
    logError: (_, { cause }) => loggedErrors.push(String(cause)),
  });
  t.after(() => pages.close());
  await pages.settled;
  return { pages, said, loggedErrors };
}

/** The pages of this checkout, as `npm run build` makes them. */
const openBuilt = async (t: TestContext) => (await open(t, ROOT, temporaryFolder(t))).pages;

const builds = (folder: string) => readdirSync(folder).sort();
const get = (pages: NodePages, name: string, init: RequestInit = {}) =>
  pages.serveAsset(name, new Request(`http://127.0.0.1/assets/${name}`, init));
const nameOf = (file: string | undefined) => (file as string).replace("assets/", "");

test("missing pages are built once, and a second start finds them", async (t) => {
  const checkout = makeCheckout(t);
  const first = await open(t, checkout, temporaryFolder(t));
  assert.deepEqual(first.loggedErrors, []);
  assert.match(first.said.join(""), /Building the pages.*Built the pages/s);
  assert.equal(first.pages.frontAssets()?.script, "assets/front.js");
  const second = await open(t, checkout, temporaryFolder(t));
  assert.deepEqual(second.said, []);
  assert.deepEqual(await second.pages.assetsFor(ENTRY), await first.pages.assetsFor(ENTRY));
});

test("a change of any source makes a new build, and two builds are kept", async (t) => {
  const checkout = makeCheckout(t);
  const dataDir = temporaryFolder(t);
  const place = path.join(checkout, "dist/pages");
  await open(t, checkout, dataDir);
  const [first] = builds(place);
  write(checkout, "src/errors.ts", "// Imported sources count as well.\n");
  const old = await open(t, checkout, dataDir);
  assert.equal(builds(place).length, 2);
  write(checkout, "web/home/home-screen.tsx", "export default () => <p>Bye</p>;\n");
  await open(t, checkout, dataDir);
  assert.equal(builds(place).length, 2);
  assert.ok(!builds(place).includes(first as string), "the oldest build is deleted");
  rmSync(place, { recursive: true });
  const kept = await get(old.pages, "main.js");
  assert.equal(kept.status, 200, "a running server does not need the files");
});

test("two concurrent starts both have the pages and leave no temporary files", async (t) => {
  const checkout = makeCheckout(t);
  const dataDir = temporaryFolder(t);
  const both = await Promise.all([open(t, checkout, dataDir), open(t, checkout, dataDir)]);
  for (const { pages, loggedErrors } of both) {
    assert.deepEqual(loggedErrors, []);
    assert.ok(await pages.assetsFor(ENTRY));
  }
  assert.match(builds(path.join(checkout, "dist/pages")).join(), /^[0-9a-f]{16}$/);
});

test("builds are in the data folder if the code folder is read-only, beside the operator's pages", async (t) => {
  const checkout = makeCheckout(t);
  const dataDir = temporaryFolder(t);
  for (const name of ["terms.md", "privacy.md", "status.md"]) write(dataDir, `pages/${name}`, name);
  // A file in place of the folder stops even root from writing there.
  write(checkout, "dist", "");
  const { pages, loggedErrors } = await open(t, checkout, dataDir);
  assert.deepEqual(loggedErrors, []);
  assert.ok(await pages.assetsFor(ENTRY));
  assert.equal(builds(path.join(dataDir, "pages")).length, 4);
  const again = await open(t, checkout, dataDir);
  assert.deepEqual(again.said, []);
});

/** The sources of the pages, with the real build. */
function copySources(t: TestContext): string {
  const checkout = makeCheckout(t);
  const config = ["vite.config.ts", "site-file-source.ts", "theme.ts"].map((name) => `web/${name}`);
  for (const name of ["src", ...config])
    cpSync(path.join(ROOT, name), path.join(checkout, name), { recursive: true });
  return checkout;
}

test("a build that fails is logged once, and the pages are unavailable", async (t) => {
  const checkout = copySources(t);
  symlinkSync(path.join(ROOT, "node_modules"), path.join(checkout, "node_modules"));
  write(checkout, "web/front/main.ts", 'import "./nowhere.ts";\n');
  const { pages, loggedErrors } = await open(t, checkout, temporaryFolder(t));
  assert.equal(loggedErrors.length, 1);
  assert.match(loggedErrors[0] as string, /The build failed.*nowhere/s);
  assert.equal(await pages.assetsFor(ENTRY), null);
  const response = await get(pages, "main.js");
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "10"]);
  assert.equal(pages.frontAssets(), null);
  assert.deepEqual(builds(path.join(checkout, "dist/pages")), []);
});

test("a missing package is named, with what to do", async (t) => {
  const { loggedErrors } = await open(t, copySources(t), temporaryFolder(t));
  assert.match(loggedErrors.join(), /A package is missing: run `npm ci`/);
});

test("a server answers calls while its pages are built, and after their build has failed", async (t) => {
  const checkout = makeCheckout(t);
  for (const name of ["docs", "node_modules"])
    symlinkSync(path.join(ROOT, name), path.join(checkout, name));
  write(checkout, "web/main.tsx", "fail");
  write(checkout, "hold", "");
  const server = path.join(checkout, "dist/server", hashSources(checkout, "server"));
  cpSync(await buildServer(ROOT), server, { recursive: true });
  const wrap = ["sh", "-c", 'exec "$1" "$2" "$0/src/apps/start.js" start', checkout];
  const { base, demoKey, written } = await startServer(t, { DATA_DIR: temporaryFolder(t) }, wrap);
  const call = async () => {
    const headers = { Authorization: `Bearer ${await demoKey()}` };
    return (await fetch(`${base}/api/v1/uuid`, { method: "POST", headers })).status;
  };
  await eventually("it builds", async () => written().includes("Building the pages"));
  assert.equal(await call(), 200);
  const page = fetch(`${base}/sign-in`);
  rmSync(path.join(checkout, "hold"));
  assert.equal((await page).status, 503);
  assert.match((await page).headers.get("content-type") ?? "", /text\/html/);
  await eventually("the log", async () => written().includes("Building the pages failed"));
  assert.equal(await call(), 200);
  assert.equal((await fetch(`${base}/docs`)).status, 200);
});

test("the head of a page names the entry, the styles and the modules that the page needs", async (t) => {
  const pages = await openBuilt(t);
  const plain = await pages.assetsFor(ENTRY);
  const home = await pages.assetsFor(ENTRY, "home/home-screen.tsx");
  assert.ok(plain && home);
  assert.match(plain.scripts.join(), /^assets\/main-[\w-]+\.js$/);
  assert.match(plain.styles.join(), /^assets\/style-[\w-]+\.css$/);
  assert.deepEqual(home.styles, plain.styles);
  assert.ok(home.preloads.some((file) => file.includes("home-screen")));
  assert.match((await pages.assetsFor("front/main.ts"))?.scripts.join() ?? "", /front-/);
});

test("fonts and images are files of the build, small, kept for a year, and images can be shown elsewhere", async (t) => {
  const pages = await openBuilt(t);
  const { files } = (await pages.assetsFor(ENTRY)) ?? {};
  assert.ok(files);
  const bytesOf = async (name: keyof typeof files) => {
    const response = await get(pages, nameOf(files[name]));
    assert.equal(response.status, 200, name);
    assert.match(files[name], /-[0-9a-f]{8}\.(?:png|woff2)$/);
    assert.match(response.headers.get("cache-control") ?? "", /max-age=31536000, immutable/);
    const isImage = name.endsWith(".png");
    assert.equal(response.headers.get("content-type"), isImage ? "image/png" : "font/woff2");
    const sharing = response.headers.get("cross-origin-resource-policy");
    assert.equal(sharing, isImage ? "cross-origin" : "same-origin");
    return Buffer.from(await response.arrayBuffer());
  };
  const fonts = [await bytesOf("sans.woff2"), await bytesOf("mono.woff2")];
  for (const font of fonts) assert.equal(font.toString("latin1", 0, 4), "wOF2");
  assert.ok(fonts.reduce((sum, { length }) => sum + length, 0) < 60_000);
  for (const [name, width, height] of [
    ["share.png", 1200, 630],
    ["touch-icon.png", 180, 180],
    ["icon-192.png", 192, 192],
    ["icon-512.png", 512, 512],
    ["icon-maskable.png", 512, 512],
  ] as const) {
    const png = await bytesOf(name);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [width, height], name);
    assert.ok(png.length < 60_000, name);
  }
});

test("assets are compressed, immutable, and in an encoding that the browser accepts", async (t) => {
  const pages = await openBuilt(t);
  const style = nameOf((await pages.assetsFor(ENTRY))?.styles[0]);
  const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());
  const plain = await get(pages, style);
  assert.equal(plain.headers.get("content-type"), "text/css; charset=utf-8");
  assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(plain.headers.get("vary"), "Accept-Encoding");
  const text = await bytes(plain);
  for (const [asked, used] of [
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, *", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["identity", null],
  ] as const) {
    const response = await get(pages, style, { headers: { "accept-encoding": asked } });
    assert.equal(response.headers.get("content-encoding"), used, asked);
    const packed = await bytes(response);
    assert.equal(packed.length, Number(response.headers.get("content-length")));
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
    assert.deepEqual(used === null ? packed : unpack[used](packed), text);
  }
});

test("HEAD, conditional requests and unknown names are handled", async (t) => {
  const pages = await openBuilt(t);
  const script = nameOf((await pages.assetsFor(ENTRY))?.scripts[0]);
  const head = await get(pages, script, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  const etag = head.headers.get("etag") as string;
  const same = await get(pages, script, { headers: { "if-none-match": `"x", W/${etag}` } });
  assert.deepEqual([same.status, await same.text()], [304, ""]);
  const names = ["", "nothing.js", "../manifest.json", "..%2fmanifest.json", "/etc/passwd"];
  for (const name of [...names, `${script}.br`, "__proto__", "constructor"]) {
    const response = await get(pages, name);
    assert.equal(response.status, 404, name);
    assert.equal(response.headers.get("cache-control"), "no-store");
  }
});
