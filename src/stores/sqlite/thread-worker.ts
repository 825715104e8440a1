import { parentPort, workerData } from "node:worker_threads";
import { type BatchItem, type BatchResult, createBatchRunner } from "./batch.ts";
import {
  createJournal,
  JOURNAL_ROWS_MAX,
  JOURNAL_ROWS_MIN,
  JOURNAL_SLICE_ROWS,
} from "./journal.ts";
import { openNodeSqlite } from "./node.ts";

/** What the thread sends, as JSON: the results of a batch, or what failed in its own work between two batches. */
export type ThreadMessage = { commitMs: number; results: BatchResult[] } | { fault: string };

/** The thread that owns the ledger's connection: takes a batch, commits it, sends its results. One batch at a time. */
const port = parentPort;
if (port === null) throw new Error("This file is the ledger's thread; it is started by thread.ts");
const send = (message: ThreadMessage) => port.postMessage(JSON.stringify(message));

const driver = openNodeSqlite((workerData as { file: string }).file);
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

/** How many accounts the journal has is counted once or a few times before it is moved. */
function isWorthDraining(): boolean {
  if (journalRows < drainFrom) return false;
  if (journalRows < JOURNAL_ROWS_MAX) drainFrom = journal.drainFrom();
  return journalRows >= drainFrom;
}

/** A slice that cannot be moved now is moved after a later batch. The first of several failures in a row is reported. */
function drainJournal(): void {
  if (!isWorthDraining()) return;
  try {
    driver.transaction("write", () => journal.drain(JOURNAL_SLICE_ROWS));
    journalRows = journal.count();
    drainFrom = JOURNAL_ROWS_MIN;
    isDrainFailing = false;
  } catch (error) {
    // It is tried again when so many more debits have come.
    journalRows -= ROWS_BETWEEN_TRIES;
    if (!isDrainFailing) send({ fault: (error as Error).message });
    isDrainFailing = true;
  }
}

port.on("message", (text: string) => {
  if (text === "close") {
    driver.close();
    port.close();
    return;
  }
  const started = performance.now();
  const results = runBatch(JSON.parse(text) as BatchItem[]);
  send({ commitMs: performance.now() - started, results });
  // The responses are on their way; the next batch waits for this.
  drainJournal();
});
port.postMessage("ready");
