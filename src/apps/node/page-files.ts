import path from "node:path";
import type { BuiltPages } from "#site/site-context.ts";
import type { NodeLog } from "./log.ts";
import { openPages } from "./pages.ts";

/** The built pages of this checkout, as the site uses them. */
export function openNodePages(dataDir: string, log: NodeLog): BuiltPages & { close(): void } {
  if (process.env["VITE_DEV_SERVER"] !== undefined) return SOURCE_PAGES;
  const { serveAsset, assetsFor, settled, close } = openPages({
    checkout: path.join(import.meta.dirname, "../../.."),
    dataDir,
    say: (text) => process.stdout.write(text),
    logError: log.logError,
  });
  let front: string | null = null;
  void settled.then(async () => {
    front = (await assetsFor(FRONT_ENTRY))?.scripts[0] ?? null;
  });
  return { serveAsset, assetsFor, close, frontScript: () => front };
}

/** The script of server-rendered pages. */
const FRONT_ENTRY = "front/main.ts";

/** With `npm run dev` pages name the sources of `web/`, which Vite serves; nothing is built. */
const SOURCE_PAGES: BuiltPages & { close(): void } = {
  serveAsset: async () => new Response("There is no such file.\n", { status: 404 }),
  assetsFor: async (entry) => ({
    scripts: [entry],
    styles: [],
    preloads: [],
    early: "colour-scheme.ts",
    firstPaint: "",
  }),
  frontScript: () => FRONT_ENTRY,
  close() {},
};
