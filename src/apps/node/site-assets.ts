import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { PageManifest } from "#site/page-manifest.ts";
import { manifestKey, SITE_FILES, type SiteFileName, type SiteFiles } from "#site/site-files.ts";
import { MANIFEST } from "./pages-folder.ts";

const FONTS: Partial<Record<SiteFileName, string>> = {
  "sans.woff2": "figtree",
  "mono.woff2": "atkinson-hyperlegible-mono",
};

/** Where a file of every page is in the checkout: fonts come from npm; `npm run images` draws the images. */
function sourceOf(name: SiteFileName): string {
  const font = FONTS[name];
  return font === undefined
    ? `web/images/${name}`
    : `node_modules/@fontsource-variable/${font}/files/${font}-latin-wght-normal.woff2`;
}

/** Adds the fonts and images to a build, and to its manifest. */
export function addSiteFiles(checkout: string, folder: string): void {
  const file = path.join(folder, MANIFEST);
  const manifest = JSON.parse(readFileSync(file, "utf8")) as PageManifest;
  for (const name of SITE_FILES) {
    const bytes = readFileSync(path.join(checkout, sourceOf(name)));
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
    const { name: stem, ext } = path.parse(name);
    const output = `assets/${stem}-${hash}${ext}`;
    writeFileSync(path.join(folder, output), bytes);
    manifest[manifestKey(name)] = { file: output };
  }
  writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/** The same files where Vite serves the sources: it knows fonts by their path on this machine, and images by that below `web/`. */
export const siteSources = (checkout: string): SiteFiles =>
  Object.fromEntries(
    SITE_FILES.map((name) => {
      const source = sourceOf(name);
      const isOfWeb = source.startsWith("web/");
      return [name, isOfWeb ? source.slice("web/".length) : `@fs${path.join(checkout, source)}`];
    }),
  ) as SiteFiles;
