import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import {
  callLedgerOfObjects,
  ledgerOfObjects,
  movesOfObjects,
  reversalsOfObjects,
} from "#stores/durable-object/ledger.ts";
import { requestLogOfObjects } from "#stores/durable-object/request-log-stub.ts";
import type { BatchStub, LedgerStub, MovingStub } from "#stores/durable-object/rpc.ts";
import type { Migration } from "#stores/schema/migrations.ts";
import { bundleWorker, type Edge, startEdge } from "../../http/edge.ts";

/** Objects in a real workerd, whose databases are files in a folder that is deleted after the tests. */
export function openObjects() {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-objects-"));
  let running: Edge | undefined;
  const log: string[] = [];

  // Not with the first order: the time that a busy machine takes to start workerd would count towards the order's.
  before(async () => {
    running = await start(folder, [], {}, log);
  });
  after(async () => {
    await running?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(object: string, body: unknown): Promise<never> {
    if (running === undefined) throw new Error("workerd is not running");
    const { base } = running;
    const headers = { "x-test-object": object };
    const response = await fetch(base, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as never;
  }

  return {
    object(name: string) {
      const stub: LedgerStub = {
        perform: (operation, order) => ask(name, { name: operation, order }),
        call: (kind, order, callsPerSecond) => ask(name, { kind, order, callsPerSecond }),
      };
      const batch: BatchStub = {
        performAll: (items) => ask(name, { method: "performAll", order: items }),
      };
      const moving = (method: keyof MovingStub) => (order: unknown) => ask(name, { method, order });
      const movingStub: MovingStub = {
        exportRecords: moving("exportRecords"),
        beginImport: moving("beginImport"),
        importRecords: moving("importRecords"),
        finishImport: moving("finishImport"),
      };
      return {
        ledger: ledgerOfObjects(() => stub),
        calls: (callsPerSecond: number) => callLedgerOfObjects(() => stub, callsPerSecond),
        requests: requestLogOfObjects(() => ({
          requestLog: (requests, order) => ask(name, { requests, order }),
        })),
        reverseAll: reversalsOfObjects(() => batch),
        performAll: batch.performAll,
        moves: movesOfObjects(() => movingStub),
        alarmAt: (): Promise<number | null> => ask(name, { method: "alarmAt" }),
        wakeIn: (ms: number): Promise<null> => ask(name, { method: "wakeIn", order: { ms } }),
        wake: (): Promise<null> => ask(name, { method: "wake" }),
        countRows: (table: string): Promise<number> =>
          ask(name, { method: "countRows", order: { table } }),
        rows: (query: string): Promise<Record<string, unknown>[]> =>
          ask(name, { method: "rows", order: { query } }),
      };
    },
    /**
     * Restarts the process as the platform does; `migrations`: those of another release, which follow this release's; `settings`: those
     * of the Worker from now on.
     */
    async restart(migrations: readonly Migration[] = [], settings: Record<string, string> = {}) {
      await running?.close();
      running = await start(folder, migrations, settings, log);
    },
    /** The lines that the objects wrote to their console. */
    log,
  };
}

async function start(
  folder: string,
  migrations: readonly Migration[],
  settings: Record<string, string>,
  log: string[],
): Promise<Edge> {
  const { code } = await bundleWorker("stores/durable-object/worker.ts");
  const texts = { ...settings, TEST_MIGRATIONS: JSON.stringify(migrations) };
  const beside = {
    handleStructuredLogs: ({ message }: { message: string }) => void log.push(message),
  };
  return startEdge(code, { folder, texts, beside });
}
