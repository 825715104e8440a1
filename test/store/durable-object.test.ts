import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, type TestContext } from "node:test";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { ledgerOfObjects } from "#store/durable-object-ledger.ts";
import { ledgerContract, ledgerDurability } from "../contract/ledger.ts";
import { ledgerModel } from "../contract/ledger-model.ts";

/** Objects in a real workerd, whose databases are files of a folder that goes with the tests. */
const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-objects-"));
const MODEL_RUNS = Number(process.env["TEST_MODEL_RUNS"] ?? 200);
let running: Promise<{ miniflare: Miniflare; base: string }> | undefined;
let objects = 0;

after(async () => {
  await (await running)?.miniflare.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function start() {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "durable-object-worker.ts")],
    ...{ bundle: true, write: false, format: "esm", target: "es2024" },
    external: ["cloudflare:*"],
    logLevel: "silent",
  });
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      modules: [{ type: "ESModule", path: "worker.mjs", contents: outputFiles[0]?.text ?? "" }],
      compatibilityDate: "2026-01-01",
      durableObjects: { LEDGER: { className: "AccountLedger", useSQLite: true } },
      host: "127.0.0.1",
      cf: false,
    }),
    resourcePersistencePath: folder,
  });
  const base = (await miniflare.ready).href;
  return { miniflare, base };
}

async function ledgerNamed(object: string) {
  running ??= start();
  const { base } = await running;
  const ask = async (body: unknown) => {
    const headers = { "x-test-object": object };
    const response = await fetch(base, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json() as never;
  };
  return ledgerOfObjects(() => ({
    perform: (name, order) => ask({ name, order }),
    call: (kind, order, callsPerSecond) => ask({ kind, order, callsPerSecond }),
  }));
}

async function open(_: TestContext) {
  objects += 1;
  const object = `object ${objects}`;
  return {
    ledger: await ledgerNamed(object),
    async reopen() {
      await (await running)?.miniflare.dispose();
      running = undefined;
      return ledgerNamed(object);
    },
  };
}

ledgerContract("in a Durable Object", open);
// A step is a request to another process here; the statements are those of the SQLite store, which takes the whole number.
ledgerModel("in a Durable Object", open, { runs: Math.ceil(MODEL_RUNS / 10) });
ledgerDurability("in a Durable Object", open);
