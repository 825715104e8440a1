/** The third door: the app bundled for workerd and run by it, without Node's compatibility, called through sockets. */
import path from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import {
  type DoorSettings,
  entriesOf,
  type Opened,
  type Opener,
  PUBLIC_URL,
  SECRETS,
} from "./door.ts";
import { fetchOver } from "./node-socket.ts";

/** The worker as one module, and what it imports from outside. */
export async function bundleWorker(): Promise<{ code: string; imports: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(import.meta.dirname, "worker.ts")],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    // What the platform does not have must show as an import and not stop the bundling.
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  });
  const imports = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.map((each) => each.path),
  );
  return { code: outputFiles[0]?.text ?? "", imports };
}

let running: Promise<{ miniflare: Miniflare; base: string }> | undefined;
let houses = 0;
let open = 0;

async function start() {
  const { code } = await bundleWorker();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: "ESModule", path: "worker.mjs", contents: code }],
      compatibilityDate: "2026-01-01",
      host: "127.0.0.1",
      cf: false,
    }),
  );
  const url = await miniflare.ready;
  return { miniflare, base: url.origin };
}

export const workerd: Opener = {
  name: "in workerd",
  cannot: {
    compress: "workerd compresses for its clients by itself",
    retry_later:
      "workerd ends a request's timers with its answer, and the app has no means yet to ask for more time",
  },
  async open(settings: DoorSettings): Promise<Opened> {
    running ??= start();
    const { miniflare, base } = await running;
    houses += 1;
    open += 1;
    const house: [string, string] = ["x-test-house", String(houses)];
    const command = (to: string, value: unknown) =>
      fetchOver(base, to, { method: "POST", headers: [house], body: JSON.stringify(value) });
    const opened = await command("/test/open", {
      publicUrl: PUBLIC_URL,
      secrets: SECRETS,
      ...settings,
    });
    if (!opened.ok) throw new Error(await opened.text());
    return {
      fetch: (to, sent) =>
        fetchOver(base, to, { ...sent, headers: [...entriesOf(sent.headers), house] }),
      async perform(order) {
        const result = (await (await command("/test/perform", order)).json()) as {
          value?: unknown;
          error?: string;
        };
        if (result.error !== undefined) throw new Error(result.error);
        return result.value;
      },
      async close() {
        open -= 1;
        if (open > 0) return;
        running = undefined;
        await miniflare.dispose();
      },
    };
  },
};
