import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** What a browser would load: bytes as minified by esbuild, and those bytes by gzip at its highest level. */
export type Bundle = { name: string; entry: string; minifiedBytes: number; gzippedBytes: number };

const ROOT = path.join(import.meta.dirname, "..");
const ENTRIES = [
  { name: "engine", entry: "src/tools/markdown/render-markdown.ts" },
  { name: "tool with its schema", entry: "src/tools/markdown-render.ts" },
];

export function measureBundles(): Promise<Bundle[]> {
  return Promise.all(ENTRIES.map(measureBundle));
}

async function measureBundle({ name, entry }: { name: string; entry: string }): Promise<Bundle> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "browser",
    minify: true,
    write: false,
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const gzipped = gzipSync(code, { level: 9 });
  return { name, entry, minifiedBytes: code.byteLength, gzippedBytes: gzipped.byteLength };
}
