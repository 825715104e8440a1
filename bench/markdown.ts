import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { type Aim, type Bundle, measureBundles, showBundlesAndAims } from "./bundles.ts";
import type { Sample } from "./markdown-contender.ts";
import { type Corpus, gatherCorpus, SIZES, type Size } from "./markdown-documents.ts";
import { CONTENDERS, OURS } from "./peers/markdown-engines.ts";
import { medianOf, round, type Spread, showSpread, showTable, spreadOf } from "./report.ts";

/**
 * Measures the CPU time of rendering real documents, compared with other engines. The contenders take turns in each round,
 * each in its own process. Ratios compare samples of the same round.
 */
export type MarkdownOptions = { rounds: number; only: readonly string[] };

type SizeReport = {
  size: string;
  documents: number;
  rounds: number;
  /** Megabytes (10^6 bytes) of Markdown per second of CPU time, by contender. */
  megabytes: Record<string, number>;
  /** Toolbooth's rate divided by the peer's, by peer. */
  ratios: Record<string, Spread>;
};
export type MarkdownReport = {
  corpus: Omit<Corpus, "documentsOf">;
  sizes: SizeReport[];
  bundles: Bundle[];
  aims: Aim[];
  text: string;
};

const BUNDLES = {
  engine: ["markdown-render/render-markdown.ts"],
  "tool with its schema": ["markdown-render/tool.ts"],
};

/** A contender's samples of one size, by round. Slow contenders skip rounds. */
type Samples = Map<string, (Sample | undefined)[]>;

const RATIO_AIMS = [
  { peer: "marked", size: "1 MB", times: 3 },
  { peer: "marked+dompurify", size: "1 MB", times: 30 },
  { peer: "marked", size: "1 KB", times: 2.5 },
];
const ENGINE_GZIPPED_BYTES_MAX = 22 * 1024;
/** Keeps the part within three minutes, with fewer rounds on a slow machine. */
const SIZE_MS_MAX = 40_000;

export async function measureMarkdown(options: MarkdownOptions): Promise<MarkdownReport> {
  const names = Object.keys(CONTENDERS).filter((name) => options.only.includes(name));
  const { documentsOf: _, ...corpus } = gatherCorpus();
  const bundles = await measureBundles(BUNDLES);
  const children = new Map<string, ChildProcess>();
  const sizes: SizeReport[] = [];
  try {
    for (const name of names) children.set(name, start(name));
    await Promise.all([...children.values()].map((child) => hear(child)));
    for (const size of SIZES) {
      sizes.push(summarise(size, await runRounds(size, children, options.rounds)));
    }
  } finally {
    // Disconnecting lets a child exit by itself, so that its profile is written.
    for (const child of children.values()) if (child.connected) child.disconnect();
  }
  const aims = judge(sizes, bundles);
  return { corpus, sizes, bundles, aims, text: show(names, corpus, sizes, bundles, aims) };
}

function start(name: string): ChildProcess {
  return fork(path.join(import.meta.dirname, "markdown-contender.ts"), [name]);
}

function hear(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`${child.spawnargs.at(-1)} ended before it responded`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message);
    });
  });
}

function ask(child: ChildProcess, size: Size): Promise<Sample> {
  const response = hear(child) as Promise<Sample>;
  child.send(size.name);
  return response;
}

/** Round 0 is a warm-up and is discarded. The order of the contenders changes every round. */
async function runRounds(
  size: Size,
  children: ReadonlyMap<string, ChildProcess>,
  rounds: number,
): Promise<Samples> {
  const until = performance.now() + SIZE_MS_MAX;
  const names = [...children.keys()];
  const samples: Samples = new Map(names.map((name) => [name, []]));
  for (let number = 0; number <= rounds; number += 1) {
    if (number > 1 && performance.now() > until) break;
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(number + turn) % names.length] as string;
      const takesPart = number === 0 || !CONTENDERS[name]?.slow || number % 3 === 1;
      const sample = takesPart ? await ask(children.get(name) as ChildProcess, size) : undefined;
      if (number > 0) samples.get(name)?.push(sample);
    }
  }
  return samples;
}

function summarise(size: Size, samples: Samples): SizeReport {
  const speed = (sample: Sample) => sample.bytes / sample.cpuMicros;
  const megabytes: Record<string, number> = {};
  const ratios: Record<string, Spread> = {};
  const ours = samples.get(OURS);
  let rounds = 0;
  for (const [name, taken] of samples) {
    rounds = Math.max(rounds, taken.length);
    megabytes[name] = round(medianOf(taken.flatMap((one) => (one ? [speed(one)] : []))), 3);
    if (ours === undefined || name === OURS) continue;
    ratios[name] = spreadOf(
      taken.flatMap((theirs, number) => {
        const own = ours[number];
        return theirs && own ? [speed(own) / speed(theirs)] : [];
      }),
    );
  }
  return { size: size.name, documents: size.documents, rounds, megabytes, ratios };
}

function judge(sizes: readonly SizeReport[], bundles: readonly Bundle[]): Aim[] {
  const speeds = RATIO_AIMS.flatMap(({ peer, size, times }) => {
    const ratio = sizes.find((one) => one.size === size)?.ratios[peer];
    if (ratio === undefined) return [];
    const amount = round(ratio.median, 2);
    return [
      { aim: `at least ${times} times ${peer} at ${size}`, reached: amount >= times, amount },
    ];
  });
  const engine = bundles[0]?.gzippedBytes ?? Number.NaN;
  const small = {
    aim: `an engine of at most ${ENGINE_GZIPPED_BYTES_MAX} bytes gzipped`,
    reached: engine <= ENGINE_GZIPPED_BYTES_MAX,
    amount: engine,
  };
  return [...speeds, small];
}

function show(
  names: readonly string[],
  corpus: MarkdownReport["corpus"],
  sizes: readonly SizeReport[],
  bundles: readonly Bundle[],
  aims: readonly Aim[],
): string {
  const peers = names.filter((name) => name !== OURS);
  const slow = names.filter((name) => CONTENDERS[name]?.slow);
  const speeds = sizes.map((one) => [
    one.size,
    String(one.documents),
    String(one.rounds),
    ...names.map((name) => one.megabytes[name]?.toFixed(2) ?? ""),
  ]);
  const ratios = sizes.map((one) => [
    one.size,
    ...peers.map((peer) => (one.ratios[peer] ? showSpread(one.ratios[peer], 2) : "")),
  ]);
  return [
    "Markdown: MB (10^6 bytes) rendered per second of CPU time, median of rounds",
    `Text: ${corpus.files} Markdown files of node_modules, ${corpus.bytes} bytes, sha256 ${corpus.digest}`,
    ...(corpus.repeated
      ? ["The text is shorter than 1 MB, so the largest document repeats it."]
      : []),
    showTable(["size", "documents", "rounds", ...names], speeds),
    ...(slow.length > 0 ? [`Only in every third round: ${slow.join(", ")}`, ""] : []),
    ...(names.includes(OURS) && peers.length > 0
      ? [`${OURS} divided by each peer, median (min–max)`, showTable(["size", ...peers], ratios)]
      : []),
    ...showBundlesAndAims(bundles, aims),
  ].join("\n");
}
