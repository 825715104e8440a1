import { parentPort, workerData } from "node:worker_threads";
import { type CopyOrder, copySqliteOpen } from "./backup.ts";
import { type BatchItem, type BatchResult, createBatchRunner } from "./batch.ts";
import { createCheckpoints, type WalState } from "./checkpoints.ts";
import {
  createJournal,
  JOURNAL_ROWS_MAX,
  JOURNAL_ROWS_MIN,
  JOURNAL_SLICE_ROWS,
} from "./journal.ts";
import { openNodeSqlite } from "./node.ts";
import { openCommitMark } from "./node-commit-mark.ts";

/**
 * A message of the thread, as JSON: the results of a batch, a fault of its maintenance between two batches, the state of the log, or
 * that a copy was made, with null or its error.
 */
export type ThreadMessage =
  | { commitMs: number; results: BatchResult[] }
  | { fault: string }
  | { wal: WalState }
  | { copied: string | null };

/** The thread that owns the ledger's connection. It receives a batch, commits it and sends the results, one batch at a time. */
const port = parentPort;
if (port === null) throw new Error("This file is the ledger's thread; it is started by thread.ts");
const send = (message: ThreadMessage) => port.postMessage(JSON.stringify(message));

const { file } = workerData as { file: string };
const driver = openNodeSqlite(file);
const mark = openCommitMark(driver, file);
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
  mark,
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

port.on("message", (text: string) => {
  if (text === "close") {
    clearInterval(walReports);
    mark.close();
    driver.close();
    port.close();
    return;
  }
  const message = JSON.parse(text) as BatchItem[] | CopyOrder;
  if (!Array.isArray(message)) {
    copy(message);
    return;
  }
  const started = performance.now();
  const results = runBatch(message);
  send({ commitMs: performance.now() - started, results });
  // After the results were sent, so that only the next batch waits for it.
  drainJournal();
  checkpoints.afterBatch(message.length);
  sumDebits();
});
port.postMessage("ready");
