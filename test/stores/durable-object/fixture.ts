import assert from "node:assert/strict";
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
import { type SumOrder, type SumUsage, unwrap } from "#stores/ledger/store-ledger.ts";
import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import { bundleWorker, startEdge } from "../../http/edge.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { openSocketCalls } from "../../support/socket-calls.ts";
import type { Asked, Deployment } from "./worker.ts";

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
  const { call, close } = await openSocketCalls(edge.base);
  return {
    log,
    call,
    evict: (name: string) =>
      edge.miniflare
        .unsafeEvictDurableObject("edge", "AccountLedger", { name })
        // On a busy machine it may have been evicted for its idleness.
        .catch((error: Error) => assert.match(error.message, /not currently running/)),
    async close() {
      close();
      await edge.close();
    },
  };
}

const workerd = () => (running ??= start());

async function ask(object: string, asked: Asked): Promise<never> {
  return (await (await workerd()).call({ object, asked })) as never;
}

/** The lines that the objects wrote to their console so far. */
export const consoleOfObjects = async () => (await workerd()).log;

/** A new object. */
export function openObject() {
  opened += 1;
  const name = `object ${opened}`;
  const call = (method: string, ...given: unknown[]) => ask(name, { method, given });
  const stub: LedgerStub = {
    perform: (operation, order) => call("perform", operation, order),
    call: (...given) => call("call", ...given),
  };
  const batch: BatchStub = { performAll: (items) => call("performAll", items) };
  const moving: MovingStub = { move: (moved, order) => call("move", moved, order) };
  return {
    ledger: ledgerOfObjects(() => stub, HANGS_MS),
    ledgerEvents: createLedgerEvents({ batch: (queries) => call("batch", queries) }, "sqlite"),
    sumUsage: async (order: SumOrder) =>
      unwrap(await stub.perform("sumUsage", order)) as Awaited<ReturnType<SumUsage>>,
    calls: (callsPerSecond: number) => callLedgerOfObjects(() => stub, callsPerSecond),
    requests: requestLogOfObjects(() => ({
      requestLog: (requests, order) => call("requestLog", requests, order),
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
    alarmAt: (): Promise<number | null> => call("alarmAt"),
    wakeIn: (ms: number): Promise<null> => call("wakeIn", ms),
    wake: (): Promise<null> => call("wake"),
    countRows: (table: string): Promise<number> => call("countRows", table),
    rows: (query: string): Promise<Record<string, unknown>[]> => call("rows", query),
    /** Evicts the object, as the platform does; it starts again with its next request, with the code of this deployment. */
    async restart({ migrations = [], settings = {} }: Partial<Deployment> = {}): Promise<void> {
      await ask(name, { deploy: { migrations, settings } });
      await (await workerd()).evict(name);
    },
  };
}
