import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { bundleWorker, type EdgeSettings, startEdge } from "../../http/edge.ts";
import { applyMigrations } from "../../stores/sql/d1-fixture.ts";
import { EDGE_TEXTS, ledgerAt } from "./edge-ledger.ts";

/** Runs the API Worker in its own workerd. */
export type FixtureSettings = {
  /** Returns the path of a file in this folder. */
  entry?: string;
  /** V8 flags for workerd. */
  v8Flags?: string;
  texts?: Record<string, string>;
  beside?: EdgeSettings["beside"];
};

export type WorkerFixture = Awaited<ReturnType<typeof openWorkerFixture>>;

const shared = new Map<string, Promise<WorkerFixture>>();
after(() => Promise.all([...shared.values()].map(async (each) => (await each).close())));

/** One for each of these settings, which all test files of this process share. */
export function sharedWorker(settings: FixtureSettings = {}): Promise<WorkerFixture> {
  const name = JSON.stringify(settings);
  const worker = shared.get(name) ?? openWorkerFixture(settings);
  shared.set(name, worker);
  return worker;
}

export async function openWorkerFixture({ entry, v8Flags, texts, beside }: FixtureSettings = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-edge-"));
  const { code } = await bundleWorker(`apps/edge/${entry ?? "worker-in-trouble.ts"}`);
  const log: string[] = [];
  if (v8Flags !== undefined) process.env["MINIFLARE_WORKERD_V8_FLAGS"] = v8Flags;
  const edge = await startEdge(code, {
    folder,
    texts: { ...EDGE_TEXTS, RATE_LIMIT: "0", ...texts },
    beside: {
      inspectorPort: 0,
      d1Databases: { DB: "toolbooth" },
      handleStructuredLogs: ({ message }) => void log.push(message),
      ...beside,
    },
  });
  delete process.env["MINIFLARE_WORKERD_V8_FLAGS"];
  if (beside?.d1Databases === undefined)
    await applyMigrations(await edge.miniflare.getD1Database("DB"));
  return {
    ...edge,
    /** What the Worker and its objects wrote to their console. */
    log,
    ledger: ledgerAt(edge.base),
    post: (key: string, tool: string, body: string, headers: Record<string, string> = {}) =>
      fetch(`${edge.base}/api/v1/${tool}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body,
      }),
    async close() {
      await edge.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
