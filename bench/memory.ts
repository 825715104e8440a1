import { readFileSync } from "node:fs";
import { type Case, createCases } from "./cases.ts";
import { runFlatOut } from "./load.ts";
import { HAS_PROC, settle } from "./process-cpu.ts";
import { openAccounts, type Reconciliation, reconcile, showReconciliation } from "./reconcile.ts";
import { medianOf, round } from "./report.ts";
import { makeDataDir, startOwnServer } from "./servers.ts";
import { MANY_ACCOUNTS, requireSuccess } from "./throughput.ts";

/** Measures the resident memory of the server under load without a pause: all tools, and 1,000 accounts. */
export type MemoryOptions = { seconds: number; logLevel: string };

export type MemoryReport = {
  seconds: number;
  idleMb: number;
  samples: { second: number; residentMb: number }[];
  /** Medians of the second and of the last fifth of the samples. Memory that leaks makes the last one larger. */
  earlyMb: number;
  lateMb: number;
  responses: number;
  totals: Reconciliation;
  text: string;
};

const SAMPLES = 120;
const CONNECTIONS = 64;
const LARGE = "markdown-render, 100 KB";

export async function measureMemory(options: MemoryOptions): Promise<MemoryReport> {
  if (!HAS_PROC) throw new Error("memory requires /proc");
  const { dataDir, remove } = makeDataDir();
  const server = await startOwnServer(dataDir, options.logLevel).catch((error) => {
    remove();
    throw error;
  });
  try {
    const residentMb = () => round(residentBytes(server.child.pid as number) / 1e6, 1);
    const keys = [server.key, ...(await openAccounts(dataDir, MANY_ACCOUNTS - 1))];
    const requests = mixOf(createCases({ ours: keys }).filter(({ name }) => name !== LARGE));
    await settle(server.child);
    const idleMb = residentMb();
    const started = performance.now();
    const until = started + options.seconds * 1000;
    const stepMs = Math.max(250, (options.seconds * 1000) / SAMPLES);
    const samples: MemoryReport["samples"] = [];
    let responses = 0;
    while (performance.now() < until) {
      const target = { port: server.port, requests, connections: CONNECTIONS };
      const result = await runFlatOut({ ...target, durationMs: stepMs });
      requireSuccess(server, result);
      responses += result.responses;
      const second = round((performance.now() - started) / 1000, 1);
      samples.push({ second, residentMb: residentMb() });
    }
    await server.stop("SIGKILL");
    const totals = await reconcile(dataDir, responses);
    const part = (from: number, to: number) =>
      medianOf(
        samples
          .slice(Math.floor(samples.length * from), Math.ceil(samples.length * to))
          .map((sample) => sample.residentMb),
      );
    const [earlyMb, lateMb] = [part(0.2, 0.4), part(0.8, 1)];
    const text = [
      `Memory: resident MB over ${options.seconds} s of load without a pause, ${responses} calls`,
      `${idleMb} before the load, ${earlyMb} in the second fifth, ${lateMb} in the last fifth`,
      showReconciliation(totals),
    ].join("\n");
    if (!totals.ok) throw new Error(`${text}\n\nThe ledger does not match the responses`);
    return { seconds: options.seconds, idleMb, samples, earlyMb, lateMb, responses, totals, text };
  } finally {
    await server.stop();
    remove();
  }
}

/** Equally many requests of each case. */
function mixOf(cases: readonly Case<"ours">[]): Buffer[] {
  return Array.from({ length: MANY_ACCOUNTS }, (_, i) => {
    const { ours } = (cases[i % cases.length] as Case<"ours">).requests;
    return ours[Math.floor(i / cases.length) % ours.length] as Buffer;
  });
}

function residentBytes(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
