import { parentPort, workerData } from "node:worker_threads";
import { createBatchRunner, resultOf } from "./batch.ts";
import { createCheckpoints } from "./checkpoints.ts";
import {
  createJournal,
  JOURNAL_ROWS_MAX,
  JOURNAL_ROWS_MIN,
  JOURNAL_SLICE_ROWS,
} from "./new-debits.ts";
import { openNodeSqlite } from "./node.ts";
import { createSqliteReads } from "./reads.ts";
import { createTasks, type Tasks } from "./tasks.ts";
import {
  packResults,
  type ThreadMessage,
  type ThreadOrder,
  unpackOrders,
} from "./thread-messages.ts";

/**
 * The thread that owns the only connection that writes to the ledger's file. It commits one batch or one task at a time and then sends
 * the results.
 */
const port = parentPort;
if (port === null) throw new Error("This file is the ledger's thread; it is started by thread.ts");
const send = (message: ThreadMessage) => port.postMessage(message);

const file = workerData as string;
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
  createReads: createSqliteReads,
  onDebits(count) {
    journalRows += count;
  },
  onUnsummed(account) {
    unsummed.add(account);
  },
});

const perform = createTasks(driver);

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

function close(): void {
  clearInterval(walReports);
  driver.close();
  port?.close();
}

function serve(batch: unknown[]): void {
  const items = unpackOrders(batch);
  const started = performance.now();
  const results = runBatch(items);
  send({ results: packResults(results), commitMs: performance.now() - started });
  // After the results were sent, so that only the next batch waits for it.
  drainJournal();
  checkpoints.afterBatch(items.length);
  sumDebits();
}

/** A task is over before the next message is received. */
async function serveTask(task: keyof Tasks, order: unknown): Promise<void> {
  send({ done: await resultOf(() => perform(task, order as never)) });
  checkpoints.afterBatch(ORDERS_A_TASK);
}

/** A task may write as many pages as a batch. */
const ORDERS_A_TASK = 32;

port.on("message", (order: ThreadOrder) => {
  if ("batch" in order) serve(order.batch);
  else if ("task" in order) void serveTask(order.task, order.order);
  else close();
});
port.postMessage("ready");
