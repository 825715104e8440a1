import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Postgres, startPostgres } from "../test/support/postgres.ts";
import { counted } from "./calls.ts";
import type { DebitResult, DebitTurn } from "./ledger-node.ts";
import type { BenchOptions } from "./main.ts";
import { ask, makeFolder, type Started, startNode } from "./processes.ts";
import { type Column, headOf, linesOf, printTable, takeRounds } from "./report.ts";

/** Debits without HTTP on each store, 64 at a time. Every store syncs a debit before it is answered. */
const COLUMNS: readonly Column[] = [
  { key: "perSecond", title: "debits/s", digits: 0, ratio: true },
  { key: "perCpuSecond", title: "per CPU second", digits: 0, ratio: true },
  { key: "cpuMicros", title: "CPU µs", digits: 1 },
];

const STORES = ["SQLite", "PostgreSQL", "Durable Objects"];
/** Every account is an object of its own, which needs 0.6 MB of memory. */
const OBJECTS_MAX = 100;

export async function measureLedger(options: BenchOptions): Promise<void> {
  const { roots, rounds, seconds } = options;
  const rows: string[][] = [];
  for (const store of STORES.filter((one) => one.includes(options.only))) {
    const many =
      store === "Durable Objects" ? Math.min(options.accounts, OBJECTS_MAX) : options.accounts;
    const { nodes, close } = await startNodes(store, roots, many);
    try {
      for (const accounts of [1, many]) {
        const turn: DebitTurn = { accounts, seconds };
        const samples = await takeRounds([...nodes.keys()], rounds, async (name) => {
          const result = await ask<DebitResult>(nodes.get(name) as Started, turn);
          return { ...result, perCpuSecond: 1e6 / result.cpuMicros };
        });
        const title = `${store}, ${counted(accounts, "account")}`;
        rows.push(...linesOf(title, samples, COLUMNS, "median"));
      }
    } finally {
      await close();
    }
  }
  printTable(
    `Ledger: medians of ${counted(rounds, "round")} of ${seconds} s. CPU time: of Node and PostgreSQL together, or of workerd`,
    headOf("store", COLUMNS),
    rows,
  );
}

/** Starts a node for each checkout, on a database of its own of one server. */
async function startNodes(
  store: string,
  roots: ReadonlyMap<string, string>,
  accounts: number,
): Promise<{ nodes: Map<string, Started>; close(): Promise<void> }> {
  const { folder, remove } = makeFolder();
  const nodes = new Map<string, Started>();
  let postgres: Postgres | undefined;
  const close = async () => {
    for (const node of nodes.values()) await node.stop();
    await postgres?.dispose();
    remove();
  };
  try {
    if (store === "PostgreSQL")
      postgres = await startPostgres({ shared_buffers: "256MB", max_wal_size: "4GB" });
    for (const [name, root] of roots) {
      const own = path.join(folder, name);
      mkdirSync(own);
      const place =
        postgres === undefined ? [own] : [await postgres.createDatabase(), pidOf(postgres)];
      const script = path.join(import.meta.dirname, "ledger-node.ts");
      const node = startNode([script, root, store, String(accounts), ...place], {});
      nodes.set(name, node);
      await ask(node);
    }
    return { nodes, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const pidOf = ({ folder }: Postgres): string =>
  readFileSync(path.join(folder, "postmaster.pid"), "utf8").split("\n")[0] ?? "";
