import { parentPort, workerData } from "node:worker_threads";
import { type BatchItem, createBatchRunner } from "./batch.ts";
import { openNodeSqlite } from "./node.ts";

/** The thread that owns the ledger's connection: takes a batch, commits it, answers. One batch at a time. */
const port = parentPort;
if (port === null)
  throw new Error("This file is the ledger's thread; it is started by sqlite-thread.ts");

const driver = openNodeSqlite((workerData as { file: string }).file);
const runBatch = createBatchRunner(driver);

port.on("message", (text: string) => {
  if (text === "close") {
    driver.close();
    port.close();
    return;
  }
  const started = performance.now();
  const results = runBatch(JSON.parse(text) as BatchItem[]);
  port.postMessage(JSON.stringify({ commitMs: performance.now() - started, results }));
});
port.postMessage("ready");
