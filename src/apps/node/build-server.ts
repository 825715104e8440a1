import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Plugin } from "esbuild";
import {
  areUnchanged,
  builtCodePlace,
  findBuiltCode,
  RECORD_EVERY_MS,
  STAMPS,
  stampFiles,
  WRAPPER,
} from "./built-code.js";
import { makeUnfinished, publishBuild } from "./pages-folder.ts";

/** What a build depends on besides the sources that it contains. */
const TOOLING = [
  "package.json",
  "package-lock.json",
  "src/apps/node/build-server.ts",
  "src/apps/node/built-code.js",
];

/** The processes; their threads are found in the sources. */
const PROCESSES = { main: "src/apps/node/main.ts", cli: "src/apps/cli/main.ts" };

/** Running servers start threads again from the build that they run. */
const KEPT = 4;

/**
 * Bundles the server and the command line, one bundle for each thread, and runs them once for V8's cache of compiled code. Returns
 * the folder; null if a build of the present sources is there already.
 */
export async function buildServer(checkout: string): Promise<string | null> {
  if (findBuiltCode(checkout) !== undefined) return null;
  const sources = listSources(checkout);
  // Before the bundler reads them: what changes afterwards must not look like what was built.
  const stamps = stampFiles(checkout, [...sources, ...TOOLING]);
  const { place, folder } = makeUnfinished([builtCodePlace(checkout)]);
  try {
    const found = findThreads(checkout, sources);
    const inputs = await bundle(checkout, folder, found);
    const used = Object.fromEntries(
      Object.entries(stamps).filter(([name]) => inputs.has(name) || TOOLING.includes(name)),
    );
    if (!areUnchanged(checkout, used)) throw new Error("The sources changed during the build");
    const names = Object.keys({ ...PROCESSES, ...found.threads });
    writeLoaders(checkout, folder, names, "recordBuilt");
    await warmUp(folder);
    removeInterrupted(folder);
    writeLoaders(checkout, folder, names, "loadBuilt");
    writeFileSync(path.join(folder, STAMPS), JSON.stringify(used));
    const hash = createHash("sha256")
      .update(JSON.stringify(hashesOf(used)))
      .digest("hex");
    return publishBuild(folder, place, hash.slice(0, 16), KEPT);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the files that processes and threads are started with. */
function writeLoaders(
  checkout: string,
  folder: string,
  names: readonly string[],
  load: "loadBuilt" | "recordBuilt",
): void {
  const from = path.relative(folder, path.join(checkout, "src/apps/node/built-code.js"));
  for (const name of names) {
    const lines = [
      `import { ${load} } from ${JSON.stringify(from)};`,
      `export default ${load}(import.meta.dirname, "${name}").default;`,
    ];
    writeFileSync(path.join(folder, `${name}.js`), `${lines.join("\n")}\n`);
  }
}

const hashesOf = (stamps: ReturnType<typeof stampFiles>) =>
  Object.entries(stamps).map(([name, { hash }]) => [name, hash]);

const listSources = (checkout: string): string[] =>
  readdirSync(path.join(checkout, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(checkout, path.join(entry.parentPath, entry.name)))
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /\.[jt]s$/.test(name) && !name.startsWith("src/apps/edge/"))
    .sort();

/** How the code names the file of a thread that it starts. */
const THREAD = /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g;

/** Returns the files that start threads, and the files of those threads by the names of their bundles. */
function findThreads(checkout: string, sources: readonly string[]) {
  const starters: string[] = [];
  const threads: Record<string, string> = {};
  for (const file of sources) {
    const text = readFileSync(path.join(checkout, file), "utf8");
    for (const [, name = ""] of text.matchAll(THREAD)) {
      starters.push(file);
      threads[name] = path.posix.join(path.posix.dirname(file), `${name}.ts`);
    }
  }
  return { starters, threads };
}

/** Returns the files that the bundles contain. */
async function bundle(
  checkout: string,
  outdir: string,
  { starters, threads }: ReturnType<typeof findThreads>,
): Promise<Set<string>> {
  // Imported late so that a missing package is reported in a sentence.
  const { build } = await import("esbuild");
  const builds = Object.entries({ ...PROCESSES, ...threads }).map(([name, entry]) =>
    build({
      absWorkingDir: checkout,
      entryPoints: { [name]: entry },
      outdir,
      outExtension: { ".js": ".cjs" },
      bundle: true,
      format: "cjs",
      platform: "node",
      target: "node24",
      // It starts threads with a file of its own. `pg` works without its native part, which is not installed.
      external: ["piscina", "pg-native"],
      // CommonJS has no `import.meta`.
      define: {
        "import.meta.dirname": "__dirname",
        "import.meta.filename": "__filename",
        "import.meta.url": "__url",
      },
      banner: { js: WRAPPER[0] ?? "" },
      footer: { js: WRAPPER[1] ?? "" },
      legalComments: "none",
      plugins: [builtThreads(checkout, starters)],
      metafile: true,
      logLevel: "error",
    }),
  );
  const inputs = (await Promise.all(builds)).map(({ metafile }) => Object.keys(metafile.inputs));
  return new Set(inputs.flat());
}

/** In built code a thread is a bundle beside the one that starts it. */
const builtThreads = (checkout: string, starters: readonly string[]): Plugin => ({
  name: "built-threads",
  setup({ onLoad }) {
    const names = starters.map((name) => path.basename(name, ".ts"));
    onLoad({ filter: new RegExp(`/(?:${names.join("|")})\\.ts$`) }, ({ path: file }) => {
      if (!starters.includes(path.relative(checkout, file))) return undefined;
      const text = readFileSync(file, "utf8");
      const contents = text.replaceAll(THREAD, 'new URL("./$1.js", import.meta.url)');
      return { loader: "ts", contents };
    });
  },
});

const WARM_UP_TIMEOUT_MS = 60_000;

/** Fills the cache of compiled code with what a start, a call and a command run. Node writes it when a process ends. */
async function warmUp(folder: string): Promise<void> {
  const data = mkdtempSync(path.join(tmpdir(), "toolbooth-build-"));
  const start = (bundle: string, ...args: string[]): ChildProcess =>
    spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", path.join(folder, `${bundle}.js`), ...args],
      {
        env: {
          PATH: process.env["PATH"],
          DATA_DIR: data,
          PORT: "0",
          TOOLBOOTH_LOG_LEVEL: "warn",
        },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: WARM_UP_TIMEOUT_MS,
      },
    );
  try {
    const server = start("main");
    const [base, key] = await readDemo(server);
    const ended = once(server, "exit");
    await fetch(`${base}/api/v1/hash`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: '{"text":"hello"}',
    });
    await sleep(2 * RECORD_EVERY_MS);
    server.kill("SIGTERM");
    await ended;
    await once(start("cli", "account", "list"), "exit");
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Removes what a thread that was ended by force had begun to write. */
function removeInterrupted(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (/\.compiled\.\d+$/.test(name)) rmSync(path.join(folder, name));
  }
}

/** Reads the address and the demo key from the start message. Rejects with what the server wrote if it ends. */
function readDemo(server: ChildProcess): Promise<[base: string, key: string]> {
  const { promise, resolve, reject } = Promise.withResolvers<[string, string]>();
  let written = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      written += text;
      const base = /listens on (\S+)/.exec(written)?.[1];
      const key = /^ {2}(tb_\w+)$/m.exec(written)?.[1];
      if (base !== undefined && key !== undefined) resolve([base, key]);
    });
  }
  server.once("error", reject);
  server.once("exit", () => reject(new Error(`The built server does not start: ${written}`)));
  return promise;
}
