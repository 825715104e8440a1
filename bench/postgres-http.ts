import { openPostgresPool } from "#stores/postgres/pool.ts";
import type { Postgres } from "../test/support/postgres.ts";
import { makeRequest, runFlatOut } from "./load.ts";
import type { PostgresOptions } from "./postgres.ts";
import { readTotals } from "./postgres-fixture.ts";
import { cpuMicrosOf } from "./process-cpu.ts";
import { medianOf, percentile, round, showSpread, showTable, spreadOf } from "./report.ts";
import { makeDataDir, type Server, startBareServer, startOwnServer } from "./servers.ts";
import { requireSuccess } from "./throughput.ts";

/** Compares a node on PostgreSQL with a bare server, both over HTTP with the same requests. */
const CONNECTIONS = [64, 256];
/** A node needs some seconds of load until its code is optimized. */
const WARM_UP_ROUNDS = 3;
const BODY = '{"text":"The quick brown fox jumps","algorithm":"sha256"}';

type Run = { perSecond: number; cpuMicros: number; p50: number; p99: number };

export async function measurePostgresHttp(postgres: Postgres, options: PostgresOptions) {
  const { dataDir, remove } = makeDataDir();
  const started: Server[] = [];
  try {
    const url = await postgres.createDatabase();
    const bare = await startBareServer();
    started.push(bare);
    const ours = await startOwnServer(dataDir, options.logLevel, { DATABASE_URL: url });
    started.push(ours);
    const request = makeRequest("/api/v1/hash", BODY, ours.key);
    let responded = 0;
    const measure = async (server: Server, connections: number): Promise<Run> => {
      const before = await cpuMicrosOf(server.child);
      const durationMs = options.seconds * 1000;
      const load = { port: server.port, requests: [request], connections, durationMs };
      const result = await runFlatOut(load);
      const cpu = (await cpuMicrosOf(server.child)) - before;
      requireSuccess(server, result);
      if (server === ours) responded += result.responses;
      return {
        perSecond: result.responses / result.seconds,
        cpuMicros: cpu / result.responses,
        p50: percentile(result.latencies, 50),
        p99: percentile(result.latencies, 99),
      };
    };
    const pairs = CONNECTIONS.map(() => [] as { bare: Run; ours: Run }[]);
    for (let number = 1 - WARM_UP_ROUNDS; number <= options.rounds; number += 1) {
      for (const [i, connections] of CONNECTIONS.entries()) {
        const pair = await takePair(number, (server) =>
          measure(server === "bare" ? bare : ours, connections),
        );
        if (number > 0) pairs[i]?.push(pair);
      }
    }
    await ours.stop("SIGKILL");
    await compareTotals(url, responded);
    const rows = pairs.map((list, i) => summarise(CONNECTIONS[i] as number, list));
    return { rows, responded, text: show(rows, responded) };
  } finally {
    for (const server of started) await server.stop();
    remove();
  }
}

/** The order of the contenders changes every round. */
async function takePair(number: number, measure: (server: "bare" | "ours") => Promise<Run>) {
  if (number % 2 === 0) {
    const bare = await measure("bare");
    return { bare, ours: await measure("ours") };
  }
  const ours = await measure("ours");
  return { ours, bare: await measure("bare") };
}

async function compareTotals(url: string, responded: number): Promise<void> {
  const pool = openPostgresPool(url, { max: 1 });
  const { debits } = await readTotals(pool);
  await pool.close();
  if (debits !== responded)
    throw new Error(`${responded} responses over HTTP, but ${debits} debits`);
}

function summarise(connections: number, pairs: { bare: Run; ours: Run }[]) {
  const both = (amount: (run: Run) => number, digits: number) => ({
    bare: round(medianOf(pairs.map(({ bare }) => amount(bare))), digits),
    ours: round(medianOf(pairs.map(({ ours }) => amount(ours))), digits),
  });
  return {
    connections,
    perSecond: both((run) => run.perSecond, 0),
    ratio: spreadOf(pairs.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
    cpuMicros: both((run) => run.cpuMicros, 1),
    p50Ms: both((run) => run.p50, 2),
    p99Ms: both((run) => run.p99, 2),
  };
}

function show(rows: ReturnType<typeof summarise>[], responded: number): string {
  const head = ["hash over HTTP", "bare/s", "ours/s", "ratio"];
  const more = ["bare CPU µs", "ours", "bare p50 ms", "ours", "bare p99", "ours"];
  const cells = rows.map(({ connections, perSecond, ratio, cpuMicros, p50Ms, p99Ms }) => [
    `${connections} connections`,
    String(perSecond.bare),
    String(perSecond.ours),
    showSpread(ratio, 2),
    ...[cpuMicros, p50Ms, p99Ms].flatMap(({ bare, ours }) => [String(bare), String(ours)]),
  ]);
  return [
    showTable([...head, ...more], cells),
    `Ledger: ${responded} responses and ${responded} debits after the node was killed (SIGKILL).`,
  ].join("\n");
}
