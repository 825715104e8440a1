import { cpus, loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { leaveLoadCore, ROOT } from "./processes.ts";

/** The command line of the benchmarks: four scripts, each of which prints a table. */
const USAGE = `npm run bench -- calls|ledger|engines|edge [options]

  calls    small calls of each tool beside a bare node:http server and a build on Express
  ledger   debits on SQLite, on PostgreSQL and in Durable Objects
  engines  Markdown beside md4w, md4x, marked and markdown-it, with and without sanitizers; QR codes beside node-qrcode
  edge     calls in workerd: CPU time, rows read and written, and the size of the Worker

  --beside <path>   measure another checkout of Toolbooth too, in turns, and print the ratio
  --only <text>     measure only what has this text in its first column
  --rounds <n>      rounds in which the contenders take turns (5)
  --seconds <n>     length of a turn (1)
  --accounts <n>    accounts where there are many (1000)
`;

export type BenchOptions = {
  /** This checkout as `toolbooth`, and the other one as `beside`. */
  roots: ReadonlyMap<string, string>;
  only: string;
  rounds: number;
  seconds: number;
  accounts: number;
};

const SCRIPTS: Readonly<Record<string, () => Promise<(options: BenchOptions) => Promise<void>>>> = {
  calls: async () => (await import("./calls.ts")).measureCalls,
  ledger: async () => (await import("./ledger.ts")).measureLedger,
  engines: async () => (await import("./engines.ts")).measureEngines,
  edge: async () => (await import("./edge.ts")).measureEdge,
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      beside: { type: "string" },
      only: { type: "string", default: "" },
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "1" },
      accounts: { type: "string", default: "1000" },
    },
  });
  const open = SCRIPTS[positionals[0] ?? ""];
  const [rounds, seconds, accounts] = [values.rounds, values.seconds, values.accounts].map(Number);
  if (open === undefined || !(rounds && seconds && accounts)) {
    process.stdout.write(USAGE);
    process.exitCode = 2;
    return;
  }
  if (process.platform !== "linux")
    throw new Error("The benchmarks need Linux: they read CPU times from /proc and pin processes");
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), load ${loadavg()[0]?.toFixed(2)}, ${new Date().toISOString().slice(0, 10)}\n\n`,
  );
  const roots = new Map([["toolbooth", ROOT]]);
  if (values.beside !== undefined) roots.set("beside", path.resolve(values.beside));
  leaveLoadCore();
  const measure = await open();
  await measure({ roots, only: values.only, rounds, seconds, accounts });
}

main().then(
  () => process.exit(),
  (error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
