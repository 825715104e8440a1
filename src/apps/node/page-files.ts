import path from "node:path";
import type { PageAssets } from "#site/page-options.ts";
import type { BuiltPages } from "#site/site-context.ts";
import type { NodeLog } from "./log.ts";
import { openPages } from "./pages.ts";
import { siteSources } from "./site-assets.ts";

/** The built pages of this checkout, as the site uses them. */
export function openNodePages(dataDir: string, log: NodeLog): BuiltPages & { close(): void } {
  if (process.env["VITE_DEV_SERVER"] !== undefined) return SOURCE_PAGES;
  const { serveAsset, assetsFor, settled, close } = openPages({
    checkout: CHECKOUT,
    dataDir,
    say: (text) => process.stdout.write(text),
    logError: log.logError,
  });
  let front: PageAssets | null = null;
  void settled.then(async () => {
    const assets = await assetsFor(FRONT_ENTRY);
    front = assets && { script: assets.scripts[0] ?? null, files: assets.files };
  });
  return { serveAsset, assetsFor, close, frontAssets: () => front };
}

/** The script of server-rendered pages. */
const FRONT_ENTRY = "front/main.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const SOURCES: PageAssets = { script: FRONT_ENTRY, files: siteSources(CHECKOUT) };

/** With `npm run dev` pages name the sources of `web/`, which Vite serves; nothing is built. */
const SOURCE_PAGES: BuiltPages & { close(): void } = {
  serveAsset: async () => new Response("There is no such file.\n", { status: 404 }),
  assetsFor: async (entry) => ({
    scripts: [entry],
    styles: [],
    preloads: [],
    firstPaint: "",
    files: SOURCES.files,
  }),
  frontAssets: () => SOURCES,
  close() {},
};
