import type { MessagePort } from "node:worker_threads";
import type { Ledger, LedgerOperation } from "#ledger/port.ts";
import { type AccountImports, importsOver } from "#ledger/transfer/account-moves.ts";
import { type BatchResult, ledgerOver, outcomeOf } from "../ledger/store-ledger.ts";
import { resultOf } from "./batch.ts";
import type { PerformTask, Tasks } from "./tasks.ts";
import type { SqliteThread } from "./thread.ts";

/**
 * The way of another thread to the ledger: it sends its orders to the thread that has the queue of the ledger's thread. So they share
 * batches with those of calls, and its retries and bounds.
 */
type Asked = { id: number } & (
  | { operation: LedgerOperation; order: unknown }
  | { task: keyof Tasks; order: unknown }
);
type OrderResult = { id: number; result: BatchResult };

/** Carries out what comes through the port, until the other side closes it. */
export function serveOrders(
  port: MessagePort,
  { ledger, perform }: Pick<SqliteThread, "ledger" | "perform">,
): void {
  port.on("message", async (asked: Asked) => {
    const result = await resultOf(() =>
      "task" in asked
        ? perform(asked.task, asked.order as never)
        : ledger[asked.operation](asked.order as never),
    );
    port.postMessage({ id: asked.id, result } satisfies OrderResult);
  });
  // The other side may end without a word.
  port.unref();
}

export type RemoteLedger = {
  ledger: Ledger;
  perform: PerformTask;
  imports: AccountImports;
  close(): void;
};

/** The other end of the port. */
export function openRemoteLedger(port: MessagePort): RemoteLedger {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let count = 0;
  port.on("message", ({ id, result }: OrderResult) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    const outcome = outcomeOf(result);
    if (outcome instanceof Error) asked?.reject(outcome);
    else asked?.resolve(outcome);
  });
  function ask(order: { operation: LedgerOperation } | { task: keyof Tasks }, value: unknown) {
    const asked = Promise.withResolvers<unknown>();
    count += 1;
    waiting.set(count, asked);
    port.postMessage({ id: count, ...order, order: value });
    return asked.promise;
  }
  const perform = ((task: keyof Tasks, order: unknown) => ask({ task }, order)) as PerformTask;
  return {
    ledger: ledgerOver((operation, order) => ask({ operation }, order)),
    perform,
    imports: importsOver(perform),
    close: () => port.close(),
  };
}
