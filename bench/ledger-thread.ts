import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DebitOrder } from "#ledger/port.ts";
import { type BatchItem, createBatchRunner } from "#stores/sqlite/batch.ts";
import { createCheckpoints } from "#stores/sqlite/checkpoints.ts";
import { createJournal, JOURNAL_ROWS_MAX, JOURNAL_SLICE_ROWS } from "#stores/sqlite/journal.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";

/**
 * CPU time of the ledger's thread per debit, in batches of 64 of random accounts, without threads and HTTP:
 * `node bench/ledger-thread.ts [batches] [accounts…]`. `batches`: the fastest tenth of chunks of ten batches, which other programs
 * on the machine affect least. `between`: moves of the journal and checkpoints, on average. `longest`: the longest time between batches.
 */
const BATCH = 64;
const CHUNK = 10;
const WARM_UP = 400;

const [batches = 1_000, ...counts] = process.argv.slice(2).map(Number);

function measure(accounts: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-ledger-"));
  const file = path.join(folder, "ledger.sqlite");
  const driver = openNodeSqlite(file);
  try {
    return run(driver, accounts);
  } finally {
    driver.close();
    rmSync(folder, { recursive: true });
  }
}

type Driver = ReturnType<typeof openNodeSqlite>;

function run(driver: Driver, accounts: number): string {
  fillAccounts(driver, accounts);
  const journal = createJournal(driver);
  const checkpoints = createCheckpoints(driver, () => performance.now());
  let journaled = 0;
  const runBatch = createBatchRunner(driver, {
    onDebits: (count) => {
      journaled += count;
    },
  });
  /** As the ledger's thread does (thread-worker.ts). */
  const betweenBatches = () => {
    if (journaled >= JOURNAL_ROWS_MAX || (journaled >= 2_000 && journaled >= journal.drainFrom())) {
      driver.transaction("write", () => journal.drain(JOURNAL_SLICE_ROWS));
      journaled = journal.count();
    }
    checkpoints.afterBatch(BATCH);
  };
  const chunks: number[] = [];
  let [chunk, between, longest] = [0, 0, 0];
  for (let batch = -WARM_UP; batch < batches; batch += 1) {
    const items = makeBatch(accounts);
    const started = cpuMicros();
    const [first] = runBatch(items);
    const ran = cpuMicros();
    const startedAt = performance.now();
    betweenBatches();
    const waited = performance.now() - startedAt;
    if (JSON.stringify(first).includes('"debited"') === false) throw new Error("No debit");
    if (batch < 0) continue;
    chunk += ran - started;
    between += cpuMicros() - ran;
    longest = Math.max(longest, waited);
    if (batch % CHUNK !== CHUNK - 1) continue;
    chunks.push(chunk / CHUNK / BATCH);
    chunk = 0;
  }
  const fast = chunks.sort((one, other) => one - other)[Math.floor(chunks.length / 10)] ?? 0;
  return `batches ${fast.toFixed(1)} µs, between ${(between / batches / BATCH).toFixed(1)} µs, longest ${longest.toFixed(0)} ms`;
}

function cpuMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

const idOf = (account: number) => `acc_${String(account).padStart(22, "0")}`;
const sha256Of = (account: number) => account.toString(16).padStart(64, "0");

function fillAccounts(driver: Driver, accounts: number): void {
  driver.transaction("write", () => {
    const prepare = (table: string, columns: string, values: string) =>
      driver.prepare(`INSERT INTO ${table} (${columns}) VALUES (${values})`);
    const account = prepare(
      "account",
      "id, created_at, free_call, notified_level, front_grant",
      "?, 0, 'used', 'enough', 'all'",
    );
    const key = prepare(
      "api_key",
      "account_no, id, sha256, start, label, created_at",
      "?, ?, ?, 'tb_live_ab', 'bench', 0",
    );
    const grant = prepare(
      "credit_grant",
      "account_no, id, kind, amount, remaining, spent, granted_at",
      "?, 'all', 'pack', 100000000, 100000000, 0, 0",
    );
    for (let no = 1; no <= accounts; no += 1) {
      account.run(idOf(no));
      key.run(no, `key_${no}`, sha256Of(no));
      grant.run(no);
    }
  });
}

let calls = 0;

/** Through JSON, so that texts are as new as those of another thread. */
function makeBatch(accounts: number): BatchItem[] {
  const items = Array.from({ length: BATCH }, () => {
    const no = 1 + Math.floor(Math.random() * accounts);
    calls += 1;
    const order: DebitOrder = {
      account: idOf(no),
      keySha256: sha256Of(no),
      now: Date.now(),
      callId: `call_${calls.toString(36).padStart(20, "0")}`,
      tool: "hash",
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    };
    return ["debit", order];
  });
  return JSON.parse(JSON.stringify(items)) as BatchItem[];
}

for (const accounts of counts.length > 0 ? counts : [1, 16, 1_000, 100_000])
  console.log(`${accounts} accounts: ${measure(accounts)}`);
