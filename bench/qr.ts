import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type Aim, type Bundle, measureBundles, showBundlesAndAims } from "./bundles.ts";
import type { MarkdownOptions, MarkdownReport } from "./markdown.ts";
import { NODE_QRCODE, OURS, QR_ENGINES } from "./peers/qr-engines.ts";
import type { QrQuestion, QrSample } from "./qr-contender.ts";
import { measureSizes, type QrSize } from "./qr-sizes.ts";
import { ADVERSARIAL, QR_TASKS } from "./qr-tasks.ts";
import { medianOf, round, type Spread, showSpread, showTable, spreadOf } from "./report.ts";

/**
 * Measures the CPU time of QR codes, compared with other engines: the modules alone, and complete responses. As in
 * `markdown.ts`, each contender has its own process, they take turns, and ratios compare samples of the same round.
 */
export type QrOptions = MarkdownOptions;

type TaskReport = {
  task: string;
  rounds: number;
  /** CPU microseconds per response, by contender, except for formats that it does not have. */
  micros: Record<string, number>;
  /** How many times faster Toolbooth is, by peer. */
  ratios: Record<string, Spread>;
};
export type QrReport = Pick<MarkdownReport, "bundles" | "aims" | "text"> & {
  tasks: TaskReport[];
  sizes: QrSize[];
};

/** The engine has three entry points: the symbol, drawings and PNG. */
const BUNDLES = {
  "engine with drawing": ["qr-code/encode-qr.ts", "qr-code/draw.ts", "qr-code/png.ts"],
  "tool with its schema": ["qr-code/tool.ts"],
};

const adversarialTasks = Object.keys(ADVERSARIAL).map((kind) => `matrix, ${kind}`);
const RATIO_AIMS = [
  { task: "png 256", peer: NODE_QRCODE, times: 30 },
  { task: "png 2048", peer: NODE_QRCODE, times: 300 },
  { task: "matrix, url", peer: "qr", times: 1.2 },
  ...adversarialTasks.map((task) => ({ task, peer: "qr", times: 1 })),
];
const ENGINE_GZIPPED_BYTES_MAX = 8 * 1024;
/** Keeps the part within two minutes, with fewer rounds on a slow machine. */
const TASK_MS_MAX = 6_000;

export async function measureQr(options: QrOptions): Promise<QrReport> {
  const names = Object.keys(QR_ENGINES).filter((name) => options.only.includes(name));
  const children = new Map<string, ChildProcess>();
  const tasks: TaskReport[] = [];
  try {
    for (const name of names) {
      children.set(name, fork(path.join(import.meta.dirname, "qr-contender.ts"), [name]));
    }
    await Promise.all([...children.values()].map(responseOf));
    for (const { name } of QR_TASKS) {
      tasks.push(summarise(name, await takeTurns(name, children, options.rounds)));
    }
  } finally {
    // Disconnecting lets a child exit by itself, so that its profile is written.
    for (const child of children.values()) if (child.connected) child.disconnect();
  }
  const sizes = await measureSizes();
  const bundles = await measureBundles(BUNDLES);
  const aims = judge(tasks, sizes, bundles);
  return { tasks, sizes, bundles, aims, text: show(names, tasks, sizes, bundles, aims) };
}

/** Resolves to the next message of a child. Rejects if the child ends instead, so that the run does not hang. */
async function responseOf(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  const ended = once(child, "exit", { signal }).then(() => {
    throw new Error(`${child.spawnargs.at(-1)} ended before it responded`);
  });
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } finally {
    ended.catch(() => undefined);
    settled.abort();
  }
}

type Round = Map<string, QrSample>;

/** Round 0 is a warm-up and is discarded. The order of the contenders changes every round. */
async function takeTurns(
  task: string,
  children: ReadonlyMap<string, ChildProcess>,
  rounds: number,
): Promise<Round[]> {
  const until = performance.now() + TASK_MS_MAX;
  const taken: Round[] = [];
  while (taken.length <= rounds && (taken.length < 2 || performance.now() < until)) {
    const turns = [...children];
    turns.push(...turns.splice(0, taken.length % turns.length));
    const samples: Round = new Map();
    for (const [name, child] of turns) {
      const question: QrQuestion = { task, round: taken.length };
      const response = responseOf(child) as Promise<QrSample | null>;
      child.send(question);
      const sample = await response;
      if (sample !== null) samples.set(name, sample);
    }
    taken.push(samples);
  }
  return taken.slice(1);
}

function summarise(task: string, rounds: readonly Round[]): TaskReport {
  const micros: Record<string, number> = {};
  const ratios: Record<string, Spread> = {};
  const cost = (sample: QrSample) => sample.cpuMicros / sample.renders;
  for (const name of Object.keys(QR_ENGINES)) {
    const pairs = rounds.map((one) => ({ theirs: one.get(name), ours: one.get(OURS) }));
    const costs = pairs.flatMap(({ theirs }) => (theirs ? [cost(theirs)] : []));
    if (costs.length === 0) continue;
    micros[name] = round(medianOf(costs), 1);
    const times = pairs.flatMap(({ theirs, ours }) =>
      theirs && ours ? [cost(theirs) / cost(ours)] : [],
    );
    if (name !== OURS && times.length > 0) ratios[name] = spreadOf(times);
  }
  return { task, rounds: rounds.length, micros, ratios };
}

function judge(
  tasks: readonly TaskReport[],
  sizes: readonly QrSize[],
  bundles: readonly Bundle[],
): Aim[] {
  const speeds = RATIO_AIMS.flatMap(({ task, peer, times }) => {
    const ratio = tasks.find((one) => one.task === task)?.ratios[peer];
    if (ratio === undefined) return [];
    const amount = round(ratio.median, 2);
    return [{ aim: `${task}: at least ${times} times ${peer}`, reached: amount >= times, amount }];
  });
  const worst = round(Math.max(...sizes.map((one) => one.worst ?? 0)), 3);
  const engine = bundles[0]?.gzippedBytes ?? Number.NaN;
  return [
    ...speeds,
    {
      aim: "every PNG at most as large as with zlib level 9, worst ratio",
      reached: worst <= 1,
      amount: worst,
    },
    {
      aim: `an engine with drawing of at most ${ENGINE_GZIPPED_BYTES_MAX} bytes gzipped`,
      reached: engine <= ENGINE_GZIPPED_BYTES_MAX,
      amount: engine,
    },
  ];
}

function show(
  names: readonly string[],
  tasks: readonly TaskReport[],
  sizes: readonly QrSize[],
  bundles: readonly Bundle[],
  aims: readonly Aim[],
): string {
  const peers = names.filter((name) => name !== OURS);
  const times = tasks.map(({ task, rounds, micros }) => [
    task,
    String(rounds),
    ...names.map((name) => micros[name]?.toFixed(1) ?? ""),
  ]);
  const ratios = tasks.map(({ task, ratios: of }) => [
    task,
    ...peers.map((peer) => (of[peer] ? showSpread(of[peer], 2) : "")),
  ]);
  const bytes = sizes.map((one) => [
    `${one.response}, ${one.text}`,
    one.ours.toFixed(0),
    one.nodeQrcode.toFixed(0),
    one.data?.toFixed(0) ?? "",
    one.zlib?.toFixed(0) ?? "",
    one.worst?.toFixed(3) ?? "",
  ]);
  return [
    "QR codes, level M: microseconds of CPU time per response, median of rounds",
    showTable(["task", "rounds", ...names], times),
    ...(names.includes(OURS) && peers.length > 0
      ? [
          `How many times faster ${OURS} is, median (min–max)`,
          showTable(["task", ...peers], ratios),
        ]
      : []),
    "Bytes of a response, mean over texts; for PNGs also of the rows, compressed by Toolbooth and by zlib level 9",
    showTable(["answer", OURS, NODE_QRCODE, "rows", "zlib 9", "worst ratio"], bytes),
    ...showBundlesAndAims(bundles, aims),
  ].join("\n");
}
