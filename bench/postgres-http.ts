import { openPostgresPool } from "#stores/postgres/pool.ts";
import { makeRequest, runFlatOut } from "./load.ts";
import type { PostgresOptions } from "./postgres.ts";
import { type PostgresFixture, readPostgresCpu, readTotals } from "./postgres-fixture.ts";
import { cpuMicrosOf } from "./process-cpu.ts";
import { medianOf, percentile, round, showSpread, showTable, spreadOf } from "./report.ts";
import { makeDataDir, type Server, startBareServer, startOwnServer } from "./servers.ts";
import { requireSuccess } from "./throughput.ts";

/**
 * Compares nodes on PostgreSQL with one bare server, over HTTP with the same requests, and shows the CPU time that a call takes in
 * each process: the generator, the nodes, the backends of PostgreSQL and its other processes share the cores.
 */
type Case = { connections: number; nodes: 1 | 2 };
const CASES: Case[] = [
  { connections: 64, nodes: 1 },
  { connections: 256, nodes: 1 },
  { connections: 256, nodes: 2 },
];
/** A node needs some seconds of load until its code is optimized. */
const WARM_UP_ROUNDS = 3;
const BODY = '{"text":"The quick brown fox jumps","algorithm":"sha256"}';

/** CPU time in microseconds. */
type Cpu = { generator: number; servers: number; backends: number; others: number };
type Run = { perSecond: number; seconds: number; cpu: Cpu; p50: number; p99: number };
type Pair = { bare: Run; ours: Run };

export async function measurePostgresHttp(fixture: PostgresFixture, options: PostgresOptions) {
  const folders = [makeDataDir(), makeDataDir()];
  const started: Server[] = [];
  try {
    const url = await fixture.server.createDatabase();
    const bare = await startBareServer();
    started.push(bare);
    const [first = "", second = ""] = folders.map(({ dataDir }) => dataDir);
    const settings = { DATABASE_URL: url };
    const ours = await startOwnServer(first, options.logLevel, settings);
    started.push(ours);
    const other = await startOwnServer(second, options.logLevel, settings, ours.key);
    started.push(other);
    const request = makeRequest("/api/v1/hash", BODY, ours.key);
    let responded = 0;
    const measure = async (servers: Server[], connections: number): Promise<Run> => {
      const before = await readCpu(fixture, servers);
      const results = await Promise.all(
        servers.map(({ port }) =>
          runFlatOut({
            port,
            requests: [request],
            connections: connections / servers.length,
            durationMs: options.seconds * 1000,
          }),
        ),
      );
      const after = await readCpu(fixture, servers);
      for (const [i, result] of results.entries()) requireSuccess(servers[i] as Server, result);
      const responses = results.reduce((sum, result) => sum + result.responses, 0);
      if (!servers.includes(bare)) responded += responses;
      const seconds = Math.max(...results.map((result) => result.seconds));
      const latencies = Float64Array.from(
        results.flatMap((result) => [...result.latencies]),
      ).sort();
      const spent = (name: keyof Cpu) => (after[name] - before[name]) / responses;
      return {
        perSecond: responses / seconds,
        seconds,
        cpu: {
          generator: spent("generator"),
          servers: spent("servers"),
          backends: spent("backends"),
          others: spent("others"),
        },
        p50: percentile(latencies, 50),
        p99: percentile(latencies, 99),
      };
    };
    const pairs = CASES.map(() => [] as Pair[]);
    for (let number = 1 - WARM_UP_ROUNDS; number <= options.rounds; number += 1) {
      for (const [i, { connections, nodes }] of CASES.entries()) {
        const pair = await takePair(number, (which) =>
          measure(which === "bare" ? [bare] : [ours, other].slice(0, nodes), connections),
        );
        if (number > 0) pairs[i]?.push(pair);
      }
    }
    await Promise.all([ours.stop("SIGKILL"), other.stop("SIGKILL")]);
    await compareTotals(url, responded);
    const rows = pairs.map((list, i) => summarise(CASES[i] as Case, list));
    return { rows, responded, text: show(rows, responded) };
  } finally {
    for (const server of started) await server.stop();
    for (const { remove } of folders) remove();
  }
}

async function readCpu(fixture: PostgresFixture, servers: Server[]): Promise<Cpu> {
  const { user, system } = process.cpuUsage();
  const spent = await Promise.all(servers.map(({ child }) => cpuMicrosOf(child)));
  return {
    generator: user + system,
    servers: spent.reduce((sum, each) => sum + each, 0),
    ...readPostgresCpu(fixture),
  };
}

/** The order of the contenders changes every round. */
async function takePair(
  number: number,
  measure: (which: "bare" | "ours") => Promise<Run>,
): Promise<Pair> {
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

function summarise({ connections, nodes }: Case, pairs: Pair[]) {
  const median = (which: keyof Pair, amount: (run: Run) => number, digits = 1) =>
    round(medianOf(pairs.map((pair) => amount(pair[which]))), digits);
  const both = (amount: (run: Run) => number, digits: number) => ({
    bare: median("bare", amount, digits),
    ours: median("ours", amount, digits),
  });
  const cpuOf = (which: keyof Pair): Cpu => ({
    generator: median(which, ({ cpu }) => cpu.generator),
    servers: median(which, ({ cpu }) => cpu.servers),
    backends: median(which, ({ cpu }) => cpu.backends),
    others: median(which, ({ cpu }) => cpu.others),
  });
  const cpu = { bare: cpuOf("bare"), ours: cpuOf("ours") };
  return {
    connections,
    nodes,
    perSecond: both((run) => run.perSecond, 0),
    ratio: spreadOf(pairs.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
    cpu,
    /** How much of one core all processes together took. */
    busy: both((run) => (sumOf(run.cpu) * run.perSecond) / 1e6, 2),
    /** The ratio if each node, and the bare server, had a core of its own, and no other process were the bottleneck. */
    ownCores: spreadOf(pairs.map(({ ours, bare }) => bare.cpu.servers / ours.cpu.servers)),
    p50Ms: both((run) => run.p50, 2),
    p99Ms: both((run) => run.p99, 2),
  };
}

const sumOf = ({ generator, servers, backends, others }: Cpu) =>
  generator + servers + backends + others;

function show(rows: ReturnType<typeof summarise>[], responded: number): string {
  const nameOf = ({ connections, nodes }: Case) =>
    `${connections} connections, ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
  const head = ["hash over HTTP", "bare/s", "ours/s", "ratio"];
  const latency = ["bare p50 ms", "ours", "bare p99", "ours"];
  const speeds = rows.map((row) => [
    nameOf(row),
    String(row.perSecond.bare),
    String(row.perSecond.ours),
    showSpread(row.ratio, 2),
    ...[row.p50Ms, row.p99Ms].flatMap(({ bare, ours }) => [String(bare), String(ours)]),
  ]);
  const budget = ["CPU µs per call", "generator", "server", "backends", "other PostgreSQL"];
  const more = ["all", "cores busy", "ratio with a core per server"];
  const cells = rows.flatMap((row) =>
    (["bare", "ours"] as const).map((which) => {
      const cpu = row.cpu[which];
      return [
        which === "bare" ? `bare, ${row.connections} connections` : nameOf(row),
        ...[cpu.generator, cpu.servers, cpu.backends, cpu.others].map(String),
        sumOf(cpu).toFixed(1),
        row.busy[which].toFixed(2),
        which === "bare" ? "" : showSpread(row.ownCores, 2),
      ];
    }),
  );
  return [
    showTable([...head, ...latency], speeds),
    showTable([...budget, ...more], cells),
    `Ledger: ${responded} responses and ${responded} debits after the nodes were killed (SIGKILL).`,
  ].join("\n");
}
