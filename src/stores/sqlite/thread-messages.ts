import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import {
  type BatchItem,
  type BatchResult,
  outcomeOf,
  type StoreOperation,
} from "../ledger/store-ledger.ts";
import type { WalState } from "./checkpoints.ts";
import type { Tasks } from "./tasks.ts";

/** What the main thread and the ledger's thread send each other. */

/** To the thread: a batch (`packOrders`), a task, or the order to close after what was sent before. */
export type ThreadOrder =
  | { batch: unknown[] }
  | { task: keyof Tasks; order: unknown }
  | { close: true };

/**
 * From the thread: the results of a batch (`packResults`) and how long its transaction took, the result of the task that was sent first
 * of those without one, a fault of the maintenance between two batches, or the state of the log.
 */
export type ThreadMessage =
  | { results: unknown[]; commitMs: number }
  | { done: BatchResult }
  | { fault: string }
  | { wal: WalState };

/*
 * Almost all orders are debits, and almost all of them succeed. Both cross as the values of their fields, one after the other in one
 * array for the batch: cloning an object with names for each debit takes two and a half times as long.
 */

/** For each order its name; then the fields of a debit in this order, or any other order as it is. */
export function packOrders(items: readonly BatchItem[]): unknown[] {
  const values: unknown[] = [];
  for (const [name, order] of items) {
    if (name !== "debit") {
      values.push(name, order);
      continue;
    }
    const { account, keySha256, callId, tool, credits, freeCallCredits } = order as DebitOrder;
    const { now, address, idempotency, namesKey } = order as DebitOrder;
    values.push(name, account, keySha256, callId, tool, credits, freeCallCredits);
    values.push(now, idempotency, address, namesKey);
  }
  return values;
}

/** The inverse of `packOrders`. */
export function unpackOrders(values: readonly unknown[]): BatchItem[] {
  const items: BatchItem[] = [];
  let at = 0;
  const next = <Value>() => values[at++] as Value;
  while (at < values.length) {
    const name = next<StoreOperation>();
    if (name !== "debit") {
      items.push([name, next()]);
      continue;
    }
    const order: DebitOrder = {
      account: next(),
      keySha256: next(),
      callId: next(),
      tool: next(),
      credits: next(),
      freeCallCredits: next(),
      now: next(),
      idempotency: next(),
    };
    const address = next<DebitOrder["address"]>();
    if (address !== undefined) order.address = address;
    const namesKey = next<DebitOrder["namesKey"]>();
    if (namesKey !== undefined) order.namesKey = namesKey;
    items.push([name, order]);
  }
  return items;
}

/** For each order three values if it is a debit that was made, or its result as it is. */
export function packResults(results: readonly BatchResult[]): unknown[] {
  const values: unknown[] = [];
  for (const result of results) {
    const outcome = ("value" in result ? result.value : null) as DebitOutcome | null;
    if (outcome?.outcome === "debited" && outcome.keyId === undefined)
      values.push(outcome.charged, outcome.balance, outcome.keyRate);
    else values.push(result);
  }
  return values;
}

/** Returns the outcome of each order, or its error. */
export function unpackOutcomes(values: readonly unknown[]): unknown[] {
  const outcomes: unknown[] = [];
  let at = 0;
  while (at < values.length) {
    const charged = values[at];
    if (typeof charged !== "number") {
      outcomes.push(outcomeOf(charged as BatchResult));
      at += 1;
      continue;
    }
    const outcome = { outcome: "debited", charged, balance: values[at + 1] };
    const keyRate = values[at + 2];
    outcomes.push(keyRate === undefined ? outcome : { ...outcome, keyRate });
    at += 3;
  }
  return outcomes;
}
