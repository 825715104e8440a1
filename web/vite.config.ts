import path from "node:path";
import { defineConfig, mergeConfig, type Rolldown, type UserConfig } from "vite";

/**
 * What both builds share; src/apps/node/build.ts runs them and sets the output folder. Every output file is below
 * `assets/` with a content hash in its name. The Content-Security-Policy forbids `data:` assets.
 */
const SHARED: UserConfig = {
  root: import.meta.dirname,
  // URLs are relative to the file that contains them, so that the service can be published under a path.
  base: "./",
  publicDir: false,
  clearScreen: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic" } },
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
      output: { chunkFileNames },
    },
  },
};

/** What the engines of the tools need is loaded where they run, and all styles are one file. */
const NOT_SHARED = /\/src\/(?:tools|api)\/|\/node_modules\/zod\/|\.css$/;

/**
 * What screens share, in three chunks, each with all that its modules import besides the chunks before it: what signing in needs, so
 * that it loads nothing else; what is around every page of a user; and the rest. So a page loads a handful of files, and no screen is
 * part of a chunk that others load.
 */
const GROUPS: Rolldown.CodeSplittingGroup[] = [
  { name: "main", priority: 3, test: /\/web\/(?:main|sign-in\/sign-in-screen)\.tsx$/ },
  {
    name: "member",
    priority: 2,
    test: /\/web\/(?:frame\/[\w-]+|member-queries|parts\/(?:chart|icon|language-tabs|query-result|section)|requests\/request-text|home\/(?:sample-call|first-call[\w-]*)|keys\/reveal-key)\.tsx?$/,
  },
  { name: "shared", priority: 1, minShareCount: 2, test: (id) => !NOT_SHARED.test(id) },
];

/** The pages that React draws. */
export default defineConfig(
  mergeConfig(SHARED, {
    build: {
      rolldownOptions: {
        input: { main: path.join(import.meta.dirname, "main.tsx") },
        output: { codeSplitting: { groups: GROUPS } },
      },
    },
  } satisfies UserConfig),
);

/**
 * The script of the pages that the server renders. It is a build of its own, because what it shared with the React pages would
 * become chunks that each of their loads had to request.
 */
export const frontConfig = defineConfig(
  mergeConfig(SHARED, {
    build: {
      rolldownOptions: { input: { front: path.join(import.meta.dirname, "front", "main.ts") } },
    },
  } satisfies UserConfig),
);

/** Names the file of a tool's engine after the tool: the module itself is always called `tool.ts`. */
function chunkFileNames({ facadeModuleId }: { facadeModuleId: string | null }): string {
  const tool = /\/src\/tools\/([^/]+)\/tool\.ts$/.exec(facadeModuleId ?? "")?.[1];
  return `assets/${tool ?? "[name]"}-[hash].js`;
}
