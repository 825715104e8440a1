import { parentPort, workerData } from "node:worker_threads";
import { type BatchItem, createBatchRunner } from "./batch.ts";
import { createJournal, JOURNAL_ROWS_MAX, JOURNAL_SLICE_ROWS } from "./journal.ts";
import { openNodeSqlite } from "./node.ts";

/** The thread that owns the ledger's connection: takes a batch, commits it, answers. One batch at a time. */
const port = parentPort;
if (port === null) throw new Error("This file is the ledger's thread; it is started by thread.ts");

const driver = openNodeSqlite((workerData as { file: string }).file);
const journal = createJournal(driver);
let journalRows = journal.count();
const runBatch = createBatchRunner(driver, {
  onDebits(count) {
    journalRows += count;
  },
});

/** A slice that cannot be moved now is moved after a later batch; the journal may be of any length. */
function drainJournal(): void {
  if (journalRows < JOURNAL_ROWS_MAX) return;
  try {
    driver.transaction("write", () => journal.drain(JOURNAL_SLICE_ROWS));
    journalRows = journal.count();
  } catch {
    journalRows -= JOURNAL_SLICE_ROWS / 10;
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
  port.postMessage(JSON.stringify({ commitMs: performance.now() - started, results }));
  // The responses are on their way; the next batch waits for this.
  drainJournal();
});
port.postMessage("ready");
