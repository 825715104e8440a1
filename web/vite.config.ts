import path from "node:path";
import { defineConfig } from "vite";

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
  worker: { format: "es" },
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
    },
  },
});
