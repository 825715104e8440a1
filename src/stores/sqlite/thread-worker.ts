import { parentPort, workerData } from "node:worker_threads";
import { type CopyOrder, copySqliteOpen } from "./backup.ts";
import { type BatchResult, createBatchRunner } from "./batch.ts";
import { createCheckpoints, type WalState } from "./checkpoints.ts";
import {
  createJournal,
  JOURNAL_ROWS_MAX,
  JOURNAL_ROWS_MIN,
  JOURNAL_SLICE_ROWS,
} from "./journal.ts";
import { openNodeSqlite } from "./node.ts";
import { createThreadServer } from "./thread-server.ts";

/** What the thread is started with. `memory` is shared with the client whose port is that of the thread. */
export type ThreadData = { file: string; bell: Int32Array; memory: SharedArrayBuffer };

/**
 * A message of the thread, as JSON: the results of a batch (null if all of them are in the shared memory), a fault of its maintenance
 * between two batches, the state of the log, or that a copy was made, with null or its error.
 */
export type ThreadMessage =
  | { results: BatchResult[] | null }
  | { fault: string }
  | { wal: WalState }
  | { copied: string | null };

/**
 * The thread that owns the ledger's connection. It takes a batch from the memory that it shares with its client, commits it and sends
 * the results, one batch at a time.
 */
const port = parentPort;
if (port === null) throw new Error("This file is the ledger's thread; it is started by thread.ts");
const send = (message: ThreadMessage) => port.postMessage(JSON.stringify(message));

const { file, bell, memory } = workerData as ThreadData;
const driver = openNodeSqlite(file);
const checkpoints = createCheckpoints(driver, () => performance.now());
const WAL_REPORT_MS = 1_000;
const walReports = setInterval(() => send({ wal: checkpoints.tick() }), WAL_REPORT_MS);
const journal = createJournal(driver);
let journalRows = journal.count();
let drainFrom = JOURNAL_ROWS_MIN;
let isDrainFailing = false;
const ROWS_BETWEEN_TRIES = 2_000;
/** Accounts whose debits should be summed. */
const unsummed = new Set<string>();
const runBatch = createBatchRunner(driver, {
  onDebits(count) {
    journalRows += count;
  },
  onUnsummed(account) {
    unsummed.add(account);
  },
});

/** Counting the journal's accounts is expensive, so it is done only when the journal may be large enough. */
function isWorthDraining(): boolean {
  if (journalRows < drainFrom) return false;
  if (journalRows < JOURNAL_ROWS_MAX) drainFrom = journal.drainFrom();
  return journalRows >= drainFrom;
}

/** Drains the journal if it pays off. After a failure, a later batch tries again. Only the first of several failures is reported. */
function drainJournal(): void {
  if (!isWorthDraining()) return;
  try {
    driver.transaction("write", () => journal.drain(JOURNAL_SLICE_ROWS));
    journalRows = journal.count();
    drainFrom = JOURNAL_ROWS_MIN;
    isDrainFailing = false;
  } catch (error) {
    // Try again after this number of further debits.
    journalRows -= ROWS_BETWEEN_TRIES;
    if (!isDrainFailing) send({ fault: (error as Error).message });
    isDrainFailing = true;
  }
}

function copy(order: CopyOrder): void {
  try {
    copySqliteOpen(driver, order);
    send({ copied: null });
  } catch (error) {
    send({ copied: (error as Error).message });
  }
}

/** Sums some thousand debits of one account, which takes about 5 ms. What fails here is done by the upkeep or by reading the usage. */
function sumDebits(): void {
  const [account] = unsummed;
  if (account === undefined) return;
  const [result] = runBatch([["sumUsage", { account }]]);
  const hasMore =
    result !== undefined && "value" in result && (result.value as { more: boolean }).more;
  if (!hasMore) unsummed.delete(account);
}

let isClosed = false;
function close(): void {
  isClosed = true;
  clearInterval(walReports);
  driver.close();
  port?.close();
}

const server = createThreadServer(port, memory, (order) => {
  if ("copy" in order) copy(order.copy);
  else close();
});

/** Returns false if no batch was sent. */
function serve(): boolean {
  const items = server.take();
  if (items === null) return false;
  const started = performance.now();
  const results = runBatch(items);
  send({ results: server.finish(results, performance.now() - started) });
  // After the results were sent, so that only the next batch waits for it.
  drainJournal();
  checkpoints.afterBatch(items.length);
  sumDebits();
  return true;
}

/** Timers are late by this much at most. Waking up takes some microseconds. */
const WAIT_MS = 100;
let heard = 0;

/**
 * The thread waits on the bell, because the event loop takes several times as long to wake up and to deliver a message. Between two
 * waits the event loop runs once, for timers and messages. Whatever is sent after the bell was read last ends the next wait at once.
 */
function turn(): void {
  if (isClosed) return;
  if (!serve() && !isClosed) Atomics.wait(bell, 0, heard, WAIT_MS);
  heard = Atomics.load(bell, 0);
  setImmediate(turn);
}
setImmediate(turn);
port.postMessage("ready");
