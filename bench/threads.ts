import { makeRequest, runFlatOut } from "./load.ts";
import { cpuMicrosOf } from "./process-cpu.ts";
import { medianOf, percentile, round, showTable } from "./report.ts";
import { makeDataDir, type OwnServer, startOwnServer } from "./servers.ts";
import { requireSuccess } from "./throughput.ts";

/**
 * Measures small calls with 1, 2 and 4 HTTP threads: calls per second, CPU time per call, and how fairly connections are served, whose
 * thread the system chooses. The servers take turns.
 */
const COUNTS = [1, 2, 4];
const CONNECTIONS = 64;
const BODY = '{"text":"The quick brown fox jumps","algorithm":"sha256"}';

type Run = { perSecond: number; cpuMicros: number; p99: number; least: number; most: number };

export async function measureThreads(options: {
  rounds: number;
  seconds: number;
  logLevel: string;
}): Promise<{ rows: object[]; text: string }> {
  const servers: { threads: number; server: OwnServer; runs: Run[]; remove(): void }[] = [];
  try {
    for (const threads of COUNTS) {
      const { dataDir, remove } = makeDataDir();
      const settings = { TOOLBOOTH_HTTP_THREADS: String(threads) };
      const server = await startOwnServer(dataDir, options.logLevel, settings);
      servers.push({ threads, server, runs: [], remove });
    }
    for (let number = 0; number <= options.rounds; number += 1) {
      for (const { server, runs } of number % 2 === 0 ? servers : [...servers].reverse()) {
        const run = await measure(server, options.seconds);
        // Round 0 is a warm-up.
        if (number > 0) runs.push(run);
      }
    }
  } finally {
    for (const { server, remove } of servers) {
      await server.stop();
      remove();
    }
  }
  const rows = servers.map(({ threads, runs }) => {
    const median = (of: (run: Run) => number, digits: number) =>
      round(medianOf(runs.map(of)), digits);
    return {
      threads,
      perSecond: median((run) => run.perSecond, 0),
      cpuMicros: median((run) => run.cpuMicros, 1),
      p99Ms: median((run) => run.p99, 2),
      least: median((run) => run.least, 2),
      most: median((run) => run.most, 2),
    };
  });
  const head = ["threads", "calls/s", "CPU µs", "p99 ms", "least served", "most served"];
  const cells = rows.map((row) => Object.values(row).map(String));
  return {
    rows,
    text: [
      `HTTP threads: hash, ${CONNECTIONS} connections, ${options.rounds} rounds of ${options.seconds} s. Least and most served: the calls of a connection, by the mean of all`,
      showTable(head, cells),
    ].join("\n"),
  };
}

async function measure(server: OwnServer, seconds: number): Promise<Run> {
  const before = await cpuMicrosOf(server.child);
  const result = await runFlatOut({
    port: server.port,
    requests: [makeRequest("/api/v1/hash", BODY, server.key)],
    connections: CONNECTIONS,
    durationMs: seconds * 1_000,
  });
  requireSuccess(server, result);
  const cpu = (await cpuMicrosOf(server.child)) - before;
  const mean = result.responses / CONNECTIONS;
  return {
    perSecond: result.responses / result.seconds,
    cpuMicros: cpu / result.responses,
    p99: percentile(result.latencies, 99),
    least: Math.min(...result.byConnection) / mean,
    most: Math.max(...result.byConnection) / mean,
  };
}
