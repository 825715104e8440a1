import { type Case, createCases } from "./cases.ts";
import { type LoadResult, runFlatOut } from "./load.ts";
import { createUsualAccounts } from "./peers/usual-ledger.ts";
import { cpuMicrosOf } from "./process-cpu.ts";
import {
  openAccounts,
  type Reconciliation,
  reconcile,
  reconcileUsual,
  showReconciliation,
} from "./reconcile.ts";
import {
  medianOf,
  percentile,
  round,
  type Spread,
  showSpread,
  showTable,
  spreadOf,
} from "./report.ts";
import {
  makeDataDir,
  type Server,
  startBareServer,
  startOwnServer,
  startUsualServer,
  USUAL_NAMES,
} from "./servers.ts";

/**
 * Measures calls per second and CPU time per call. The contenders are a bare `node:http` server that only parses and responds,
 * Toolbooth, and the builds that people would write instead (`peers/`). They get the same requests and take turns, and only
 * runs of the same round are compared.
 */
export type ThroughputOptions = {
  rounds: number;
  seconds: number;
  logLevel: string;
  /** Measures only these cases; absent: all. */
  cases?: readonly string[];
};

export const BARE = "bare";
export const OURS = "toolbooth";
export const CONTENDERS = [BARE, OURS, ...USUAL_NAMES] as const;
export type Contender = (typeof CONTENDERS)[number];

export const MANY_ACCOUNTS = 1_000;

type Run = { perSecond: number; cpuMicros: number; p50: number; p99: number };
/** The runs of one round of a case. */
type Round = Record<Contender, Run>;

export type ThroughputRow = {
  name: string;
  /** Medians of the rounds, by contender. CPU time is per response. */
  perSecond: Record<Contender, number>;
  cpuMicros: Record<Contender, number>;
  p50Ms: Record<Contender, number>;
  p99Ms: Record<Contender, number>;
  /** Toolbooth's throughput and CPU time divided by those of the bare server. */
  ofBare: { throughput: Spread; cpu: Spread };
  /** Toolbooth's throughput divided by the build's, and the build's CPU time divided by Toolbooth's: how many times better. */
  overUsual: Record<string, { throughput: Spread; cpu: Spread }>;
};

export type ThroughputReport = {
  rows: ThroughputRow[];
  rounds: number;
  seconds: number;
  generatorCpuMicros: number;
  totals: Reconciliation;
  text: string;
};

export type Contenders = {
  servers: Record<Contender, Server>;
  /** Keys of the contenders, one account each. The bare server gets ours, so that both parse the same bytes. */
  keys: Record<Contender, string[]>;
  /** Adds responses that must be in the ledger at the end. */
  count(contender: Contender, responses: number): void;
  /** Kills the servers and compares their ledgers with the responses. Throws if a ledger of a build does not match. */
  finish(): Promise<Reconciliation>;
  close(): Promise<void>;
};

export async function startContenders(
  logLevel: string,
  accounts = MANY_ACCOUNTS,
): Promise<Contenders> {
  const folders = Object.fromEntries(CONTENDERS.map((name) => [name, makeDataDir()])) as Record<
    Contender,
    ReturnType<typeof makeDataDir>
  >;
  const started: Server[] = [];
  const responses = new Map<Contender, number>();
  const close = async () => {
    for (const server of started) await server.stop();
    for (const { remove } of Object.values(folders)) remove();
  };
  try {
    const bare = await startBareServer();
    started.push(bare);
    const ours = await startOwnServer(folders[OURS].dataDir, logLevel);
    started.push(ours);
    const ownKeys = [ours.key, ...(await openAccounts(folders[OURS].dataDir, accounts - 1))];
    const servers: Record<string, Server> = { [BARE]: bare, [OURS]: ours };
    const keys: Record<string, string[]> = { [BARE]: ownKeys, [OURS]: ownKeys };
    for (const name of USUAL_NAMES) {
      const { dataDir } = folders[name];
      keys[name] = createUsualAccounts(dataDir, accounts);
      const server = await startUsualServer(name, dataDir);
      started.push(server);
      servers[name] = server;
    }
    return {
      servers: servers as Contenders["servers"],
      keys: keys as Contenders["keys"],
      count: (contender, more) =>
        void responses.set(contender, (responses.get(contender) ?? 0) + more),
      async finish() {
        // Killed, not stopped: every response must have its debit on disk.
        for (const server of started) await server.stop("SIGKILL");
        for (const name of USUAL_NAMES)
          reconcileUsual(name, folders[name].dataDir, responses.get(name) ?? 0);
        return reconcile(folders[OURS].dataDir, responses.get(OURS) ?? 0);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function measureThroughput(options: ThroughputOptions): Promise<ThroughputReport> {
  const contenders = await startContenders(options.logLevel);
  try {
    const cases = createCases(contenders.keys).filter(
      ({ name }) => options.cases?.includes(name) ?? true,
    );
    const generator = { cpu: process.cpuUsage(), responses: 0 };
    const rounds = cases.map(() => [] as Round[]);
    await warmUp(contenders, cases[0], options);
    // Round 0 is a warm-up and is discarded.
    for (let number = 0; number <= options.rounds; number += 1) {
      for (const [i, { requests, connections }] of cases.entries()) {
        const round: Partial<Round> = {};
        for (const name of orderOf(number)) {
          const server = contenders.servers[name];
          const { run, responses } = await measure(server, {
            port: server.port,
            requests: requests[name],
            connections,
            durationMs: options.seconds * 1000,
          });
          contenders.count(name, responses);
          generator.responses += responses;
          round[name] = run;
        }
        if (number > 0) rounds[i]?.push(round as Round);
      }
    }
    const { user, system } = process.cpuUsage(generator.cpu);
    const generatorCpuMicros = round((user + system) / generator.responses, 1);
    const totals = await contenders.finish();
    const rows = cases.map(({ name }, i) => summarise(name, rounds[i] as Round[]));
    const text = show(rows, options, generatorCpuMicros, totals);
    if (!totals.ok) throw new Error(`${text}\n\nThe ledger does not match the responses`);
    const { rounds: count, seconds } = options;
    return { rows, rounds: count, seconds, generatorCpuMicros, totals, text };
  } finally {
    await contenders.close();
  }
}

/**
 * Lets V8 compile what every call runs, for as long as all rounds of a case together: CPU time per call falls until about 60,000
 * calls, to less than half of what the first thousands take.
 */
async function warmUp(
  contenders: Contenders,
  first: Case<Contender> | undefined,
  { rounds, seconds }: ThroughputOptions,
): Promise<void> {
  if (first === undefined) return;
  const { connections } = first;
  const durationMs = rounds * seconds * 1000;
  for (const name of CONTENDERS) {
    const server = contenders.servers[name];
    const { port } = server;
    const requests = first.requests[name];
    const { responses } = await measure(server, { port, requests, connections, durationMs });
    contenders.count(name, responses);
  }
}

/** The order of the contenders changes every round. */
function orderOf(number: number): Contender[] {
  const order = [...CONTENDERS];
  order.push(...order.splice(0, number % order.length));
  return order;
}

async function measure(server: Server, target: Parameters<typeof runFlatOut>[0]) {
  const before = await cpuMicrosOf(server.child);
  const result = await runFlatOut(target);
  const cpu = (await cpuMicrosOf(server.child)) - before;
  requireSuccess(server, result);
  const run: Run = {
    perSecond: result.responses / result.seconds,
    cpuMicros: cpu / result.responses,
    p50: percentile(result.latencies, 50),
    p99: percentile(result.latencies, 99),
  };
  return { run, responses: result.responses };
}

export function requireSuccess(server: Server, { statuses }: LoadResult): void {
  const others = [...statuses].filter(([status]) => status !== 200);
  if (others.length === 0) return;
  const list = others.map(([status, count]) => `${count} times ${status}`).join(", ");
  throw new Error(`${server.name} responded with ${list}. Results with errors are not valid`);
}

function summarise(name: string, rounds: readonly Round[]): ThroughputRow {
  const each = (amount: (run: Run) => number, digits: number) =>
    Object.fromEntries(
      CONTENDERS.map((one) => [
        one,
        round(medianOf(rounds.map((runs) => amount(runs[one]))), digits),
      ]),
    ) as Record<Contender, number>;
  const ratio = (of: Contender, to: Contender, amount: (run: Run) => number) =>
    spreadOf(rounds.map((runs) => amount(runs[of]) / amount(runs[to])));
  const perSecond = (run: Run) => run.perSecond;
  const cpuMicros = (run: Run) => run.cpuMicros;
  return {
    name,
    perSecond: each(perSecond, 0),
    cpuMicros: each(cpuMicros, 1),
    p50Ms: each((run) => run.p50, 2),
    p99Ms: each((run) => run.p99, 2),
    ofBare: { throughput: ratio(OURS, BARE, perSecond), cpu: ratio(OURS, BARE, cpuMicros) },
    overUsual: Object.fromEntries(
      USUAL_NAMES.map((usual) => [
        usual,
        { throughput: ratio(OURS, usual, perSecond), cpu: ratio(usual, OURS, cpuMicros) },
      ]),
    ),
  };
}

function show(
  rows: readonly ThroughputRow[],
  options: ThroughputOptions,
  generatorCpuMicros: number,
  totals: Reconciliation,
): string {
  const each = (of: (row: ThroughputRow) => Record<Contender, number>, digits: number) =>
    showTable(
      ["call", ...CONTENDERS],
      rows.map((row) => [row.name, ...CONTENDERS.map((one) => of(row)[one].toFixed(digits))]),
    );
  const ratios = rows.map(({ name, ofBare, overUsual }) => [
    name,
    showSpread(ofBare.throughput, 2),
    showSpread(ofBare.cpu, 2),
    ...Object.values(overUsual).flatMap((one) => [
      showSpread(one.throughput, 1),
      showSpread(one.cpu, 1),
    ]),
  ]);
  const over = USUAL_NAMES.flatMap((usual) => [`calls/s over ${usual}`, `CPU under ${usual}`]);
  return [
    `Throughput: ${options.rounds} rounds of ${options.seconds} s, log level ${options.logLevel}; medians of the rounds`,
    "Calls per second",
    each((row) => row.perSecond, 0),
    "CPU µs per call",
    each((row) => row.cpuMicros, 1),
    "p99, ms (mostly queueing: the connections send without a pause)",
    each((row) => row.p99Ms, 2),
    "Toolbooth's ratios: median (min–max)",
    showTable(["call", "calls/s of bare", "CPU of bare", ...over], ratios),
    `The load generator took ${generatorCpuMicros} µs of CPU time per response on the same cores.`,
    showReconciliation(totals),
  ].join("\n");
}
