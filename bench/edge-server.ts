import { readFileSync } from "node:fs";
import path from "node:path";
import { type BuildOptions, build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { childrenNamed } from "./processes.ts";

/** Runs a Worker in its own workerd, bundled and minified as Wrangler does it. Requests go past miniflare's proxy for developers. */
export type EdgeServer = { port: number; pid: number; url: URL; stop(): Promise<void> };

/** Keys are made with it. */
export const EDGE_SECRET = "a secret for measuring only";

/** The options of Wrangler 4 with `--minify`. */
const AS_WRANGLER = {
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  target: "es2024",
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*"],
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "silent",
} as const satisfies BuildOptions;

type Config = { main: string; compatibility_date: string };

/** Reads what is measured of a checkout's wrangler.jsonc: its Worker and the date of its runtime. */
function readConfig(root: string): Config {
  const text = readFileSync(path.join(root, "wrangler.jsonc"), "utf8");
  const read = (name: string) => new RegExp(`^\\s*"${name}": "([^"]+)"`, "m").exec(text)?.[1];
  return { main: read("main") ?? "", compatibility_date: read("compatibility_date") ?? "" };
}

/** Returns the Worker of a checkout as it is deployed. */
export async function bundleWorker(root: string): Promise<Uint8Array> {
  const { main } = readConfig(root);
  const { outputFiles } = await build({ ...AS_WRANGLER, entryPoints: [path.join(root, main)] });
  return (outputFiles[0] as { contents: Uint8Array }).contents;
}

/** Starts a checkout's Worker with the route of `edge-worker.ts`. */
export async function startToolboothWorker(root: string, folder: string): Promise<EdgeServer> {
  const config = readConfig(root);
  const file = path.join(import.meta.dirname, "edge-worker.ts");
  const own = "../src/apps/edge/api-worker.ts";
  const contents = readFileSync(file, "utf8").replaceAll(own, path.join(root, config.main));
  const { outputFiles } = await build({
    ...AS_WRANGLER,
    stdin: { contents, loader: "ts", resolveDir: root },
  });
  return start(outputFiles[0]?.text ?? "", config.compatibility_date, {
    durableObjects: { LEDGER: { className: "AccountLedger", useSQLite: true } },
    // The highest possible limit: calls are counted, but none is rejected.
    bindings: { SECRET: EDGE_SECRET, PUBLIC_URL: "https://edge.test", RATE_LIMIT: "1000000" },
    folder,
  });
}

/** It reads the body, because workerd drops the connection otherwise, and responds with a constant. */
const BARE = `export default { async fetch(request) {
  await request.arrayBuffer();
  return new Response('{"ok":true}', { headers: { "Content-Type": "application/json" } });
} };`;

export const startBareWorker = (root: string, folder: string): Promise<EdgeServer> =>
  start(BARE, readConfig(root).compatibility_date, { folder });

type Options = {
  durableObjects?: Record<string, { className: string; useSQLite: true }>;
  bindings?: Record<string, string>;
  folder: string;
};

async function start(
  code: string,
  compatibilityDate: string,
  { folder, ...options }: Options,
): Promise<EdgeServer> {
  const before = new Set(childrenNamed(/workerd/));
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      name: "bench",
      modules: [{ type: "ESModule", path: "worker.mjs", contents: code }],
      compatibilityDate,
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      cf: false,
      ...options,
    }),
    resourcePersistencePath: folder,
  });
  const url = await miniflare.unsafeGetDirectURL();
  const pid = childrenNamed(/workerd/).find((child) => !before.has(child));
  if (pid === undefined) throw new Error("workerd did not start");
  return { port: Number(url.port), pid, url, stop: () => miniflare.dispose() };
}
