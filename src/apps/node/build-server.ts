import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Metafile, Plugin } from "esbuild";
import { writeBuild } from "./write-build.ts";

/** Bundles the server, the command line and their threads, and returns the folder. */
export const buildServer = (checkout: string): Promise<string> =>
  writeBuild(checkout, "server", [path.join(checkout, "dist/server")], async (outdir) => {
    await bundleServer(checkout, outdir);
  });

/**
 * The bundles are CommonJS: as modules they would read all properties of `node:http`, which takes a third more CPU time at the start.
 * So their code has no top-level `await`. `rewrite` changes the texts of the sources for the published package, whose bundles are smaller.
 */
export async function bundleServer(
  checkout: string,
  outdir: string,
  rewrite?: (text: string) => string,
): Promise<Metafile> {
  // Imported late so that a missing package is reported in a sentence.
  const { build } = await import("esbuild");
  const threads = globSync("src/{apps/node,stores/sqlite}/*{-thread,-worker}.ts", {
    cwd: checkout,
  });
  const { metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: {
      main: "src/apps/node/main.ts",
      cli: "src/apps/cli/main.ts",
      ...Object.fromEntries(threads.map((file) => [path.basename(file, ".ts"), file])),
    },
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    // `pg` works without its native part, which is not installed.
    external: ["pg-native"],
    define: {
      "import.meta.dirname": "__dirname",
      "import.meta.filename": "__filename",
      "import.meta.url": "__url",
    },
    banner: { js: 'const __url = require("node:url").pathToFileURL(__filename).href;' },
    legalComments: "none",
    // Names stay, because code reads some of them, and so do lines, for traces in the log.
    ...(rewrite && { minifyWhitespace: true, minifySyntax: true, lineLimit: 120 }),
    plugins: [readSources(rewrite ?? String), englishOnly],
    metafile: true,
    logLevel: "error",
  });
  return metafile;
}

/** How the sources name the file of a thread that they start. */
const THREAD = /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g;

/** Reads the sources with their texts rewritten. In a build, a thread is a bundle beside the one that starts it. */
export const readSources = (rewrite: (text: string) => string): Plugin => ({
  name: "sources",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) => ({
      loader: "ts",
      contents: rewrite(
        readFileSync(file, "utf8").replaceAll(THREAD, 'new URL("./$1.cjs", import.meta.url)'),
      ),
    })),
});

/** Nothing chooses another language than English for the messages of Zod; the other forty are a third of it. */
const englishOnly: Plugin = {
  name: "english-only",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    })),
};
