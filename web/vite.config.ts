import { existsSync } from "node:fs";
import path from "node:path";
import { defineConfig, type Plugin } from "vite";
import { TOOLS } from "../src/tools/registry.ts";

/**
 * The build of the dashboard; src/apps/node/build.ts runs it and sets the output folder. Every output file is below
 * `assets/` with a content hash in its name. The Content-Security-Policy forbids
 * inline scripts of the build and `data:` assets.
 */
export default defineConfig({
  root: import.meta.dirname,
  // URLs are relative to the file that contains them, so that the service can be published under a path.
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
    // Component styles are most of the CSS, and a single file cannot be missing when the user changes screens.
    cssCodeSplit: false,
    sourcemap: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Packages contain `"use client"` for servers that render React; here none does.
      onLog: (level, log, show) => log.code !== "MODULE_LEVEL_DIRECTIVE" && show(level, log),
      input: {
        // main: the dashboard, rendered by React. front: the pages that the server renders.
        main: path.join(import.meta.dirname, "main.tsx"),
        front: path.join(import.meta.dirname, "front", "main.ts"),
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
 * Two modules derived from the registry, so a new tool needs no change in `web/`. `virtual:tools` is what the pages show of a
 * tool before its code is loaded. `virtual:tool-views` has its result view where `tools/<name>.tsx` exists.
 */
function virtualTools(): Plugin {
  const modules: Record<string, () => string> = {
    "virtual:tools": () => {
      const list = TOOLS.map(({ name, title, summary }) => ({ name, title, summary }));
      return `export const TOOL_LIST = ${JSON.stringify(list)};`;
    },
    "virtual:tool-views": () => {
      const views = TOOLS.map(({ name }) => ({
        name: JSON.stringify(name),
        file: path.join(import.meta.dirname, "tools", `${name}.tsx`),
      })).filter(({ file }) => existsSync(file));
      return [
        ...views.map(({ file }, at) => `import view${at} from ${JSON.stringify(file)};`),
        `export const RESULT_VIEWS = { ${views.map(({ name }, at) => `${name}: view${at}`).join(", ")} };`,
      ].join("\n");
    },
  };
  return {
    name: "virtual-tools",
    resolveId: (id) => (Object.hasOwn(modules, id) ? `\0${id}` : undefined),
    load: (id) => modules[id.slice(1)]?.(),
  };
}
