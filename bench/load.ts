import { createRequire } from "node:module";
import { ask, cpuMicrosOf, type Started, startNode } from "./processes.ts";
import { percentile, type Sample } from "./report.ts";

/** Load by autocannon in a process of its own, on a core of its own. Every connection sends its next call when it has a response. */
export type Target = {
  port: number;
  path: string;
  body: string;
  /** A key for each account; the connections share them out. */
  keys: readonly string[];
  connections: number;
  seconds: number;
};
type Result = {
  statuses: Record<string, number>;
  responses: number;
  seconds: number;
  p50: number;
  p99: number;
};
export type Load = Started & {
  /** Calls a server, and reads the CPU time of the process `pid` before and after. */
  sample(pid: number, target: Target): Promise<Sample>;
};

export async function startLoad(): Promise<Load> {
  const started = startNode([import.meta.filename, "generator"], { isLoad: true });
  await ask(started);
  return {
    ...started,
    async sample(pid, target) {
      const before = cpuMicrosOf(pid);
      const { statuses, responses, seconds, p50, p99 } = await ask<Result>(started, target);
      const cpuMicros = (cpuMicrosOf(pid) - before) / responses;
      if (statuses["200"] !== responses || responses === 0)
        throw new Error(
          `${target.path} was answered with other statuses: ${JSON.stringify(statuses)}`,
        );
      return { perSecond: responses / seconds, cpuMicros, p50, p99 };
    },
  };
}

type Client = { setRequests(requests: object[]): void };
type Run = {
  on(
    event: "response",
    listener: (client: Client, status: number, bytes: number, ms: number) => void,
  ): void;
  stop(): void;
};
type Autocannon = (options: object, done: (error: Error | null) => void) => Run;

function runLoad({ port, path, body, keys, connections, seconds }: Target): Promise<Result> {
  // The package has no types.
  const autocannon = createRequire(import.meta.url)("autocannon") as Autocannon;
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  let connection = 0;
  const started = performance.now();
  let last = started;
  return new Promise((resolve, reject) => {
    const run = autocannon(
      {
        url: `http://127.0.0.1:${port}${path}`,
        connections,
        // It ends when it is told to, or after so many faults.
        duration: 3_600,
        sampleInt: 50,
        timeout: 60,
        bailout: connections,
        setupClient(client: Client) {
          const own = keys.filter(
            (_, at) => at % connections === connection % Math.min(connections, keys.length),
          );
          connection += 1;
          client.setRequests(
            own.map((key) => ({
              method: "POST",
              path,
              body,
              headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            })),
          );
        },
      },
      (error) => {
        if (error !== null) reject(error);
        const sorted = Float64Array.from(times).sort();
        resolve({
          statuses,
          responses: times.length,
          seconds: (last - started) / 1000,
          p50: percentile(sorted, 50),
          p99: percentile(sorted, 99),
        });
      },
    );
    run.on("response", (_client, status, _bytes, ms) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      times.push(ms);
      last = performance.now();
      // Every connection has had a turn, however slow the machine is.
      if (last - started >= seconds * 1000 && times.length >= connections) run.stop();
    });
  });
}

if (process.argv[2] === "generator") {
  process.on("message", async (target: Target) => process.send?.(await runLoad(target)));
  process.send?.("ready");
}
