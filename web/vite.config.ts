import path from "node:path";
import { defineConfig } from "vite";

/**
 * The build of the dashboard; src/apps/node/build.ts runs it and sets the output folder. Every output file is below
 * `assets/` with a content hash in its name. The Content-Security-Policy forbids inline scripts and `data:` assets.
 */
export default defineConfig({
  root: import.meta.dirname,
  // URLs are relative to the file that contains them, so that the service can be published under a path.
  base: "./",
  publicDir: false,
  clearScreen: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic" } },
  worker: { format: "es" },
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
        "colour-scheme": path.join(import.meta.dirname, "colour-scheme.ts"),
      },
    },
  },
});
