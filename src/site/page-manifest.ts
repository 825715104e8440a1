import type { AppAssets } from "./app-shell.ts";

/** As Vite writes it. The keys are the names of sources, below `web/`. */
export type PageManifest = Record<string, Chunk>;
type Chunk = { file: string; imports?: string[] };

/** All styles are one file. */
const STYLE = "style.css";
const EARLY = "colour-scheme.ts";

/** What a page needs at first: the entry, and the screen that will be shown. */
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
    early: manifest[EARLY]?.file ?? null,
    firstPaint,
  };
}

/** A chunk, after everything that it imports at once. */
function below(manifest: PageManifest, name: string, seen = new Set<string>()): Chunk[] {
  const chunk = manifest[name];
  if (chunk === undefined || seen.has(name)) return [];
  seen.add(name);
  return [...(chunk.imports ?? []).flatMap((next) => below(manifest, next, seen)), chunk];
}
