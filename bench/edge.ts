import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Edge } from "../test/http/edge.ts";
import { CALL_COLUMNS, counted, SMALL_CALLS } from "./calls.ts";
import { bundleWorker, EDGE_SECRET, startBareWorker, startToolboothWorker } from "./edge-server.ts";
import type { EdgeCommand, RowCounts } from "./edge-worker.ts";
import { objectOf, openAccounts } from "./ledger-accounts.ts";
import { startLoad } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import { makeFolder } from "./processes.ts";
import { headOf, linesOf, medianOf, printTable, takeRounds } from "./report.ts";

/** Calls in workerd, beside a Worker that only reads the body. The process contains the Worker and its objects. */
type Contender = Edge & { key: string; hasRows: boolean };

const CONNECTIONS = [1, 10];
/** So many calls are counted one by one: the median leaves out the rows of alarms and of the request log. */
const COUNTED_CALLS = 9;

export async function measureEdge(options: BenchOptions): Promise<void> {
  const { roots, rounds, seconds } = options;
  const { folder, remove } = makeFolder();
  const contenders = new Map<string, Contender>();
  const load = await startLoad();
  try {
    for (const [name, root] of roots) {
      const server = await startToolboothWorker(root, path.join(folder, name));
      const [account] = await openAccounts(root, 1, EDGE_SECRET, async (operation, order) => {
        const item = { object: objectOf(order.account), name: operation, order };
        return command(server, { perform: [item] });
      });
      contenders.set(name, { ...server, key: account?.key ?? "", hasRows: true });
    }
    const key = contenders.get("toolbooth")?.key ?? "";
    const bare = await startBareWorker(path.join(folder, "bare"));
    contenders.set("bare Worker", { ...bare, key, hasRows: false });

    const calls: string[][] = [];
    const rows: string[][] = [];
    const names = [...contenders.keys()];
    const tools = Object.entries(SMALL_CALLS).filter(([tool]) => tool.includes(options.only));
    for (const [tool, body] of tools) {
      for (const connections of CONNECTIONS) {
        const samples = await takeRounds(names, rounds, async (name) => {
          const { pid, port, key: own } = contenders.get(name) as Contender;
          const target = { port, path: `/api/v1/${tool}`, body, keys: [own], connections, seconds };
          return load.sample(pid, target);
        });
        const title = `${tool}, ${counted(connections, "connection")}`;
        calls.push(...linesOf(title, samples, CALL_COLUMNS, "median"));
      }
    }
    for (const [tool, body] of tools) {
      for (const [name, contender] of contenders) {
        if (!contender.hasRows) continue;
        const { read, written } = await countRows(contender, tool, body);
        rows.push([tool, name, String(read), String(written)]);
      }
    }
    printTable(
      `Edge: medians of ${counted(rounds, "round")} of ${seconds} s. Ratio: Toolbooth divided by the contender, median (range)`,
      headOf("call", CALL_COLUMNS),
      calls,
    );
    printTable("Rows of a debited call", ["call", "contender", "rows read", "rows written"], rows);
    const sizes = [...roots].map(async ([name, root]) => {
      const code = await bundleWorker(root);
      return ["API Worker", name, String(code.byteLength), String(gzipSync(code).byteLength)];
    });
    printTable(
      "Bytes that an isolate parses when it starts",
      ["bundle", "contender", "bytes", "gzip"],
      await Promise.all(sizes),
    );
  } finally {
    await load.stop();
    for (const contender of contenders.values()) await contender.close();
    remove();
  }
}

async function command<Outcome>({ base }: Edge, order: EdgeCommand): Promise<Outcome> {
  const response = await fetch(base, { method: "PUT", body: JSON.stringify(order) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Outcome;
}

async function countRows(contender: Contender, tool: string, body: string): Promise<RowCounts> {
  const counts: RowCounts[] = [];
  for (let call = 0; call < COUNTED_CALLS; call += 1) {
    await command(contender, { count: "start" });
    const response = await fetch(`${contender.base}/api/v1/${tool}`, {
      method: "POST",
      headers: { authorization: `Bearer ${contender.key}`, "content-type": "application/json" },
      body,
    });
    if (!response.ok) throw new Error(await response.text());
    counts.push(await command(contender, { count: "read" }));
  }
  return {
    read: medianOf(counts.map(({ read }) => read)),
    written: medianOf(counts.map(({ written }) => written)),
  };
}
