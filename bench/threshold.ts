import { createHash, randomBytes } from "node:crypto";
import { runTool } from "#api/pipeline/run-tool.ts";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { openToolPool, type ToolPool } from "../src/apps/node/tool-pool.ts";
import type { ThreadJob } from "../src/apps/node/tool-thread.ts";
import { realText } from "./head-of-line.ts";
import { medianOf, round, showTable } from "./report.ts";

/**
 * Measures from which size a call should run off the main thread: the CPU time of a call inline, compared with the CPU time on
 * the main thread if the pool runs it. It uses the CPU time of threads, which other programs hardly affect.
 */
export type ThresholdRow = {
  tool: string;
  input: string;
  bodyBytes: number;
  inlineMicros: number;
  pooledMainMicros: number;
  pooledProcessMicros: number;
  runs: "inline" | "pool";
};
export type ThresholdReport = { rows: ThresholdRow[]; text: string };

const KB = 1024;
const SIZES = [KB, 4 * KB, 16 * KB, 64 * KB, 256 * KB, 1000 * KB];
const SAMPLES = 5;

const toolsByName = new Map(TOOLS.map((tool) => [tool.name, tool]));

const sources = {
  random: (count: number) => new Uint8Array(randomBytes(count)),
  digest: (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest(),
};

type Input = { tool: string; input: string; body: Buffer };

export async function measureThreshold(millisPerSample: number): Promise<ThresholdReport> {
  const pool = openToolPool(1, (cause) => {
    throw cause;
  });
  const rows: ThresholdRow[] = [];
  try {
    for (const input of makeInputs()) rows.push(await measureOne(input, pool, millisPerSample));
  } finally {
    await pool.close();
  }
  return { rows, text: show(rows) };
}

/** Real text for tools that read text, and the most expensive input for the others. */
function makeInputs(): Input[] {
  const text = realText(1000 * KB);
  const ascii = text.replace(/[^\x20-\x7e]/g, "");
  const json = (tool: string, input: string, value: unknown): Input => ({
    tool,
    input,
    body: Buffer.from(JSON.stringify(value)),
  });
  const sized = SIZES.flatMap((size) => [
    json("markdown-render", "prose", { markdown: text.slice(0, size) }),
    json("hash", "sha256", { text: text.slice(0, size), algorithm: "sha256" }),
    // Leaves room for the envelope, because the limit of echo counts the complete body.
    json("echo", "a text", { text: ascii.slice(0, size - 64).replace(/["\\]/g, " ") }),
  ]);
  const codes = [64, 512, KB, 2 * KB].flatMap((size) =>
    [256, 2048].map((width) =>
      json("qr-code", `png, ${width} px`, {
        text: ascii.slice(0, size),
        errorCorrectionLevel: "L",
        width,
      }),
    ),
  );
  const counts = [1, 50, 500].map((count) => json("uuid", `count ${count}`, { count }));
  const order = ["markdown-render", "qr-code", "hash", "uuid", "echo"];
  return [...sized, ...codes, ...counts].sort(
    (a, b) => order.indexOf(a.tool) - order.indexOf(b.tool),
  );
}

async function measureOne(
  { tool, input, body }: Input,
  pool: ToolPool,
  millis: number,
): Promise<ThresholdRow> {
  // The pool transfers the bytes of a job, so every run gets a copy, inline as well for a fair comparison.
  const job = (): ThreadJob => ({
    tool,
    body: new Uint8Array(body),
    contentType: "application/json",
    query: "",
    accept: null,
    receivedAt: Date.now(),
    random: null,
    fingerprint: false,
  });
  const inline = await sample(() => runTool(toolsByName.get(tool) as Tool, job(), sources), millis);
  const pooled = await sample(() => pool.run(job()), millis);
  const heavyFromBytes = toolsByName.get(tool)?.heavyFromBytes ?? Number.POSITIVE_INFINITY;
  return {
    tool,
    input,
    bodyBytes: body.byteLength,
    inlineMicros: round(inline.thread, 1),
    pooledMainMicros: round(pooled.thread, 1),
    pooledProcessMicros: round(pooled.process, 1),
    runs: body.byteLength >= heavyFromBytes ? "pool" : "inline",
  };
}

/** Returns the CPU microseconds of one run, for this thread and the process: medians of samples of several runs. */
async function sample(
  run: () => Promise<unknown>,
  millis: number,
): Promise<{ thread: number; process: number }> {
  const threads: number[] = [];
  const processes: number[] = [];
  // The first sample is a warm-up and is discarded.
  for (let number = 0; number <= SAMPLES; number += 1) {
    const thread = process.threadCpuUsage();
    const whole = process.cpuUsage();
    const until = performance.now() + millis;
    let runs = 0;
    do {
      await run();
      runs += 1;
    } while (performance.now() < until);
    const threadUsed = process.threadCpuUsage(thread);
    const wholeUsed = process.cpuUsage(whole);
    if (number === 0) continue;
    threads.push((threadUsed.user + threadUsed.system) / runs);
    processes.push((wholeUsed.user + wholeUsed.system) / runs);
  }
  return { thread: medianOf(threads), process: medianOf(processes) };
}

function show(rows: ThresholdRow[]): string {
  const micros = (value: number) => value.toFixed(value < 100 ? 1 : 0);
  const cells = rows.map((row) => [
    `${row.tool}, ${row.input}`,
    String(row.bodyBytes),
    micros(row.inlineMicros),
    micros(row.pooledMainMicros),
    micros(row.pooledProcessMicros),
    row.inlineMicros > row.pooledMainMicros ? "pool" : "inline",
    row.runs,
  ]);
  return [
    "Threshold: CPU time of one call in µs, inline and through the pool (main thread, whole process)",
    showTable(
      ["tool", "body bytes", "inline", "by pool: main", "process", "spares main", "runs now"],
      cells,
    ),
    "The pool is worth it if it saves much more on the main thread than it costs the process.",
  ].join("\n");
}
