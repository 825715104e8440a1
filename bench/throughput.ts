import { type LoadResult, makeRequest, runFlatOut } from "./load.ts";
import { cpuMicrosOf } from "./process-cpu.ts";
import { openAccounts, type Reconciliation, reconcile, showReconciliation } from "./reconcile.ts";
import {
  medianOf,
  percentile,
  round,
  type Spread,
  showSpread,
  showTable,
  spreadOf,
} from "./report.ts";
import { makeDataDir, type Server, startBareServer, startOwnServer } from "./servers.ts";

/**
 * Measures calls per second and CPU time per call, compared with a bare `node:http` server that parses the same body and sends
 * the same response. The two take turns, and only adjacent rounds are compared.
 */
export type ThroughputOptions = { rounds: number; seconds: number; logLevel: string };

const CONNECTIONS = 64;
const BODY_BYTES = 60;
const MORE_ACCOUNTS = 16;

const BODIES: Record<string, string> = {
  hash: '{"text":"The quick brown fox jumps","algorithm":"sha256"}',
  uuid: '{"count":1,"uppercase":false}',
  echo: '{"hello":"world","list":[1,2.5,true,null],"nested":{"a":1}}',
};

type Case = { name: string; ours: Buffer[]; bare: Buffer[] };
type Run = { perSecond: number; cpuMicros: number; p50: number; p99: number };
type Pair = { ours: Run; bare: Run };

export type ThroughputRow = {
  name: string;
  perSecond: { bare: number; ours: number };
  throughputRatio: Spread;
  cpuMicros: { bare: number; ours: number };
  cpuRatio: Spread;
  p50Ms: { bare: number; ours: number };
  p99Ms: { bare: number; ours: number };
};

export type ThroughputReport = {
  rows: ThroughputRow[];
  generatorCpuMicros: number;
  totals: Reconciliation;
  text: string;
};

export async function measureThroughput(options: ThroughputOptions): Promise<ThroughputReport> {
  const { dataDir, remove } = makeDataDir();
  const started: Server[] = [];
  try {
    const bare = await startBareServer();
    started.push(bare);
    const ours = await startOwnServer(dataDir, options.logLevel);
    started.push(ours);
    const cases = makeCases(ours.key, await openAccounts(dataDir, MORE_ACCOUNTS));
    const own = { cpu: process.cpuUsage(), responses: 0, isOurResponse: 0 };
    const pairs = await runRounds(cases, { ours, bare }, options, own);
    const { user, system } = process.cpuUsage(own.cpu);
    // Killed, not stopped: every response must have its debit on disk.
    await ours.stop("SIGKILL");
    const totals = await reconcile(dataDir, own.isOurResponse);
    const rows = cases.map(({ name }, i) => summarise(name, pairs[i] as Pair[]));
    const generatorCpuMicros = round((user + system) / own.responses, 1);
    const text = show(rows, options, generatorCpuMicros, totals);
    if (!totals.ok) throw new Error(`${text}\n\nThe ledger does not match the responses`);
    return { rows, generatorCpuMicros, totals, text };
  } finally {
    for (const server of started) await server.stop();
    remove();
  }
}

function makeCases(key: string, otherKeys: string[]): Case[] {
  // White space pads the bodies, so that all tools get the same size.
  const body = (tool: string) => (BODIES[tool] as string).padEnd(BODY_BYTES);
  // The bare server also gets the key, so that both parse the same bytes.
  const request = (tool: string, with_: string) =>
    makeRequest(`/api/v1/${tool}`, body(tool), with_);
  const one = Object.keys(BODIES).map((tool) => {
    const requests = [request(tool, key)];
    return { name: tool, ours: requests, bare: requests };
  });
  const many = otherKeys.map((other) => request("hash", other));
  return [...one, { name: `hash, ${MORE_ACCOUNTS} accounts`, ours: many, bare: many }];
}

/** Round 0 is a warm-up and is discarded. The order changes every round. */
async function runRounds(
  cases: Case[],
  servers: { ours: Server; bare: Server },
  options: ThroughputOptions,
  own: { responses: number; isOurResponse: number },
): Promise<Pair[][]> {
  const pairs: Pair[][] = cases.map(() => []);
  const measure = async (server: Server, requests: Buffer[]): Promise<Run> => {
    const before = await cpuMicrosOf(server.child);
    const load = {
      port: server.port,
      requests,
      connections: CONNECTIONS,
      durationMs: options.seconds * 1000,
    };
    const result = await runFlatOut(load);
    const cpu = (await cpuMicrosOf(server.child)) - before;
    requireSuccess(server, result);
    own.responses += result.responses;
    if (server === servers.ours) own.isOurResponse += result.responses;
    return {
      perSecond: result.responses / result.seconds,
      cpuMicros: cpu / result.responses,
      p50: percentile(result.latencies, 50),
      p99: percentile(result.latencies, 99),
    };
  };
  for (let number = 0; number <= options.rounds; number += 1) {
    for (const [i, { ours, bare }] of cases.entries()) {
      const first =
        number % 2 === 0 ? await measure(servers.bare, bare) : await measure(servers.ours, ours);
      const second =
        number % 2 === 0 ? await measure(servers.ours, ours) : await measure(servers.bare, bare);
      const pair = number % 2 === 0 ? { bare: first, ours: second } : { ours: first, bare: second };
      if (number > 0) pairs[i]?.push(pair);
    }
  }
  return pairs;
}

export function requireSuccess(server: Server, { statuses }: LoadResult): void {
  const others = [...statuses].filter(([status]) => status !== 200);
  if (others.length === 0) return;
  const list = others.map(([status, count]) => `${count} times ${status}`).join(", ");
  throw new Error(`${server.name} responded with ${list}. Results with errors are not valid`);
}

function summarise(name: string, pairs: Pair[]): ThroughputRow {
  const both = (amount: (run: Run) => number, digits: number) => ({
    bare: round(medianOf(pairs.map(({ bare }) => amount(bare))), digits),
    ours: round(medianOf(pairs.map(({ ours }) => amount(ours))), digits),
  });
  return {
    name,
    perSecond: both((run) => run.perSecond, 0),
    throughputRatio: spreadOf(pairs.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
    cpuMicros: both((run) => run.cpuMicros, 1),
    cpuRatio: spreadOf(pairs.map(({ ours, bare }) => ours.cpuMicros / bare.cpuMicros)),
    p50Ms: both((run) => run.p50, 2),
    p99Ms: both((run) => run.p99, 2),
  };
}

function show(
  rows: ThroughputRow[],
  options: ThroughputOptions,
  generatorCpuMicros: number,
  totals: Reconciliation,
): string {
  const head = [
    "call",
    "bare/s",
    "ours/s",
    "ratio",
    "bare CPU µs",
    "ours",
    "ratio",
    "bare p50 ms",
    "ours",
    "bare p99",
    "ours",
  ];
  const cells = rows.map((row) => [
    row.name,
    String(row.perSecond.bare),
    String(row.perSecond.ours),
    showSpread(row.throughputRatio, 2),
    row.cpuMicros.bare.toFixed(1),
    row.cpuMicros.ours.toFixed(1),
    showSpread(row.cpuRatio, 2),
    row.p50Ms.bare.toFixed(2),
    row.p50Ms.ours.toFixed(2),
    row.p99Ms.bare.toFixed(2),
    row.p99Ms.ours.toFixed(2),
  ]);
  return [
    `Throughput: ${CONNECTIONS} connections, bodies of ${BODY_BYTES} bytes, ${options.rounds} rounds of ${options.seconds} s, log level ${options.logLevel}`,
    showTable(head, cells),
    `The load generator took ${generatorCpuMicros} µs of CPU time per response on the same cores.`,
    showReconciliation(totals),
  ].join("\n");
}
