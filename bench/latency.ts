import { SMALL_BODIES } from "./cases.ts";
import { makeRequest, runFlatOut, runOpenLoop } from "./load.ts";
import { type Reconciliation, showReconciliation } from "./reconcile.ts";
import { percentile, round, showTable } from "./report.ts";
import { CONTENDERS, type Contender, requireSuccess, startContenders } from "./throughput.ts";

/**
 * Measures the latency of calls that arrive at a constant rate, whether or not earlier ones have their response (open loop), at
 * 10, 50 and 80 % of each contender's own saturation. A call counts from when it was due.
 */
export type LatencyOptions = { rounds: number; seconds: number; logLevel: string };

export const SHARES = [10, 50, 80] as const;
export const PERCENTILES = [50, 90, 99, 99.9, 100] as const;

export type LatencyRow = {
  contender: Contender;
  /** Calls per second of connections that send without a pause: the best of the rounds. */
  saturation: number;
  loads: {
    /** Percent of the saturation. */
    share: number;
    perSecond: number;
    calls: number;
    /** Milliseconds, for each of PERCENTILES. */
    latencyMs: number[];
    /** How late the generator sent its calls: the part of the latency that may be the generator's. */
    latenessP99Ms: number;
  }[];
};
export type LatencyReport = {
  rows: LatencyRow[];
  seconds: number;
  totals: Reconciliation;
  text: string;
};

const CONNECTIONS = 64;

export async function measureLatency(options: LatencyOptions): Promise<LatencyReport> {
  const contenders = await startContenders(options.logLevel, 1);
  try {
    const target = (name: Contender) => ({
      port: contenders.servers[name].port,
      requests: [makeRequest("/api/v1/hash", SMALL_BODIES.hash, contenders.keys[name][0])],
      connections: CONNECTIONS,
    });
    const best = new Map<Contender, number>();
    // Round 0 is a warm-up and is discarded.
    for (let number = 0; number <= options.rounds; number += 1) {
      for (const name of CONTENDERS) {
        const result = await runFlatOut({ ...target(name), durationMs: 2_000 });
        requireSuccess(contenders.servers[name], result);
        contenders.count(name, result.responses);
        const perSecond = result.responses / result.seconds;
        if (number > 0) best.set(name, Math.max(best.get(name) ?? 0, perSecond));
      }
    }
    const rows: LatencyRow[] = CONTENDERS.map((contender) => ({
      contender,
      saturation: Math.round(best.get(contender) ?? 0),
      loads: [],
    }));
    for (const share of SHARES) {
      for (const row of rows) {
        const perSecond = (row.saturation * share) / 100;
        const durationMs = options.seconds * 1000;
        const result = await runOpenLoop({ ...target(row.contender), durationMs, perSecond });
        requireSuccess(contenders.servers[row.contender], result);
        contenders.count(row.contender, result.responses);
        row.loads.push({
          share,
          perSecond: Math.round(perSecond),
          calls: result.responses,
          latencyMs: PERCENTILES.map((percent) => round(percentile(result.latencies, percent), 2)),
          latenessP99Ms: round(percentile(result.lateness, 99), 2),
        });
      }
    }
    const totals = await contenders.finish();
    const text = show(rows, options, totals);
    if (!totals.ok) throw new Error(`${text}\n\nThe ledger does not match the responses`);
    return { rows, seconds: options.seconds, totals, text };
  } finally {
    await contenders.close();
  }
}

function show(
  rows: readonly LatencyRow[],
  { seconds }: LatencyOptions,
  totals: Reconciliation,
): string {
  const cells = SHARES.flatMap((share, i) =>
    rows.map(({ contender, loads }) => {
      const load = loads[i] as LatencyRow["loads"][number];
      return [
        `${share} %, ${contender}`,
        String(load.perSecond),
        String(load.calls),
        ...load.latencyMs.map((ms) => ms.toFixed(2)),
        load.latenessP99Ms.toFixed(2),
      ];
    }),
  );
  const percents = PERCENTILES.map((percent) => (percent === 100 ? "max" : `p${percent}`));
  return [
    `Latency of hash in ms, open loop, ${CONNECTIONS} connections, ${seconds} s each`,
    `Saturation, calls per second: ${rows.map((row) => `${row.contender} ${row.saturation}`).join(", ")}`,
    showTable(["load", "calls/s", "calls", ...percents, "sent late, p99"], cells),
    showReconciliation(totals),
  ].join("\n");
}
