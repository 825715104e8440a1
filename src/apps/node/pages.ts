import { execFile } from "node:child_process";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { FRONT_ENTRY, frontAssetsOf } from "#site/page-manifest.ts";
import type { PageAssets } from "#site/page-options.ts";
import type { BuiltPages } from "#site/site-context.ts";
import { manifestKey, SITE_FILES, type SiteFiles } from "#site/site-files.ts";
import { findBuild, hashSources, pagesPlaces } from "./builds.js";
import { type PageStore, readPageStore } from "./pages-store.ts";

/** The pages of `web/`. The API does not depend on them. */
export type NodePages = BuiltPages & {
  /** Resolves when the pages are ready or their build has failed. Asking for it is a request for them. */
  readonly settled: Promise<void>;
  /** Stops a running build. */
  close(): void;
};

export type PageOptions = BuildOptions & {
  logError: (text: string, facts: { cause: unknown }) => void;
};

type BuildOptions = {
  checkout: string;
  dataDir: string;
  /** Prints to the terminal. */
  say: (text: string) => void;
};

/** How long a page request waits for a running build before it asks the client to retry. */
const PATIENCE_MS = 15_000;
/** A build takes seconds; after this it counts as hung. */
const BUILD_TIMEOUT_MS = 180_000;

/**
 * Finds the pages that were built from the present sources, and reads them with the first request for one, because calls need none of
 * them. Where there are none, it builds them at once, beside the running server.
 */
export function openPages(options: PageOptions): NodePages {
  let store: PageStore | null = null;
  let front: PageAssets | null = null;
  let settled: Promise<void> | undefined;
  const there = findPages(options);
  const ending = new AbortController();
  const keep = (ready: PageStore) => {
    front = frontAssetsOf(ready.assetsFor(FRONT_ENTRY));
    store = ready;
  };
  const fail = (cause: unknown) => {
    if (!ending.signal.aborted) options.logError("Building the pages failed", { cause });
  };
  /** Pages that are built are there when this returns. */
  function settle(): Promise<void> {
    if (settled !== undefined) return settled;
    if (there === undefined) {
      options.say("Building the pages; the API is already available.\n");
      settled = build(options, ending.signal).then(readPageStore).then(keep).catch(fail);
      return settled;
    }
    settled = Promise.resolve();
    try {
      keep(readPageStore(there));
    } catch (cause) {
      fail(cause);
    }
    return settled;
  }
  const whenSettled = (): Promise<PageStore | null> =>
    Promise.race([settle(), setTimeout(PATIENCE_MS, undefined, { ref: false })]).then(() => store);
  if (there === undefined) void settle();

  return {
    get settled() {
      return settle();
    },
    close: () => ending.abort(),
    frontAssets() {
      void settle();
      return front;
    },
    async serveAsset(name, request) {
      const ready = store ?? (await whenSettled());
      return ready?.response(name, request) ?? notBuilt();
    },
    async assetsFor(entry, screen) {
      const ready = store ?? (await whenSettled());
      return ready?.assetsFor(entry, screen) ?? null;
    },
  };
}

/** Returns the build of the present sources. */
const findPages = ({ checkout, dataDir }: BuildOptions): string | undefined =>
  findBuild(pagesPlaces(checkout, dataDir), hashSources(checkout, "pages"));

/** The same for who cannot do without it: builds it if there is none. Returns the folder. */
export const builtPages = async (options: BuildOptions): Promise<string> =>
  findPages(options) ?? (await build(options));

async function build(options: BuildOptions, signal?: AbortSignal): Promise<string> {
  const { checkout, dataDir, say } = options;
  // A separate process, because the bundler's memory is needed for seconds only.
  const script = path.join(checkout, "src/apps/node/build.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", script, "pages"],
    {
      cwd: checkout,
      env: buildEnvironment(dataDir),
      timeout: BUILD_TIMEOUT_MS,
      ...(signal && { signal }),
    },
  );
  const made = findPages(options);
  if (made === undefined) throw new Error("The sources changed during the build");
  say(stdout);
  return made;
}

/** Passes only the data folder on: the bundler's code must not see the service's secrets. */
function buildEnvironment(dataDir: string): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), NODE_ENV: "production", DATA_DIR: path.resolve(dataDir) };
}

function notBuilt(): Response {
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "Retry-After": "10",
  };
  return new Response("The pages are not built yet. Try again in a few seconds.\n", {
    status: 503,
    headers,
  });
}

/** With `npm run dev`, pages name the sources of `web/`, which Vite serves (`web/vite.dev.ts`). */
export function sourcePages(): NodePages {
  const files = Object.fromEntries(
    SITE_FILES.map((name) => [name, manifestKey(name)]),
  ) as SiteFiles;
  // Without a build it comes from Vite, a moment later.
  const early = 'import("/front/early.ts")';
  const front = { script: FRONT_ENTRY, files, early };
  return {
    serveAsset: async () => new Response("There is no such file.\n", { status: 404 }),
    assetsFor: async (entry) => ({
      // Hot reload of React needs the first two.
      scripts: ["@vite/client", "@id/@vitejs/plugin-react/preamble", entry],
      styles: [],
      preloads: [],
      firstPaint: "",
      early,
      files,
    }),
    frontAssets: () => front,
    settled: Promise.resolve(),
    close() {},
  };
}
