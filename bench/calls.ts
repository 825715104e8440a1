import { startLoad } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import { type Column, headOf, linesOf, printTable, takeRounds } from "./report.ts";
import { type Server, startBareServer, startExpressServer, startToolbooth } from "./servers.ts";

/**
 * Small calls of each tool, beside a bare `node:http` server that only parses and responds, and beside a build on Express that
 * charges each call in a transaction of its own.
 */
const BODY_BYTES = 60;

/** White space pads the smallest bodies to one size. They set every field that the other servers read. */
export const SMALL_CALLS: Readonly<Record<string, string>> = {
  hash: '{"text":"The quick brown fox jumps","algorithm":"sha256"}'.padEnd(BODY_BYTES),
  uuid: '{"count":1,"uppercase":false}'.padEnd(BODY_BYTES),
  echo: '{"hello":"world","list":[1,2.5,true,null],"nested":{"a":1}}'.padEnd(BODY_BYTES),
  "qr-code": '{"text":"https://example.com/tickets/8f14e45f","format":"svg","width":256}',
  "markdown-render": JSON.stringify({
    markdown:
      "# Release notes\n\nVersion **2.1** is out. See the [changes](https://example.com/changes).\n\n- faster start\n- `--json` for every command\n",
    format: "html",
  }),
};

/** The columns of calls, at the edge too. */
export const CALL_COLUMNS: readonly Column[] = [
  { key: "perSecond", title: "calls/s", digits: 0, ratio: true },
  { key: "cpuMicros", title: "CPU µs", digits: 1, ratio: true },
  { key: "p50", title: "p50 ms", digits: 2 },
  { key: "p99", title: "p99 ms", digits: 2 },
];

const CONNECTIONS = [1, 64];

export async function measureCalls(options: BenchOptions): Promise<void> {
  const { rounds, seconds } = options;
  const cases = [1, options.accounts].flatMap((accounts) =>
    CONNECTIONS.flatMap((connections) =>
      Object.entries(SMALL_CALLS).map(([tool, body]) => ({
        title: `${tool}, ${counted(connections, "connection")}, ${counted(accounts, "account")}`,
        ...{ tool, body, connections, accounts },
      })),
    ),
  );
  const chosen = cases.filter(({ title }) => title.includes(options.only));
  const accountsMax = Math.max(...chosen.map(({ accounts }) => accounts));
  const servers = new Map<string, Server>();
  const load = await startLoad();
  try {
    for (const [name, root] of options.roots)
      servers.set(name, await startToolbooth(root, accountsMax));
    servers.set("bare node:http", await startBareServer(accountsMax));
    servers.set("Express", await startExpressServer(accountsMax));
    const run = (name: string, { tool, body, connections, accounts }: Case, length: number) => {
      const { pid, port, keys } = servers.get(name) as Server;
      const target = { port, path: `/api/v1/${tool}`, body, connections, seconds: length };
      return load.sample(pid, { ...target, keys: keys.slice(0, accounts) });
    };
    // CPU time per call falls until V8 has compiled what every call runs, which takes some 60,000 calls.
    const warmUp = { ...(chosen[0] as Case), connections: Math.max(...CONNECTIONS) };
    for (const name of servers.keys()) await run(name, warmUp, rounds * seconds);
    const rows: string[][] = [];
    for (const one of chosen) {
      const samples = await takeRounds([...servers.keys()], rounds, (name) =>
        run(name, one, seconds),
      );
      rows.push(...linesOf(one.title, samples, CALL_COLUMNS, "median"));
    }
    printTable(
      `Calls: medians of ${counted(rounds, "round")} of ${seconds} s. Ratio: Toolbooth divided by the contender, median (range)`,
      headOf("call", CALL_COLUMNS),
      rows,
    );
  } finally {
    await load.stop();
    for (const server of servers.values()) await server.stop();
  }
}

type Case = { tool: string; body: string; connections: number; accounts: number };

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
