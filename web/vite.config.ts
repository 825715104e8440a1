import { existsSync } from "node:fs";
import path from "node:path";
import { defineConfig, type Plugin } from "vite";
import { TOOLS } from "../src/tools/registry.ts";

/**
 * How the pages are built; src/apps/node/build.ts runs it and says where to. Everything that comes out is a file with
 * its content's hash in its name, below `assets/`: no inline script, no `data:` asset, as the pages' policy asks.
 */
export default defineConfig({
  root: import.meta.dirname,
  // Every address is relative to the file that names it, so the service may be published below a path.
  base: "./",
  publicDir: false,
  clearScreen: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic" } },
  plugins: [virtualTools()],
  worker: { format: "es", rolldownOptions: { output: { chunkFileNames } } },
  build: {
    target: "es2023",
    manifest: "manifest.json",
    assetsInlineLimit: 0,
    // The components' styles are by far the most of it, and one file cannot be missing when a screen is changed.
    cssCodeSplit: false,
    sourcemap: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // `"use client"` in packages speaks to servers that render React; here there is none.
      onLog: (level, log, show) => log.code !== "MODULE_LEVEL_DIRECTIVE" && show(level, log),
      input: {
        // The pages that React draws, and those that the server renders.
        main: path.join(import.meta.dirname, "main.tsx"),
        front: path.join(import.meta.dirname, "front", "main.ts"),
        "colour-scheme": path.join(import.meta.dirname, "colour-scheme.ts"),
      },
      output: { chunkFileNames },
    },
  },
});

/** Names the file of a tool's engine after the tool: the module itself is always called `tool.ts`. */
function chunkFileNames({ facadeModuleId }: { facadeModuleId: string | null }): string {
  const tool = /\/src\/tools\/([^/]+)\/tool\.ts$/.exec(facadeModuleId ?? "")?.[1];
  return `assets/${tool ?? "[name]"}-[hash].js`;
}

/**
 * The module `virtual:tools`: what the pages show of a tool before its code is loaded, and its result view where
 * `tools/<name>.tsx` exists. Both are derived from the registry, so a new tool needs no change in `web/`.
 */
function virtualTools(): Plugin {
  const resolvedId = "\0virtual:tools";
  return {
    name: "virtual-tools",
    resolveId: (id) => (id === "virtual:tools" ? resolvedId : undefined),
    load(id) {
      if (id !== resolvedId) return undefined;
      const list = TOOLS.map(({ name, title, summary }) => ({ name, title, summary }));
      const views = TOOLS.map(({ name }) => ({
        name: JSON.stringify(name),
        file: path.join(import.meta.dirname, "tools", `${name}.tsx`),
      })).filter(({ file }) => existsSync(file));
      return [
        ...views.map(({ file }, at) => `import view${at} from ${JSON.stringify(file)};`),
        `export const TOOL_LIST = ${JSON.stringify(list)};`,
        `export const RESULT_VIEWS = { ${views.map(({ name }, at) => `${name}: view${at}`).join(", ")} };`,
      ].join("\n");
    },
  };
}
