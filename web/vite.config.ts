import { existsSync } from "node:fs";
import path from "node:path";
import { defineConfig, mergeConfig, type Plugin, type Rolldown, type UserConfig } from "vite";
import { TOOLS } from "../src/tools/registry.ts";

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
      output: { chunkFileNames },
    },
  },
};

/**
 * Chunks of the code that screens share, in this order: each has what its screens need besides the chunks before it, if another
 * screen needs it too. So a page loads a handful of files instead of one for every set of screens that share a module.
 */
const LAYERS: Record<string, string[]> = {
  factors: ["sign-in/sign-in-screen.tsx"],
  member: ["home/home-screen.tsx", "tools/tools-screen.tsx"],
  records: [
    "keys/keys-screen.tsx",
    "credits/credits-screen.tsx",
    "usage/usage-screen.tsx",
    "requests/requests-screen.tsx",
    "webhooks/webhooks-screen.tsx",
  ],
  security: ["account/account-screen.tsx"],
  playground: ["tools/tool-screen.tsx"],
};

/** A page names the file of its screen, so a screen is a chunk of its own. */
const SCREEN = /-screen\.tsx$/;

/** What the engines of the tools need is loaded where they run. */
const OF_ENGINES = /\/src\/(?:tools|api)\/|\/node_modules\/zod\//;

/**
 * What every page loads: all that these import statically, and of the first screen that most people see whatever another screen needs
 * too. Its form fields are 3 kB, which is less than a request of their own costs on the pages that change a password.
 */
const EVERYWHERE = [
  "main.tsx",
  "sign-in/requests.ts",
  "sign-in/send-again.tsx",
  "sign-in/arrival.ts",
  "passkey-obstacle.ts",
];
const FIRST_SCREEN = "sign-in/sign-up-screen.tsx";

/** What is around every screen of a user. It is loaded on demand, with the chunk that all of these screens share. */
const MEMBER_FRAME = "frame/member-pages.tsx";

const MANTINE = path.join(import.meta.dirname, "../node_modules/@mantine/core/esm");

/** The pages that React draws. */
export default defineConfig(
  mergeConfig(SHARED, {
    build: {
      rolldownOptions: {
        input: { main: path.join(import.meta.dirname, "main.tsx") },
        output: { codeSplitting: { groups: chunkGroups(), includeDependenciesRecursively: false } },
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

/** Everything that `main.tsx` imports statically is one chunk, which every page loads; then follow those of `LAYERS`. */
function chunkGroups(): Rolldown.CodeSplittingGroup[] {
  const file = (name: string) => path.join(import.meta.dirname, name);
  const reached = new Map<string, Set<string>>();
  let shared: Set<string> | undefined;

  function reachedFrom(entry: string, graph: Graph): Set<string> {
    const known = reached.get(entry);
    if (known !== undefined) return known;
    const found = new Set<string>();
    const open = [entry];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id)) continue;
      found.add(id);
      open.push(...importsOf(id, graph));
    }
    reached.set(entry, found);
    return found;
  }

  /** The modules that at least two chunks loaded on demand need. */
  function findShared(graph: Graph): Set<string> {
    const entries = new Set<string>();
    const open = [...reachedFrom(file("main.tsx"), graph)];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const entry of graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []) {
        if (entries.has(entry)) continue;
        entries.add(entry);
        open.push(...reachedFrom(entry, graph));
      }
    }
    const all = [...entries].flatMap((entry) => [...reachedFrom(entry, graph)]);
    const counts = Map.groupBy(all, (id) => id);
    return new Set(all.filter((id) => (counts.get(id)?.length ?? 0) > 1 && !SCREEN.test(id)));
  }

  const layers = Object.entries(LAYERS).map(([name, screens], turn, all) => ({
    debugName: name,
    priority: all.length - turn,
    name: (id: string, graph: Graph) => {
      shared ??= findShared(graph);
      const isReached = (screen: string) => reachedFrom(file(screen), graph).has(id);
      if (name === "member" && reachedFrom(file(MEMBER_FRAME), graph).has(id)) return name;
      const isLate = OF_ENGINES.test(id) && name !== "playground";
      return shared.has(id) && !isLate && screens.some(isReached) ? name : null;
    },
  }));
  const main = {
    debugName: "main",
    priority: Object.keys(LAYERS).length + 1,
    // The styling of components is needed whichever component it is.
    name: (id: string, graph: Graph) => {
      const isReached = (entry: string) => reachedFrom(file(entry), graph).has(id);
      shared ??= findShared(graph);
      return id.startsWith(path.join(MANTINE, "core/")) ||
        EVERYWHERE.some(isReached) ||
        (shared.has(id) && isReached(FIRST_SCREEN))
        ? "main"
        : null;
    },
  };
  return [main, ...layers];
}

type Graph = Rolldown.ChunkingContext;

/** What a module imports statically. Of Mantine's index, which imports every component, only the components that are named. */
function importsOf(id: string, graph: Graph): string[] {
  const { importedIds = [], code = "" } = graph.getModuleInfo(id) ?? {};
  const index = path.join(MANTINE, "index.mjs");
  if (!importedIds.includes(index)) return [...importedIds];
  const lists = (code ?? "").matchAll(/import\s*\{([^}]*)\}\s*from\s*["']@mantine\/core["']/g);
  const components = [...lists]
    .flatMap(([, list = ""]) => list.split(","))
    .map((name) => name.trim().split(/\s/)[0] ?? "")
    .map((name) => path.join(MANTINE, "components", name, `${name}.mjs`))
    .filter((component) => existsSync(component));
  return [...importedIds.filter((imported) => imported !== index), ...components];
}

/** Names the file of a tool's engine after the tool: the module itself is always called `tool.ts`. */
function chunkFileNames({ facadeModuleId }: { facadeModuleId: string | null }): string {
  const tool = /\/src\/tools\/([^/]+)\/tool\.ts$/.exec(facadeModuleId ?? "")?.[1];
  return `assets/${tool ?? "[name]"}-[hash].js`;
}

/**
 * A module derived from the registry, so a new tool needs no change in `web/`: what the pages show of a tool before its code is
 * loaded.
 */
function virtualTools(): Plugin {
  const modules: Record<string, () => string> = {
    "virtual:tools": () => {
      const list = TOOLS.map(({ name, title, summary }) => ({ name, title, summary }));
      return `export const TOOL_LIST = ${JSON.stringify(list)};`;
    },
  };
  return {
    name: "virtual-tools",
    resolveId: (id) => (Object.hasOwn(modules, id) ? `\0${id}` : undefined),
    load: (id) => modules[id.slice(1)]?.(),
  };
}
