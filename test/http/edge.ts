/** A Worker in a workerd of its own, from npm and without a network, with an object for each account. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { COMPATIBILITY_DATE } from "../support/wrangler-config.ts";

type Bundle = { code: string; imports: string[] };
const bundles = new Map<string, Promise<Bundle>>();

/**
 * A Worker as one module, and what it imports from outside. `entry`: a file below `test/`. `beside`: modules that stay apart. A process
 * bundles each entry once.
 */
export function bundleWorker(entry: string, beside: readonly string[] = []): Promise<Bundle> {
  const name = [entry, ...beside].join(" ");
  const bundle = bundles.get(name) ?? bundleAnew(entry, beside);
  bundles.set(name, bundle);
  return bundle;
}

async function bundleAnew(entry: string, beside: readonly string[]): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...bundling(entry),
    external: [...OUTSIDE, ...beside],
  });
  const imports = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.map((each) => each.path),
  );
  return { code: outputFiles[0]?.text ?? "", imports };
}

/** What the platform does not have must show as an import and not stop the bundling. */
const OUTSIDE = ["node:*", "cloudflare:*"];

/** How Wrangler bundles a Worker. */
export const bundling = (entry: string) => ({
  entryPoints: [path.join(import.meta.dirname, "..", entry)],
  bundle: true as const,
  write: false as const,
  metafile: true as const,
  format: "esm" as const,
  target: "es2024",
  conditions: ["workerd", "worker", "browser"],
  external: OUTSIDE,
  logLevel: "silent" as const,
});

export type Edge = {
  base: string;
  port: number;
  pid: number;
  miniflare: Miniflare;
  close(): Promise<void>;
};

type Options = Exclude<Parameters<typeof convertV4MiniflareOptions>[0], { workers: unknown }>;

export type EdgeSettings = {
  /** Where the objects' databases are; left out, they go with the process. */
  folder?: string;
  texts?: Record<string, string>;
  /** Databases, services and whatever else a test needs beside the objects. */
  beside?: Partial<
    Pick<
      Options,
      | "d1Databases"
      | "serviceBindings"
      | "inspectorPort"
      | "handleStructuredLogs"
      | "unsafeInspectDurableObjects"
    >
  >;
};

export async function startEdge(
  code: string,
  { folder, texts = {}, beside = {} }: EdgeSettings = {},
): Promise<Edge> {
  const before = new Set(childrenOf(process.pid));
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      name: "edge",
      modules: [{ type: "ESModule", path: "worker.mjs", contents: code }],
      compatibilityDate: COMPATIBILITY_DATE,
      durableObjects: { LEDGER: { className: "AccountLedger", useSQLite: true } },
      // By which a test's Worker can be a client of itself, and go away in the middle as no client outside could.
      serviceBindings: { SELF: "edge" },
      bindings: texts,
      // Past the simulator's own Worker, which would read what ours leaves unread.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      host: "127.0.0.1",
      cf: false,
      ...beside,
    }),
    ...(folder === undefined ? {} : { resourcePersistencePath: folder }),
  });
  await miniflare.ready;
  const { origin, port } = await miniflare.unsafeGetDirectURL();
  const pid = childrenOf(process.pid).find(
    (child) => !before.has(child) && /workerd/.test(commandOf(child)),
  );
  if (pid === undefined) throw new Error("no workerd was started");
  return { base: origin, port: Number(port), pid, miniflare, close: () => miniflare.dispose() };
}

/** By parent, as the system tells; what ends meanwhile is left out. */
function childrenOf(parent: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? readProcess(name, "stat") : "";
    const [, parentOf] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(parentOf) === parent ? [Number(name)] : [];
  });
}

const commandOf = (pid: number) => readProcess(String(pid), "cmdline");

function readProcess(pid: string, about: "stat" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${about}`, "utf8");
  } catch {
    return "";
  }
}
