/**
 * `npm run build`: builds the pages, the server and the command line, and writes the files for Cloudflare. The service runs it for the
 * pages, as a separate process so that the bundler's memory is released afterwards.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { buildServer } from "./build-server.ts";
import { stampFiles } from "./built-code.js";
import { writeEdgeFiles } from "./edge-files.ts";
import {
  buildPlaces,
  FIRST_PAINT,
  findBuild,
  MANIFEST,
  makeUnfinished,
  ONLY_PAGES,
  publishBuild,
  SOURCES,
} from "./pages-folder.ts";
import { hashPageSources, listPageInputs } from "./pages-source.ts";
import { addSiteFiles } from "./site-assets.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");

const DATA_DIR = process.env["DATA_DIR"] ?? path.join(CHECKOUT, "data");

async function main(): Promise<void> {
  if (process.argv[2] === ONLY_PAGES) await buildPages();
  else await Promise.all([buildPages().then(buildEdgeFiles), buildCode()]);
}

async function buildEdgeFiles(pages: string): Promise<void> {
  const out = path.join(CHECKOUT, "dist", "edge");
  await writeEdgeFiles(pages, { out, dataDir: DATA_DIR });
  say(`Wrote the files for Cloudflare: ${out}`);
}

/** Returns the folder of the pages. */
async function buildPages(): Promise<string> {
  const hash = hashPageSources(CHECKOUT);
  const places = buildPlaces(CHECKOUT, DATA_DIR);
  const there = findBuild(places, hash);
  if (there !== undefined) {
    say(`The pages are already built: ${there}`);
    return there;
  }
  const began = performance.now();
  // Before the bundler reads them: what changes afterwards must not look like what was built.
  const inputs = listPageInputs(CHECKOUT).filter((name) => existsSync(path.join(CHECKOUT, name)));
  const stamps = stampFiles(CHECKOUT, inputs);
  const { place, folder } = makeUnfinished(places);
  try {
    writeFileSync(path.join(folder, SOURCES), JSON.stringify(stamps));
    await bundle(folder);
    writeFileSync(path.join(folder, FIRST_PAINT), await readFirstPaint());
    addSiteFiles(CHECKOUT, folder);
    await compressAll(path.join(folder, "assets"));
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const published = publishBuild(folder, place, hash);
    say(`Built the pages in ${seconds} s: ${published}`);
    return published;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The code makes starts faster, and nothing else depends on it. */
async function buildCode(): Promise<void> {
  const began = performance.now();
  try {
    const folder = await buildServer(CHECKOUT);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    say(
      folder === null
        ? "The server is already built"
        : `Built the server in ${seconds} s: ${folder}`,
    );
  } catch (error) {
    say(`The server is not built and starts from its TypeScript: ${(error as Error).message}`);
  }
}

async function bundle(outDir: string): Promise<void> {
  // Imported late so that a missing package is reported in a sentence.
  const { build, mergeConfig } = await import("vite");
  const { default: config, frontConfig } = await import("../../../web/vite.config.ts");
  const manifests: object[] = [];
  for (const each of [frontConfig, config]) {
    const where = { configFile: false as const, build: { outDir, emptyOutDir: false } };
    await build(mergeConfig(each, where));
    manifests.push(JSON.parse(readFileSync(path.join(outDir, MANIFEST), "utf8")) as object);
  }
  writeFileSync(path.join(outDir, MANIFEST), JSON.stringify(Object.assign({}, ...manifests)));
}

/**
 * Joins the styles of the server-rendered shell for its head, so that the frame is painted before the component styles
 * arrive: first paint after 1.3 s instead of 2.5 s on a slow mobile connection.
 */
async function readFirstPaint(): Promise<string> {
  const mantine = path.join(CHECKOUT, "node_modules", "@mantine", "core", "styles");
  const read = (file: string) => readFileSync(file, "utf8");
  const text = [
    read(path.join(mantine, "default-css-variables.css")).replace(UNUSED_COLORS, ""),
    await themeVariables(),
    read(path.join(mantine, "baseline.css")),
    ...["mantine-variables.css", "styles.css"].map((name) =>
      read(path.join(CHECKOUT, "web", name)),
    ),
  ].join("");
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1");
}

/** Palettes that neither the theme nor a page names: half of Mantine's variables. */
const UNUSED_COLORS =
  /--mantine-color-(?:pink|grape|violet|indigo|blue|cyan|teal|green|lime|yellow|orange)-[\w-]+:[^;}]*;?/g;

/** The variables in which the theme differs from Mantine's. Its provider would compute them in every browser. */
async function themeVariables(): Promise<string> {
  const { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } =
    await import("@mantine/core");
  const { theme } = await import("../../../web/theme.ts");
  const ours = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const theirs = defaultCssVariablesResolver(DEFAULT_THEME);
  const changed = (kind: keyof typeof ours) => {
    const same = new Set(Object.entries(theirs[kind]).map(String));
    return Object.fromEntries(Object.entries(ours[kind]).filter((each) => !same.has(String(each))));
  };
  return convertCssVariables({
    variables: changed("variables"),
    light: changed("light"),
    dark: changed("dark"),
  });
}

/** Smaller files are not worth compressing. Each other file is compressed once, here, at the best level. */
const COMPRESS_FROM_BYTES = 512;
const COMPRESSIBLE = /\.(?:js|css|svg|json|txt|webmanifest|html)$/;

async function compressAll(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((name) => COMPRESSIBLE.test(name));
  await Promise.all(files.map((name) => compress(path.join(folder, name))));
}

async function compress(file: string): Promise<void> {
  const bytes = readFileSync(file);
  if (bytes.length < COMPRESS_FROM_BYTES) return;
  const brotli = promisify(brotliCompress)(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const packed = { br: await brotli, gz: await promisify(gzip)(bytes, { level: 9 }) };
  for (const [ending, smaller] of Object.entries(packed)) {
    if (smaller.length < bytes.length) writeFileSync(`${file}.${ending}`, smaller);
  }
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

main().catch((error: NodeJS.ErrnoException) => {
  const missing = error.code === "ERR_MODULE_NOT_FOUND";
  const what = missing ? "A package is missing: run `npm ci`. " : "";
  process.stderr.write(`Cannot build the pages. ${what}${error.message}\n`);
  process.exitCode = 1;
});
