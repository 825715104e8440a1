import { readFileSync } from "node:fs";
import path from "node:path";
import { type BuildOptions, build } from "esbuild";
import { type Edge, startEdge } from "../test/http/edge.ts";

/** The Worker of a checkout in its own workerd, bundled and minified as Wrangler does it. Keys are made with this secret. */
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

const mainOf = (root: string) => path.join(root, "src/apps/edge/api-worker.ts");

/** Returns the Worker of a checkout as it is deployed. */
export async function bundleWorker(root: string): Promise<Uint8Array> {
  const { outputFiles } = await build({ ...AS_WRANGLER, entryPoints: [mainOf(root)] });
  return (outputFiles[0] as { contents: Uint8Array }).contents;
}

/** Starts a checkout's Worker with the route of `edge-worker.ts`. */
export async function startToolboothWorker(root: string, folder: string): Promise<Edge> {
  const file = path.join(import.meta.dirname, "edge-worker.ts");
  const own = "../src/apps/edge/api-worker.ts";
  const contents = readFileSync(file, "utf8").replaceAll(own, mainOf(root));
  const { outputFiles } = await build({
    ...AS_WRANGLER,
    stdin: { contents, loader: "ts", resolveDir: root },
  });
  // The highest possible limit: calls are counted, but none is rejected.
  const texts = { SECRET: EDGE_SECRET, PUBLIC_URL: "https://edge.test", RATE_LIMIT: "1000000" };
  return startEdge(outputFiles[0]?.text ?? "", { folder, texts });
}

/** A Worker that reads the body, because workerd drops the connection otherwise, and responds with a constant. */
export const startBareWorker = (folder: string): Promise<Edge> => startEdge(BARE, { folder });

const BARE = `
export class AccountLedger {}
export default { async fetch(request) {
  await request.arrayBuffer();
  return new Response('{"ok":true}', { headers: { "Content-Type": "application/json" } });
} };`;
