import type { Sample } from "./markdown-contender.ts";
import { QR_ENGINES, type QrEngine } from "./peers/qr-engines.ts";
import { doing, QR_TASKS, textsOf } from "./qr-tasks.ts";

/** Runs one contender in its own process, as in `markdown-contender.ts`. Returns null for a format that it does not have. */
export type QrQuestion = { task: string; round: number };
export type QrSample = Pick<Sample, "cpuMicros" | "renders">;

const SAMPLE_MICROS = 40_000;

const name = process.argv[2] ?? "";
const engine: QrEngine | undefined = await QR_ENGINES[name]?.();
if (engine === undefined) throw new Error(`Unknown contender "${name}"`);

process.on("message", async (question: QrQuestion) => process.send?.(await takeSample(question)));
process.send?.("ready");

/** Encodes complete passes over the texts, so that every contender gets the same mix. */
async function takeSample({ task: wanted, round }: QrQuestion): Promise<QrSample | null> {
  const task = QR_TASKS.find((one) => one.name === wanted);
  if (task === undefined) throw new Error(`Unknown task "${wanted}"`);
  const run = doing(engine as QrEngine, task);
  if (run === undefined) return null;
  const texts = textsOf(task.kind, task.texts, round);
  const before = process.cpuUsage();
  for (let renders = 0; ; ) {
    for (const text of texts) {
      const response = run(text);
      finish(response instanceof Promise ? await response : response);
    }
    renders += texts.length;
    const { user, system } = process.cpuUsage(before);
    if (user + system >= SAMPLE_MICROS) return { cpuMicros: user + system, renders };
  }
}

/** V8 joins concatenated strings only when they are read, so reading belongs to the response. */
function finish(response: unknown): void {
  const isThere =
    typeof response === "string" ? response.charCodeAt(response.length - 1) > 0 : response;
  if (!isThere) throw new Error(`${name} answered nothing`);
}
