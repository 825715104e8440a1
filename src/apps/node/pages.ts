import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { AppAssets } from "#site/app-shell.ts";
import { buildPlaces, findBuild, findUnchanged, ONLY_PAGES } from "./pages-folder.ts";
import { hashPageSources } from "./pages-source.ts";
import { type PageStore, readPageStore } from "./pages-store.ts";

/** The React pages built from this checkout. The API does not depend on them. */
export type NodePages = {
  /** Serves `/assets/<name>`. */
  serveAsset(name: string, request: Request): Promise<Response>;
  /** Returns the files for the head of a page; null without a build. Waits a while for a running build. */
  assetsFor(entry: string, screen?: string): Promise<AppAssets | null>;
  /** Resolves when the pages are ready or their build has failed. */
  settled: Promise<void>;
  /** Stops a running build. */
  close(): void;
};

export type PageOptions = {
  checkout: string;
  dataDir: string;
  /** Prints to the terminal. */
  say: (text: string) => void;
  logError: (text: string, facts: { cause: unknown }) => void;
};

/** How long a page request waits for a running build before it asks the client to retry. */
const PATIENCE_MS = 15_000;
/** A build takes seconds; after this it counts as hung. */
const BUILD_TIMEOUT_MS = 180_000;

export function openPages(options: PageOptions): NodePages {
  let store: PageStore | null = null;
  const ending = new AbortController();
  const settled = prepare(options, ending.signal).then(
    (ready) => {
      store = ready;
    },
    (cause: unknown) => {
      if (!ending.signal.aborted) options.logError("Building the pages failed", { cause });
    },
  );

  const whenSettled = (): Promise<PageStore | null> =>
    Promise.race([settled, setTimeout(PATIENCE_MS, undefined, { ref: false })]).then(() => store);

  return {
    settled,
    close: () => ending.abort(),
    async serveAsset(name, request) {
      const ready = store ?? (await whenSettled());
      return ready?.response(name, request) ?? away();
    },
    async assetsFor(entry, screen) {
      const ready = store ?? (await whenSettled());
      return ready?.assetsFor(entry, screen) ?? null;
    },
  };
}

async function prepare(options: PageOptions, signal: AbortSignal): Promise<PageStore> {
  const { checkout, dataDir, say } = options;
  const places = buildPlaces(checkout, dataDir);
  const unchanged = findUnchanged(places, checkout);
  if (unchanged !== undefined) return readPageStore(unchanged);
  const hash = hashPageSources(checkout);
  const there = findBuild(places, hash);
  if (there !== undefined) return readPageStore(there);
  say("Building the pages; the API is already available.\n");
  const said = await build(checkout, dataDir, signal);
  const made = findBuild(places, hash);
  if (made === undefined) throw new Error("The sources changed during the build");
  const store = readPageStore(made);
  say(said);
  return store;
}

/** Builds in a separate process, because the bundler's memory is needed for seconds only. */
function build(checkout: string, dataDir: string, signal: AbortSignal): Promise<string> {
  const script = path.join(checkout, "src", "apps", "node", "build.ts");
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", script, ONLY_PAGES],
    {
      cwd: checkout,
      env: buildEnvironment(dataDir),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: BUILD_TIMEOUT_MS,
      signal,
    },
  );
  return outcome(child);
}

/** Passes only the data folder on: the bundler's code must not see the service's secrets. */
function buildEnvironment(dataDir: string): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), NODE_ENV: "production", DATA_DIR: path.resolve(dataDir) };
}

function outcome(child: ChildProcess): Promise<string> {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] = (texts[name] + text).slice(-8_000);
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(texts.stdout);
      else reject(new Error(texts.stderr.trim() || `The build ended with ${signal ?? code}`));
    });
  });
}

function away(): Response {
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
