import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { showTable } from "./report.ts";

/** The size of browser bundles in bytes, minified by esbuild, and with gzip at its highest level. */
export type Bundle = { name: string; minifiedBytes: number; gzippedBytes: number };

const ROOT = path.join(import.meta.dirname, "..");

/** Bundles by name, with the files below `src/tools` that they export. */
export function measureBundles(entries: Record<string, readonly string[]>): Promise<Bundle[]> {
  return Promise.all(
    Object.entries(entries).map(async ([name, files]) => {
      const { outputFiles } = await build({
        stdin: {
          contents: files
            .map((file) => `export * from ${JSON.stringify(`./src/tools/${file}`)};`)
            .join("\n"),
          resolveDir: ROOT,
        },
        bundle: true,
        format: "esm",
        platform: "browser",
        minify: true,
        write: false,
      });
      const code = outputFiles[0]?.contents ?? new Uint8Array();
      const gzippedBytes = gzipSync(code, { level: 9 }).byteLength;
      return { name, minifiedBytes: code.byteLength, gzippedBytes };
    }),
  );
}

/** A target for a measured value. */
export type Aim = { aim: string; reached: boolean; amount: number };

/** Formats the end of a report: the sizes of the bundles, and which targets were reached. */
export function showBundlesAndAims(bundles: readonly Bundle[], aims: readonly Aim[]): string[] {
  return [
    "Bundle for browsers, bytes",
    showTable(
      ["bundle", "minified", "gzip -9"],
      bundles.map((one) => [one.name, String(one.minifiedBytes), String(one.gzippedBytes)]),
    ),
    ...aims.map(
      ({ aim, reached, amount }) => `${reached ? "reached" : "missed "}  ${aim}: ${amount}`,
    ),
  ];
}
