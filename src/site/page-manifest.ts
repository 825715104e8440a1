import type { PageAssets } from "./page-options.ts";
import { type SiteFiles, siteFilesOf } from "./site-files.ts";

/** The files of a build, besides those that browsers load: Vite's manifest, and what the server writes into pages. */
export const MANIFEST = "manifest.json";
export const INLINE = "inline.json";

/** What is inline in the head of pages: the early script of all, and the styles of the frame of those that React draws. */
export type InlineTexts = { early: string; firstPaint: string };

/** What a page that React draws loads first, as paths below the service, such as `assets/main-1a2b3c.js`. */
export type AppAssets = InlineTexts & {
  scripts: string[];
  styles: string[];
  /** Modules that the scripts import. */
  preloads: string[];
  /** Fonts and images; null where the build does not have them. */
  files: SiteFiles | null;
};

/** Vite's manifest. The keys are source files below `web/`. */
export type PageManifest = Record<string, Chunk>;
type Chunk = { file: string; imports?: string[] };

/** The script of the pages that the server renders. */
export const FRONT_ENTRY = "front/main.ts";
/** All styles are in one file. */
const STYLE = "style.css";

/** What the pages that the server renders load, of the assets of `FRONT_ENTRY`. */
export const frontAssetsOf = ({ scripts, files, early }: AppAssets): PageAssets => ({
  script: scripts[0] ?? null,
  files,
  early,
});

/** Of the entry and the screen. Throws where the build has no such entry. */
export function assetsOf(
  manifest: PageManifest,
  inline: InlineTexts,
  entry: string,
  screen?: string,
): AppAssets {
  const main = manifest[entry];
  if (main === undefined) throw new Error(`The build of the pages has no ${entry}`);
  const names = screen === undefined ? [entry] : [entry, screen];
  const chunks = names.flatMap((name) => below(manifest, name));
  const preloads = new Set(chunks.map(({ file }) => file));
  preloads.delete(main.file);
  return {
    scripts: [main.file],
    styles: [manifest[STYLE]?.file ?? []].flat(),
    preloads: [...preloads],
    ...inline,
    files: siteFilesOf(manifest),
  };
}

/** A chunk, after the chunks that it imports. */
function below(manifest: PageManifest, name: string, seen = new Set<string>()): Chunk[] {
  const chunk = manifest[name];
  if (chunk === undefined || seen.has(name)) return [];
  seen.add(name);
  return [...(chunk.imports ?? []).flatMap((next) => below(manifest, next, seen)), chunk];
}
