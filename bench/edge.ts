import { type EdgeCase, makeEdgeCases } from "./edge-cases.ts";
import { type Contender, restart, startContenders } from "./edge-contenders.ts";
import { type EdgeReport, type EdgeRow, type StepRow, showEdge } from "./edge-report.ts";
import type { EdgeServer } from "./edge-servers.ts";
import { STEPS, type Step } from "./edge-steps.ts";
import { type LoadResult, runFlatOut } from "./load.ts";
import { HAS_PROC, readProc } from "./process-cpu.ts";
import { medianOf, percentile, round, sortedSamples } from "./report.ts";
import { makeDataDir } from "./servers.ts";

/**
 * Measures CPU time and latency of a call in workerd, compared with a bare Worker and with the smallest metered Worker. The
 * contenders take turns in each round, and only results of the same round are compared.
 */
export type EdgeOptions = { rounds: number; seconds: number };

/** A turn: a contender, and how far its calls run. */
type Turn = { name: string; contender: Contender; more: string; counts: boolean };
export type Run = { perSecond: number; cpuMicros: number };
/** Latencies in milliseconds over all rounds, because one short turn has too few responses for a p99. */
export type Times = { p50: number; p99: number };

export async function measureEdge(options: EdgeOptions): Promise<EdgeReport & { text: string }> {
  if (!HAS_PROC)
    throw new Error(
      "The part edge requires Linux, because it reads the CPU time of workerd from /proc",
    );
  const { dataDir, remove } = makeDataDir();
  const started: EdgeServer[] = [];
  try {
    const contenders = await startContenders(dataDir, started);
    const { bare, smallest, own, stepwise } = contenders;
    const turns: Turn[] = [
      { name: "bare", contender: bare, more: "", counts: false },
      { name: "smallest", contender: smallest, more: "", counts: true },
      { name: "free", contender: stepwise, more: "?until=app", counts: false },
      { name: "own", contender: own, more: "", counts: true },
    ];
    const bench = createBench();
    await warmUp(bench, turns);
    const rows = await measureCases(bench, turns, options);
    const steps = await measureSteps(bench, stepwise, options);
    const totals = await compareTotals(
      [smallest, own, stepwise],
      bench.responded,
      dataDir,
      started,
    );
    const report = { options, rows, steps, totals };
    const text = showEdge(report);
    if (totals.some(({ ok }) => !ok))
      throw new Error(`${text}\n\nThe ledgers do not match the responses`);
    return { ...report, text };
  } finally {
    for (const server of started) await server.stop();
    remove();
  }
}

type Bench = ReturnType<typeof createBench>;

/** Warm-up until the code is optimized; round 0 does the rest. */
const WARM_UP_SECONDS = 2;

async function warmUp(bench: Bench, turns: Turn[]): Promise<void> {
  const { tool, body } = makeEdgeCases()[0] as EdgeCase;
  for (const turn of turns) {
    await bench.run(turn, turn.contender.request(tool, body, turn.more), 10, WARM_UP_SECONDS);
  }
}

function createBench() {
  /** Responses of debited calls. */
  const responded = new Map<Contender, number>();
  async function run(
    turn: Turn,
    request: Buffer,
    connections: number,
    seconds: number,
  ): Promise<Run & { latencies: Float64Array }> {
    const { server } = turn.contender;
    const before = readProc(server.pid);
    const load = {
      port: server.port,
      requests: [request],
      connections,
      durationMs: seconds * 1000,
    };
    const result = await runFlatOut(load);
    const cpu = readProc(server.pid) - before;
    requireResponses(turn.name, result);
    if (turn.counts) {
      const sum = (responded.get(turn.contender) ?? 0) + result.responses;
      responded.set(turn.contender, sum);
    }
    return {
      perSecond: result.responses / result.seconds,
      cpuMicros: cpu / result.responses,
      latencies: result.latencies,
    };
  }
  return { responded, run };
}

function requireResponses(name: string, { statuses }: LoadResult): void {
  const others = [...statuses].filter(([status]) => status !== 200);
  if (others.length === 0) return;
  const list = others.map(([status, count]) => `${count} times ${status}`).join(", ");
  throw new Error(`${name} responded with ${list}. Results with errors are not valid`);
}

/** Round 0 is a warm-up and is discarded. The order of the contenders changes every round. */
async function measureCases(
  bench: Bench,
  turns: Turn[],
  { rounds, seconds }: EdgeOptions,
): Promise<EdgeRow[]> {
  const rows = makeEdgeCases().flatMap((one) =>
    one.connections.map((connections) => {
      const samples = new Map<string, number[]>(turns.map(({ name }) => [name, []]));
      return { ...one, connections, samples, runs: [] as EdgeRow["runs"] };
    }),
  );
  for (let number = 0; number <= rounds; number += 1) {
    for (const { tool, body, connections, samples, runs } of rows) {
      const round: Record<string, Run> = {};
      for (let i = 0; i < turns.length; i += 1) {
        const turn = turns[(i + number) % turns.length] as Turn;
        const request = turn.contender.request(tool, body, turn.more);
        const { latencies, ...run } = await bench.run(turn, request, connections, seconds);
        round[turn.name] = run;
        if (number > 0) samples.get(turn.name)?.push(...latencies);
      }
      if (number > 0) runs.push(round as EdgeRow["runs"][number]);
    }
  }
  return rows.map(({ name, connections, samples, runs }) => {
    const times = [...samples].map(([turn, all]) => [turn, timesOf(all)]);
    return { name, connections, runs, times: Object.fromEntries(times) };
  });
}

function timesOf(samples: number[]): Times {
  const sorted = sortedSamples(samples);
  return { p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
}

/** Measures a call up to each of its steps. */
async function measureSteps(
  bench: Bench,
  stepwise: Contender,
  { rounds, seconds }: EdgeOptions,
): Promise<StepRow[]> {
  const { tool, body } = makeEdgeCases()[0] as EdgeCase;
  const cpu = new Map<Step, number[]>(STEPS.map((step) => [step, []]));
  for (let number = 0; number <= rounds; number += 1) {
    for (const step of number % 2 === 0 ? STEPS : STEPS.toReversed()) {
      const more = `?until=${step}`;
      const turn = { name: step, contender: stepwise, more, counts: step === "debit" };
      const { cpuMicros } = await bench.run(turn, stepwise.request(tool, body, more), 10, seconds);
      if (number > 0) cpu.get(step)?.push(cpuMicros);
    }
  }
  return STEPS.map((step) => ({ step, cpuMicros: round(medianOf(cpu.get(step) ?? []), 1) }));
}

export type TotalsRow = { name: string; responded: number; recorded: number; ok: boolean };

/** Kills and restarts the server: every response must have its debit on disk. */
async function compareTotals(
  contenders: Contender[],
  responded: Map<Contender, number>,
  folder: string,
  started: EdgeServer[],
): Promise<TotalsRow[]> {
  const rows: TotalsRow[] = [];
  for (const contender of contenders) {
    if (contender.totals === null) continue;
    await contender.server.kill();
    const again = await restart(contender, folder);
    started.push(again);
    const { recorded, ok } = await contender.totals(again);
    const count = responded.get(contender) ?? 0;
    rows.push({ name: contender.name, responded: count, recorded, ok: ok && recorded === count });
  }
  return rows;
}
