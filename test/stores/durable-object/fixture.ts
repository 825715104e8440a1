import assert from "node:assert/strict";
import { once } from "node:events";
import { after } from "node:test";
import type { MoveOperations } from "#ledger/transfer/account-moves.ts";
import {
  callLedgerOfObjects,
  ledgerOfObjects,
  requestLong,
  reversalsOfObjects,
} from "#stores/durable-object/ledger.ts";
import { requestLogOfObjects } from "#stores/durable-object/request-log-stub.ts";
import type { BatchStub, LedgerStub, MovingStub } from "#stores/durable-object/rpc.ts";
import { importsOfObjects } from "#stores/durable-object/transfer.ts";
import type { SumOrder, SumUsage } from "#stores/ledger/store-ledger.ts";
import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import { unwrap } from "#stores/sqlite/batch.ts";
import { bundleWorker, startEdge } from "../../http/edge.ts";
import type { Deployment } from "./worker.ts";

/** Objects in a real workerd, which all test files of this process share. */
let running: ReturnType<typeof start> | undefined;
let opened = 0;

after(async () => (await running)?.close());

async function start() {
  const { code } = await bundleWorker("stores/durable-object/worker.ts");
  const log: string[] = [];
  const edge = await startEdge(code, {
    beside: {
      unsafeInspectDurableObjects: true,
      handleStructuredLogs: ({ message }) => void log.push(message),
    },
  });
  const socket = new WebSocket(edge.base);
  await once(socket, "open");
  type Result = { id: number; value: never } | { id: number; error: string };
  const waiting = new Map<number, (result: Result) => void>();
  socket.addEventListener("message", ({ data }) => {
    const result = JSON.parse(String(data)) as Result;
    waiting.get(result.id)?.(result);
    waiting.delete(result.id);
  });
  let asked = 0;
  return {
    log,
    ask: (object: string, order: unknown) =>
      new Promise<never>((resolve, reject) => {
        asked += 1;
        waiting.set(asked, (result) =>
          "error" in result ? reject(new Error(result.error)) : resolve(result.value),
        );
        socket.send(JSON.stringify({ id: asked, object, asked: order }));
      }),
    evict: (name: string) =>
      edge.miniflare
        .unsafeEvictDurableObject("edge", "AccountLedger", { name })
        // On a busy machine it may have been evicted for its idleness.
        .catch((error: Error) => assert.match(error.message, /not currently running/)),
    async close() {
      socket.close();
      await edge.close();
    },
  };
}

const workerd = () => (running ??= start());

async function ask(object: string, order: unknown): Promise<never> {
  const { ask } = await workerd();
  return ask(object, order);
}

/** The lines that the objects wrote to their console so far. */
export const consoleOfObjects = async () => (await workerd()).log;

/** So that a busy machine rejects no order. */
const PATIENCE_MS = 600_000;

/** A new object. */
export function openObject() {
  opened += 1;
  const name = `object ${opened}`;
  const stub: LedgerStub = {
    perform: (operation, order) => ask(name, { name: operation, order }),
    call: (kind, order, callsPerSecond) => ask(name, { kind, order, callsPerSecond }),
  };
  const batch: BatchStub = {
    performAll: (items) => ask(name, { method: "performAll", order: items }),
  };
  const moving: MovingStub = { move: (moved, order) => ask(name, { moved, order }) };
  return {
    ledger: ledgerOfObjects(() => stub, PATIENCE_MS),
    ledgerEvents: createLedgerEvents(
      { batch: (queries) => ask(name, { method: "batch", order: queries }) },
      "sqlite",
    ),
    sumUsage: async (order: SumOrder) =>
      unwrap(await stub.perform("sumUsage", order)) as Awaited<ReturnType<SumUsage>>,
    calls: (callsPerSecond: number) => callLedgerOfObjects(() => stub, callsPerSecond),
    requests: requestLogOfObjects(() => ({
      requestLog: (requests, order) => ask(name, { requests, order }),
    })),
    reverseAll: reversalsOfObjects(() => batch),
    performAll: batch.performAll,
    moves: {
      ...importsOfObjects(() => moving),
      exportRecords: (order: MoveOperations["exportRecords"][0]) =>
        requestLong(() => moving.move("exportRecords", order)) as Promise<
          MoveOperations["exportRecords"][1]
        >,
    },
    alarmAt: (): Promise<number | null> => ask(name, { method: "alarmAt" }),
    wakeIn: (ms: number): Promise<null> => ask(name, { method: "wakeIn", order: { ms } }),
    wake: (): Promise<null> => ask(name, { method: "wake" }),
    countRows: (table: string): Promise<number> =>
      ask(name, { method: "countRows", order: { table } }),
    rows: (query: string): Promise<Record<string, unknown>[]> =>
      ask(name, { method: "rows", order: { query } }),
    /** Evicts the object, as the platform does; it starts again with its next request, with the code of this deployment. */
    async restart({ migrations = [], settings = {} }: Partial<Deployment> = {}): Promise<void> {
      await ask(name, { deploy: { migrations, settings } });
      await (await workerd()).evict(name);
    },
  };
}
