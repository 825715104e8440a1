import { parentPort, workerData } from "node:worker_threads";
import { type BatchItem, type BatchResult, createBatchRunner } from "./batch.ts";
import {
  createJournal,
  JOURNAL_ROWS_MAX,
  JOURNAL_ROWS_MIN,
  JOURNAL_SLICE_ROWS,
} from "./journal.ts";
import { openNodeSqlite } from "./node.ts";

/** A message of the thread, as JSON: the results of a batch, or a fault of its maintenance between two batches. */
export type ThreadMessage = { commitMs: number; results: BatchResult[] } | { fault: string };

/** The thread that owns the ledger's connection. It receives a batch, commits it and sends the results, one batch at a time. */
const port = parentPort;
if (port === null) throw new Error("This file is the ledger's thread; it is started by thread.ts");
const send = (message: ThreadMessage) => port.postMessage(JSON.stringify(message));

const driver = openNodeSqlite((workerData as { file: string }).file);
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

/** Sums some thousand debits of one account, which takes about 5 ms. What fails here is done by the upkeep or by reading the usage. */
function sumDebits(): void {
  const [account] = unsummed;
  if (account === undefined) return;
  const [result] = runBatch([["sumUsage", { account }]]);
  const hasMore =
    result !== undefined && "value" in result && (result.value as { more: boolean }).more;
  if (!hasMore) unsummed.delete(account);
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
  // After the results were sent, so that only the next batch waits for it.
  drainJournal();
  sumDebits();
});
port.postMessage("ready");
