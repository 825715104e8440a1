import path from "node:path";
import type { Metafile } from "esbuild";

const CHECKOUT = path.join(import.meta.dirname, "../../..");

/**
 * Bundles the API Worker, and returns its modules by name: `worker.js` has what every call needs, and each tool is a module that its
 * first call loads. Wrangler would put all of it into one file.
 */
export async function buildApiWorker(): Promise<{
  modules: Map<string, Uint8Array>;
  metafile: Metafile;
}> {
  // Imported late so that a missing package is reported in a sentence.
  const { build } = await import("esbuild");
  const outdir = path.join(CHECKOUT, "dist/edge/api");
  const { outputFiles, metafile } = await build({
    absWorkingDir: CHECKOUT,
    entryPoints: { worker: "src/apps/edge/api-worker.ts" },
    outdir,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    target: "es2024",
    // As Wrangler resolves packages.
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    legalComments: "none",
    logLevel: "error",
  });
  const modules = outputFiles.map((file) => [path.basename(file.path), file.contents] as const);
  return { modules: new Map(modules), metafile };
}
