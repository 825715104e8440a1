import { parentPort, workerData } from "node:worker_threads";
import { type BatchItem, type BatchResult, createBatchRunner } from "./batch.ts";
import { createCheckpoints, type WalState } from "./checkpoints.ts";
import {
  createJournal,
  JOURNAL_ROWS_MAX,
  JOURNAL_ROWS_MIN,
  JOURNAL_SLICE_ROWS,
} from "./journal.ts";
import { openNodeSqlite } from "./node.ts";

/** A message of the thread, as JSON: the results of a batch, a fault of its maintenance between two batches, or the state of the log. */
export type ThreadMessage =
  | { commitMs: number; results: BatchResult[] }
  | { fault: string }
  | { wal: WalState };

/** The thread that owns the ledger's connection. It receives a batch, commits it and sends the results, one batch at a time. */
const port = parentPort;
if (port === null) throw new Error("This file is the ledger's thread; it is started by thread.ts");
const send = (message: ThreadMessage) => port.postMessage(JSON.stringify(message));

const driver = openNodeSqlite((workerData as { file: string }).file);
const checkpoints = createCheckpoints(driver, () => performance.now());
const WAL_REPORT_MS = 1_000;
const walReports = setInterval(() => send({ wal: checkpoints.tick() }), WAL_REPORT_MS);
const journal = createJournal(driver);
let journalRows = journal.count();
let drainFrom = JOURNAL_ROWS_MIN;
let isDrainFailing = false;
const ROWS_BETWEEN_TRIES = 2_000;
const runBatch = createBatchRunner(driver, {
  onDebits(count) {
    journalRows += count;
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

port.on("message", (text: string) => {
  if (text === "close") {
    clearInterval(walReports);
    driver.close();
    port.close();
    return;
  }
  const started = performance.now();
  const results = runBatch(JSON.parse(text) as BatchItem[]);
  send({ commitMs: performance.now() - started, results });
  // After the results were sent, so that only the next batch waits for it.
  drainJournal();
  checkpoints.afterBatch();
});
port.postMessage("ready");
