import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { after, type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type NodePages, openPages } from "#apps/node/pages.ts";
import { temporaryFolder } from "../../http/server-process.ts";

/** Pages are built where there is no build of the present sources, and served as immutable files. */
const ROOT = path.join(import.meta.dirname, "../../..");
const ENTRY = "main.tsx";

/** Long enough to be compressed, and incompressible for a minifier. */
const LONG = Array.from({ length: 60 }, (_, at) => `.c${at} { width: ${at}px; }\n`).join("");

type Hooks = Pick<TestContext, "after">;

/** Creates a checkout with minimal pages, so that a build is fast. */
function makeCheckout(t: Hooks): string {
  const checkout = temporaryFolder(t);
  cpSync(path.join(ROOT, "src"), path.join(checkout, "src"), { recursive: true });
  for (const file of ["package.json", "package-lock.json", "tsconfig.json"]) {
    cpSync(path.join(ROOT, file), path.join(checkout, file));
  }
  symlinkSync(path.join(ROOT, "node_modules"), path.join(checkout, "node_modules"));
  const files: Record<string, string> = {
    "main.tsx": `import "./look.css";\nimport { ERRORS } from "#errors.ts";\nconsole.log(ERRORS);\nimport("./home/home-screen.tsx");\n`,
    "look.css": `${LONG}body { background: url(./dot.svg); }
`,
    "dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>\n',
    "home/home-screen.tsx": 'import "./home.css";\nexport default () => <p>Hello</p>;\n',
    "home/home.css": "p { color: blue; }\n",
    "front/main.ts": 'document.title = "front";\n',
  };
  for (const [name, text] of Object.entries(files)) write(checkout, `web/${name}`, text);
  for (const name of [
    "vite.config.ts",
    "site-file-source.ts",
    "theme.ts",
    "tsconfig.json",
    "mantine-variables.css",
    "styles.css",
    "images",
  ]) {
    cpSync(path.join(ROOT, "web", name), path.join(checkout, "web", name), { recursive: true });
  }
  return checkout;
}

function write(checkout: string, name: string, text: string) {
  const file = path.join(checkout, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

type Opened = { pages: NodePages; said: string[]; loggedErrors: string[] };

async function open(t: Hooks, checkout: string, dataDir: string): Promise<Opened> {
  const [said, loggedErrors]: string[][] = [[], []];
  const pages = openPages({
    checkout,
    dataDir,
    say: (text) => said?.push(text),
    logError: (_, { cause }) => loggedErrors?.push(String(cause)),
  });
  t.after(() => pages.close());
  await pages.settled;
  return { pages, said: said as string[], loggedErrors: loggedErrors as string[] };
}

const ofFile: Hooks = { after: (close) => after(close as () => unknown) };
let served: Promise<Opened> | undefined;
/** One build for the tests that only read it. */
const openServed = (): Promise<Opened> => {
  served ??= open(ofFile, makeCheckout(ofFile), temporaryFolder(ofFile));
  return served;
};

const builds = (folder: string) => readdirSync(folder).sort();
const get = (pages: NodePages, name: string, init: RequestInit = {}) =>
  pages.serveAsset(name, new Request(`http://127.0.0.1/assets/${name}`, init));
const nameOf = (file: string | undefined) => (file as string).replace("assets/", "");

test("builds missing pages once, and a second start finds them", async (t) => {
  const checkout = makeCheckout(t);
  const first = await open(t, checkout, temporaryFolder(t));
  assert.deepEqual(first.loggedErrors, []);
  assert.match(first.said.join(""), /Building the pages.*Built the pages in /s);
  assert.match(first.pages.frontAssets()?.script ?? "", /^assets\/front-/);
  const second = await open(t, checkout, temporaryFolder(t));
  assert.deepEqual(second.said, []);
  assert.deepEqual(
    await second.pages.assetsFor(ENTRY),
    await first.pages.assetsFor(ENTRY),
    "both serve the same build",
  );
});

test("the head of a page names the entry, the styles and the modules that the page needs", async () => {
  const { pages } = await openServed();
  const plain = await pages.assetsFor(ENTRY);
  const home = await pages.assetsFor(ENTRY, "home/home-screen.tsx");
  assert.ok(plain && home);
  assert.match(plain.scripts.join(), /^assets\/main-[\w-]+\.js$/);
  assert.match(plain.styles.join(), /^assets\/style-[\w-]+\.css$/);
  assert.deepEqual(home.styles, plain.styles);
  assert.ok(home.preloads.some((file) => file.includes("home-screen")));
  assert.match((await pages.assetsFor("front/main.ts"))?.scripts.join() ?? "", /front-/);
});

test("fonts and images are files of the build, small, kept for a year, and images can be shown elsewhere", async () => {
  const { pages } = await openServed();
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

test("a change of any source makes a new build, and two builds are kept", async (t) => {
  const checkout = makeCheckout(t);
  const dataDir = temporaryFolder(t);
  const place = path.join(checkout, "dist/pages");
  await open(t, checkout, dataDir);
  const [first] = builds(place);
  appendFileSync(path.join(checkout, "src/errors.ts"), "// Another line.\n");
  const old = await open(t, checkout, dataDir);
  assert.equal(builds(place).length, 2, "imported sources count as well");
  write(checkout, "web/home/home-screen.tsx", "export default () => <p>Bye</p>;\n");
  await open(t, checkout, dataDir);
  assert.equal(builds(place).length, 2);
  assert.ok(!builds(place).includes(first as string), "the oldest build is deleted");
  const [script] = (await old.pages.assetsFor(ENTRY))?.scripts ?? [];
  rmSync(place, { recursive: true });
  assert.equal(
    (await get(old.pages, nameOf(script))).status,
    200,
    "a running server does not need the files",
  );
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

test("puts builds into the data folder if the code folder is read-only, and leaves the operator's pages there", async (t) => {
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

test("logs a failed build once, and the pages are unavailable", async (t) => {
  const checkout = makeCheckout(t);
  write(checkout, "web/main.tsx", 'import "./nowhere.ts";\n');
  const { pages, loggedErrors } = await open(t, checkout, temporaryFolder(t));
  assert.equal(loggedErrors.length, 1);
  assert.match(loggedErrors[0] as string, /The build failed.*nowhere/s);
  assert.equal(await pages.assetsFor(ENTRY), null);
  const response = await get(pages, "main.js");
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "10"]);
  assert.equal(pages.frontAssets(), null);
  assert.deepEqual(builds(path.join(checkout, "dist/pages")), []);
});

test("names a missing package and says what to do", async (t) => {
  const checkout = makeCheckout(t);
  rmSync(path.join(checkout, "node_modules"));
  const { loggedErrors } = await open(t, checkout, temporaryFolder(t));
  assert.match(loggedErrors.join(), /A package is missing: run `npm ci`/);
});

test("compresses assets, marks them immutable, and serves an encoding that the browser accepts", async () => {
  const { pages } = await openServed();
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

test("handles HEAD, conditional requests and unknown names", async () => {
  const { pages } = await openServed();
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
