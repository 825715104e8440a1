import path from "node:path";
import { counted } from "./calls.ts";
import { EXAMPLES } from "./conformance.ts";
import type { EngineTurn } from "./engine-process.ts";
import { TASKS } from "./engine-tasks.ts";
import type { BenchOptions } from "./main.ts";
import { ask, type Started, startNode } from "./processes.ts";
import { type Column, headOf, linesOf, printTable, type Sample, takeRounds } from "./report.ts";

/** The engines beside others. Plain CPU work is disturbed only upwards, so the least of the rounds counts. */
const CPU: Column = { key: "cpuMicros", title: "CPU µs", digits: 1, ratio: true };

/** An engine is as good as what it renders, so its conformance stands beside its speed. */
const passed = (key: keyof typeof EXAMPLES, title: string): Column[] => {
  const { length } = EXAMPLES[key];
  return length === 0 ? [] : [{ key, title: `${title} (of ${length})`, digits: 0 }];
};

const COLUMNS = {
  markdown: [CPU, ...passed("commonMark", "CommonMark"), ...passed("gfm", "GFM")],
  qr: [CPU],
};

const PEERS = {
  markdown: ["md4w", "md4x", "md4x+sanitize-html", "marked", "marked+DOMPurify", "markdown-it"],
  qr: ["node-qrcode"],
};

export async function measureEngines(options: BenchOptions): Promise<void> {
  const { roots, rounds, seconds } = options;
  const script = path.join(import.meta.dirname, "engine-process.ts");
  const engines = new Map<string, Started>();
  const rows = { markdown: [] as string[][], qr: [] as string[][] };
  try {
    for (const { name: task, engine } of TASKS.filter(({ name }) => name.includes(options.only))) {
      const names = [...roots.keys(), ...PEERS[engine]];
      for (const name of names.filter((one) => !engines.has(one))) {
        const started = startNode([script, name, roots.get(name) ?? ""]);
        engines.set(name, started);
        await ask(started);
      }
      const turn: EngineTurn = { task, seconds };
      const samples = await takeRounds(names, rounds, (name) =>
        ask<Sample>(engines.get(name) as Started, turn),
      );
      rows[engine].push(...linesOf(task, samples, COLUMNS[engine], "minimum"));
    }
  } finally {
    for (const engine of engines.values()) await engine.stop();
  }
  for (const engine of ["markdown", "qr"] as const) {
    if (rows[engine].length === 0) continue;
    printTable(
      `Engines: least CPU time for an input in ${counted(rounds, "round")} of ${seconds} s. Ratio: Toolbooth divided by the contender`,
      headOf("task", COLUMNS[engine]),
      rows[engine],
    );
  }
}
