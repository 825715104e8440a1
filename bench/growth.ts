import { statSync } from "node:fs";
import { databaseFile } from "../src/apps/node/data-folder.ts";
import { SMALL_BODIES } from "./cases.ts";
import { runOurs } from "./debits.ts";
import {
  createDataFolder,
  fillLanes,
  type LedgerAccount,
  makeDebits,
  openLedger,
  openLedgerAccounts,
} from "./ledger-fixture.ts";
import { makeRequest, runFlatOut } from "./load.ts";
import { cpuMicrosOf, settle } from "./process-cpu.ts";
import { medianOf, round, showTable } from "./report.ts";
import { makeDataDir, type Server, startBareServer, startOwnServer } from "./servers.ts";
import { requireSuccess } from "./throughput.ts";

/**
 * Measures what a debit and a call cost as accounts and calls accumulate. Two series: accounts from 10 to 100,000, and calls in the
 * ledger from 10 thousand to 10 million. Each point is measured twice: the ledger alone, and calls over HTTP.
 */
export type GrowthOptions = {
  accounts: readonly number[];
  calls: readonly number[];
  /** Debits of a measurement of the ledger alone. */
  debits: number;
  rounds: number;
  seconds: number;
  logLevel: string;
};

export type GrowthPoint = {
  /** The number of accounts, or of calls in the ledger before the measurement. */
  count: number;
  /** CPU µs per debit, without HTTP: of the process, and of the ledger's thread alone. */
  debitMicros: number;
  ledgerMicros: number;
  /** CPU µs of a server's process per call, and those of the bare server in the same rounds. */
  callMicros: number;
  bareMicros: number;
  perSecond: number;
  databaseBytes: number;
};
export type GrowthReport = { accounts: GrowthPoint[]; calls: GrowthPoint[]; text: string };

const CONNECTIONS = 64;
const ACCOUNTS_OF_CALLS = 1_000;
/** Filling is cheaper when an account's calls come in a row, and the table is the same. What is measured is spread evenly. */
const FILL_IN_ROW = 200;
/** Each point has a new server, which needs some seconds of load until its code is optimized. */
const WARM_UP_ROUNDS = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

export async function measureGrowth(options: GrowthOptions): Promise<GrowthReport> {
  const bare = await startBareServer();
  try {
    const accounts: GrowthPoint[] = [];
    for (const count of options.accounts) {
      const points = await measureSeries(bare, options, count, [0]);
      accounts.push(...points.map((point) => ({ ...point, count })));
    }
    const calls = await measureSeries(bare, options, ACCOUNTS_OF_CALLS, options.calls);
    return { accounts, calls, text: show(accounts, calls) };
  } finally {
    await bare.stop();
  }
}

/** Fills one ledger up to each number of calls and measures it. */
async function measureSeries(
  bare: Server,
  options: GrowthOptions,
  accountCount: number,
  steps: readonly number[],
): Promise<GrowthPoint[]> {
  const { dataDir, remove } = makeDataDir();
  const began = Date.now() - DAY_MS;
  const callsMax = Math.max(1, ...steps);
  let filled = 0;
  try {
    const secrets = await createDataFolder(dataDir);
    const points: GrowthPoint[] = [];
    let accounts: LedgerAccount[] = [];
    for (const calls of steps) {
      const open = await openLedger(dataDir);
      try {
        if (accounts.length === 0)
          accounts = await openLedgerAccounts(open.ledger, accountCount, secrets, began);
        const first = filled;
        // The calls of a day, in the order of their time.
        const at = (i: number) => began + Math.floor(((first + i) / callsMax) * DAY_MS * 0.99);
        const count = Math.max(0, calls - filled);
        const fill = { count, lanes: fillLanes, inRow: FILL_IN_ROW, at };
        await makeDebits(open.ledger, accounts, fill);
        filled += count;
        // Half of them warm up the caches.
        await runOurs(open, accounts, Math.ceil(options.debits / 2));
        const ours = await runOurs(open, accounts, options.debits);
        filled += Math.ceil(options.debits / 2) + options.debits;
        await open.close();
        points.push({
          count: calls,
          debitMicros: round(ours.cpuMicros / ours.debits, 2),
          ledgerMicros: round(ours.ledgerMicros / ours.debits, 2),
          databaseBytes: statSync(databaseFile(dataDir)).size,
          ...(await measureCalls(bare, dataDir, accounts, options)),
        });
      } finally {
        await open.close();
      }
    }
    return points;
  } finally {
    remove();
  }
}

async function measureCalls(
  bare: Server,
  dataDir: string,
  accounts: readonly LedgerAccount[],
  options: GrowthOptions,
): Promise<Pick<GrowthPoint, "callMicros" | "bareMicros" | "perSecond">> {
  const requests = accounts.map(({ key }) => makeRequest("/api/v1/hash", SMALL_BODIES.hash, key));
  const ours = await startOwnServer(dataDir, options.logLevel, {}, accounts[0]?.key);
  try {
    // At its start a server sums debits that nobody has summed yet.
    await settle(ours.child);
    const runs = { ours: [] as Run[], bare: [] as Run[] };
    for (let number = 1 - WARM_UP_ROUNDS; number <= options.rounds; number += 1) {
      for (const [name, server] of [["bare", bare] as const, ["ours", ours] as const]) {
        const run = await measure(server, requests, options.seconds);
        if (number > 0) runs[name].push(run);
      }
    }
    const median = (of: "ours" | "bare", amount: keyof Run, digits: number) =>
      round(medianOf(runs[of].map((run) => run[amount])), digits);
    return {
      callMicros: median("ours", "cpuMicros", 1),
      bareMicros: median("bare", "cpuMicros", 1),
      perSecond: median("ours", "perSecond", 0),
    };
  } finally {
    await ours.stop();
  }
}

type Run = { cpuMicros: number; perSecond: number };

async function measure(server: Server, requests: Buffer[], seconds: number): Promise<Run> {
  const before = await cpuMicrosOf(server.child);
  const target = { port: server.port, requests, connections: CONNECTIONS };
  const result = await runFlatOut({ ...target, durationMs: seconds * 1000 });
  const cpu = (await cpuMicrosOf(server.child)) - before;
  requireSuccess(server, result);
  return { cpuMicros: cpu / result.responses, perSecond: result.responses / result.seconds };
}

function show(accounts: readonly GrowthPoint[], calls: readonly GrowthPoint[]): string {
  const head = [
    "CPU µs per debit",
    "of these ledger",
    "CPU µs per call",
    "bare",
    "calls/s",
    "database MB",
  ];
  const cells = (points: readonly GrowthPoint[]) =>
    points.map((point) => [
      point.count.toLocaleString("en-US"),
      point.debitMicros.toFixed(2),
      point.ledgerMicros.toFixed(2),
      point.callMicros.toFixed(1),
      point.bareMicros.toFixed(1),
      String(point.perSecond),
      (point.databaseBytes / 1e6).toFixed(1),
    ]);
  return [
    `Growth: ${CONNECTIONS} calls at a time`,
    showTable(["accounts", ...head], cells(accounts)),
    `With ${ACCOUNTS_OF_CALLS.toLocaleString("en-US")} accounts`,
    showTable(["calls in the ledger", ...head], cells(calls)),
  ].join("\n");
}
