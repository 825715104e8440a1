import { gatherCorpus, SIZES } from "./markdown-documents.ts";
import { CONTENDERS } from "./peers/markdown-engines.ts";

/**
 * Runs one contender in its own process and returns one sample for each message such as "1 KB". So the CPU time of the process
 * is the contender's alone, including compilation and garbage collection.
 */
export type Sample = { cpuMicros: number; bytes: number; renders: number };

const SAMPLE_MICROS = 250_000;
/** After one sample of small documents, slow engines are not optimized yet. */
const WARM_UP_SAMPLES = 4;

const name = process.argv[2] ?? "";
const contender = CONTENDERS[name];
if (contender === undefined) throw new Error(`Unknown contender "${name}"`);
const render = await contender.open();
const corpus = gatherCorpus();
const sizes = new Map(
  SIZES.map((size) => {
    const documents = corpus.documentsOf(size);
    const bytes = documents.reduce((sum, document) => sum + Buffer.byteLength(document), 0);
    return [size.name as string, { documents, bytes }];
  }),
);

for (let number = 0; number < WARM_UP_SAMPLES; number += 1) {
  takeSample("1 KB");
  takeSample("10 KB");
}
process.on("message", (size: string) => process.send?.(takeSample(size)));
process.send?.("ready");

/** Renders complete passes over the documents of a size, so that every contender gets the same mix. */
function takeSample(size: string): Sample {
  const { documents, bytes } = sizes.get(size) ?? { documents: [], bytes: 0 };
  let passes = 0;
  let cpuMicros = 0;
  const before = process.cpuUsage();
  do {
    for (const document of documents) finish(render(document));
    passes += 1;
    const used = process.cpuUsage(before);
    cpuMicros = used.user + used.system;
  } while (cpuMicros < SAMPLE_MICROS);
  return { cpuMicros, bytes: passes * bytes, renders: passes * documents.length };
}

/** V8 joins concatenated strings only when they are read, so reading belongs to the rendering. */
function finish(html: string): void {
  if (Number.isNaN(html.charCodeAt(html.length - 1))) throw new Error(`${name} rendered nothing`);
}
