import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type BuildOptions, build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { COMPATIBILITY_DATE } from "../test/support/wrangler-config.ts";

/**
 * Runs Workers as deployed, each in its own workerd, bundled and minified as Wrangler does it. Requests go directly to the
 * Worker, past the proxy Worker that miniflare adds for developers.
 */
export type EdgeServer = {
  name: string;
  port: number;
  pid: number;
  /** Calls the benchmark's own route of the Worker. */
  command<ApiResponse>(order: unknown): Promise<ApiResponse>;
  /** Kills the process with SIGKILL, which for a process is like a power failure. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export type EdgeWorker = {
  name: string;
  /** The file in bench/peers. */
  entry: string;
  /** Bindings to Durable Objects, with their classes. */
  objects: Record<string, string>;
  variables: Record<string, string>;
};

/** The options of Wrangler 4 with `--minify` and without `keep_names`, as in wrangler.jsonc. */
const AS_WRANGLER = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2024",
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*"],
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "silent",
} satisfies BuildOptions;

export async function startEdgeServer(worker: EdgeWorker, folder: string): Promise<EdgeServer> {
  const entry = path.resolve(import.meta.dirname, "peers", worker.entry);
  const { outputFiles } = await build({
    ...AS_WRANGLER,
    entryPoints: [entry],
    write: false,
  });
  const contents = outputFiles[0]?.text ?? "";
  const before = new Set(childrenOfThisProcess());
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      name: "bench",
      modules: [{ type: "ESModule", path: "worker.mjs", contents }],
      compatibilityDate: COMPATIBILITY_DATE,
      durableObjects: Object.fromEntries(
        Object.entries(worker.objects).map(([binding, className]) => [
          binding,
          { className, useSQLite: true },
        ]),
      ),
      bindings: worker.variables,
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      cf: false,
    }),
    resourcePersistencePath: path.join(folder, worker.name.replaceAll(/\W+/g, "-")),
  });
  const url = await miniflare.unsafeGetDirectURL();
  const pid = childrenOfThisProcess().find((child) => !before.has(child) && isWorkerd(child));
  if (pid === undefined) throw new Error(`The process of ${worker.name} was not found in /proc`);
  return {
    name: worker.name,
    port: Number(url.port),
    pid,
    async command<ApiResponse>(order: unknown) {
      const response = await fetch(url, { method: "PUT", body: JSON.stringify(order) });
      if (!response.ok) throw new Error(`${worker.name}: ${await response.text()}`);
      return (await response.json()) as ApiResponse;
    },
    async kill() {
      process.kill(pid, "SIGKILL");
      await miniflare.dispose();
    },
    stop: () => miniflare.dispose(),
  };
}

function childrenOfThisProcess(): number[] {
  const folder = `/proc/${process.pid}/task`;
  return readdirSync(folder).flatMap((thread) =>
    readFileSync(`${folder}/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

const isWorkerd = (pid: number) => /workerd/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
