import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Turn, TurnResult, Way } from "./postgres-caller.ts";
import {
  closePostgresFixture,
  fillAccounts,
  openPostgresFixture,
  type PostgresFixture,
  postgresCpuMicros,
  readTotals,
} from "./postgres-fixture.ts";
import { measurePostgresHttp } from "./postgres-http.ts";
import {
  medianOf,
  percentile,
  round,
  type Spread,
  showSpread,
  showTable,
  sortedSamples,
  spreadOf,
} from "./report.ts";

/**
 * Measures debits on PostgreSQL: Toolbooth's batches compared with a statement per call (`postgres-usual.ts`), in turns, on the
 * same tables. Over HTTP it compares one node and two nodes with a bare server.
 */
export type PostgresOptions = { rounds: number; seconds: number; logLevel: string };

const ACCOUNTS = 1_000;
/** In all nodes together. */
const CALLERS = 256;

type Case = { name: string; accounts: number; nodes: number };
const CASES: Case[] = [
  { name: "one account, 1 node", accounts: 1, nodes: 1 },
  { name: "one account, 2 nodes", accounts: 1, nodes: 2 },
  { name: "1,000 accounts, 1 node", accounts: ACCOUNTS, nodes: 1 },
  { name: "1,000 accounts, 2 nodes", accounts: ACCOUNTS, nodes: 2 },
];

type Run = { perSecond: number; nodeMicros: number; postgresMicros: number; latencies: number[] };
type Pair = Record<Way, Run>;

export async function measurePostgres(options: PostgresOptions) {
  const fixture = await openPostgresFixture();
  const callers: ChildProcess[] = [];
  try {
    await fillAccounts(fixture.pool, ACCOUNTS);
    callers.push(await startCaller(fixture.url, "0"), await startCaller(fixture.url, "1"));
    const pairs = await runRounds(fixture, callers, options);
    const rows = CASES.map(({ name }, i) => summarise(name, pairs[i] as Pair[]));
    for (const caller of callers) await endCaller(caller);
    const http = await measurePostgresHttp(fixture, options);
    return { rows, http, text: `${show(rows, options)}\n${http.text}` };
  } finally {
    for (const caller of callers) caller.kill("SIGKILL");
    await closePostgresFixture(fixture);
  }
}

async function startCaller(url: string, node: string): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, "postgres-caller.ts");
  const child = fork(script, [url, node], { execArgv: ["--disable-warning=ExperimentalWarning"] });
  await once(child, "message");
  return child;
}

async function endCaller(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.send("end");
  await exited;
}

/** Round 0 is a warm-up and is discarded. The order changes every round. */
async function runRounds(
  fixture: PostgresFixture,
  callers: ChildProcess[],
  { rounds, seconds }: PostgresOptions,
): Promise<Pair[][]> {
  const pairs: Pair[][] = CASES.map(() => []);
  for (let number = 0; number <= rounds; number += 1) {
    for (const [i, { accounts, nodes }] of CASES.entries()) {
      const turn = { accounts, callers: CALLERS / nodes, durationMs: seconds * 1000 };
      const active = callers.slice(0, nodes);
      const order: Way[] = number % 2 === 0 ? ["usual", "batch"] : ["batch", "usual"];
      const pair: Partial<Pair> = {};
      for (const way of order) pair[way] = await takeTurn(fixture, active, { ...turn, way });
      if (number > 0) pairs[i]?.push(pair as Pair);
    }
  }
  return pairs;
}

/** Throws unless the ledger has grown by exactly the number of responses. */
async function takeTurn(
  fixture: PostgresFixture,
  callers: ChildProcess[],
  turn: Turn,
): Promise<Run> {
  const before = await readTotals(fixture.pool);
  const cpu = postgresCpuMicros(fixture);
  const results = await Promise.all(
    callers.map(async (caller) => {
      const responded = once(caller, "message");
      caller.send(turn);
      return (await responded)[0] as TurnResult;
    }),
  );
  const postgresMicros = postgresCpuMicros(fixture) - cpu;
  const after = await readTotals(fixture.pool);
  const responses = results.reduce((sum, result) => sum + result.responses, 0);
  const [debits, paid] = [after.debits - before.debits, after.paid - before.paid];
  if (debits !== responses || paid !== responses)
    throw new Error(`${responses} responses, but ${debits} debits and ${paid} credits spent`);
  return {
    perSecond: responses / Math.max(...results.map((result) => result.seconds)),
    nodeMicros: results.reduce((sum, result) => sum + result.cpuMicros, 0) / responses,
    postgresMicros: postgresMicros / responses,
    latencies: results.flatMap((result) => result.latencies),
  };
}

type PostgresRow = {
  name: string;
  ratio: Spread;
} & Record<
  Way,
  { perSecond: number; p50Ms: number; p99Ms: number; nodeMicros: number; postgresMicros: number }
>;

function summarise(name: string, pairs: Pair[]): PostgresRow {
  const usage = (way: Way) => {
    const runs = pairs.map((pair) => pair[way]);
    const latencies = sortedSamples(runs.flatMap((run) => run.latencies));
    return {
      perSecond: round(medianOf(runs.map((run) => run.perSecond)), 0),
      p50Ms: round(percentile(latencies, 50), 2),
      p99Ms: round(percentile(latencies, 99), 2),
      nodeMicros: round(medianOf(runs.map((run) => run.nodeMicros)), 1),
      postgresMicros: round(medianOf(runs.map((run) => run.postgresMicros)), 1),
    };
  };
  const ratio = spreadOf(pairs.map(({ batch, usual }) => batch.perSecond / usual.perSecond));
  return { name, ratio, batch: usage("batch"), usual: usage("usual") };
}

function show(rows: PostgresRow[], { rounds, seconds }: PostgresOptions): string {
  const head = [
    "debits",
    "usual/s",
    "ours/s",
    "ratio",
    "usual p50 ms",
    "ours",
    "usual p99",
    "ours",
  ];
  const cpu = ["usual CPU µs: node", "PostgreSQL", "ours: node", "PostgreSQL"];
  const cells = rows.map(({ name, ratio, batch, usual }) => [
    name,
    String(usual.perSecond),
    String(batch.perSecond),
    showSpread(ratio, 1),
    ...[usual.p50Ms, batch.p50Ms, usual.p99Ms, batch.p99Ms].map(String),
    ...[usual.nodeMicros, usual.postgresMicros, batch.nodeMicros, batch.postgresMicros].map(String),
  ]);
  return [
    `PostgreSQL: ${CALLERS} callers, ${rounds} rounds of ${seconds} s; usual: a prepared statement per call, 16 connections per node`,
    showTable([...head, ...cpu], cells),
    "After each turn the ledger had grown by exactly the number of responses.",
  ].join("\n");
}
