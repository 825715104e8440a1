import type { AppAssets } from "./app-shell.ts";
import { siteFilesOf } from "./site-files.ts";

/** The files of a build, besides those that browsers load: Vite's manifest, and the styles in the head of every page. */
export const MANIFEST = "manifest.json";
export const FIRST_PAINT = "first-paint.css";

/** Vite's manifest. The keys are source files below `web/`. */
export type PageManifest = Record<string, Chunk>;
type Chunk = { file: string; imports?: string[] };

/** All styles are in one file. */
const STYLE = "style.css";

/** The files that a page loads first: the entry and the screen. Throws where the build has no such entry. */
export function assetsOf(
  manifest: PageManifest,
  firstPaint: string,
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
    firstPaint,
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
