import {
  cpuClock,
  createDataFolder,
  type LedgerAccount,
  makeDebits,
  type OpenLedger,
  openLedger,
  openLedgerAccounts,
} from "./ledger-fixture.ts";
import { createUsualAccounts, openUsualLedger } from "./peers/usual-ledger.ts";
import { medianOf, round, showTable, spreadOf } from "./report.ts";
import { makeDataDir } from "./servers.ts";

/** Measures the ledger alone, without HTTP, compared with a transaction per call of better-sqlite3. Both sync every commit. */
export type DebitsOptions = { rounds: number; debits: number };

export type DebitRow = {
  accounts: number;
  /** Debits per second and CPU µs per debit: medians of the rounds. */
  ours: { perSecond: number; cpuMicros: number; ledgerMicros: number };
  usual: { perSecond: number; cpuMicros: number };
  /** How many times more debits per second. */
  times: number;
};
export type DebitsReport = { rows: DebitRow[]; rounds: number; debits: number; text: string };

const ACCOUNTS = [1, 16, 1_000];
/** The number of calls that wait for their debit, as with 64 connections. */
export const LANES = 64;

export async function measureDebits(options: DebitsOptions): Promise<DebitsReport> {
  const { dataDir, remove } = makeDataDir();
  let open: OpenLedger | undefined;
  try {
    const secrets = await createDataFolder(dataDir);
    open = await openLedger(dataDir);
    const accounts = await openLedgerAccounts(
      open.ledger,
      Math.max(...ACCOUNTS),
      secrets,
      Date.now(),
    );
    const keys = createUsualAccounts(dataDir, accounts.length);
    const usual = openUsualLedger(dataDir);
    const rows: DebitRow[] = [];
    // The code is optimized before the first round.
    await runOurs(open, accounts, options.debits);
    runUsual(usual, keys, options.debits);
    for (const count of ACCOUNTS) {
      const samples: { ours: OurDebits; usual: UsualDebits }[] = [];
      for (let number = 0; number < options.rounds; number += 1) {
        const ours = await runOurs(open, accounts.slice(0, count), options.debits);
        samples.push({ ours, usual: runUsual(usual, keys.slice(0, count), options.debits) });
      }
      rows.push(summarise(count, samples));
    }
    usual.close();
    return { rows, ...options, text: show(rows, options) };
  } finally {
    await open?.close();
    remove();
  }
}

type OurDebits = { seconds: number; cpuMicros: number; ledgerMicros: number; debits: number };
type UsualDebits = Omit<OurDebits, "ledgerMicros">;

/** Makes debits through the ledger's thread and measures them. Draining the journal is included as it comes up. */
export async function runOurs(
  { ledger }: OpenLedger,
  accounts: readonly LedgerAccount[],
  debits: number,
): Promise<OurDebits> {
  const cpu = cpuClock();
  const before = performance.now();
  await makeDebits(ledger, accounts, { count: debits, lanes: LANES, at: () => Date.now() });
  const seconds = (performance.now() - before) / 1000;
  const { process, ledger: ledgerMicros } = cpu();
  return { seconds, cpuMicros: process, ledgerMicros, debits };
}

/** A tenth of the debits, because each waits for the disk. */
function runUsual(
  usual: ReturnType<typeof openUsualLedger>,
  keys: readonly string[],
  debits: number,
): UsualDebits {
  const count = Math.ceil(debits / 10);
  const cpu = cpuClock();
  const before = performance.now();
  for (let i = 0; i < count; i += 1) {
    const charge = usual.charge(keys[i % keys.length] as string, "hash");
    if (charge !== "charged") throw new Error(`A debit ended with ${charge}`);
  }
  const seconds = (performance.now() - before) / 1000;
  return { seconds, cpuMicros: cpu().process, debits: count };
}

function summarise(accounts: number, samples: { ours: OurDebits; usual: UsualDebits }[]): DebitRow {
  const rate = ({ debits, seconds }: UsualDebits) => debits / seconds;
  const median = (amount: (sample: (typeof samples)[number]) => number, digits: number) =>
    round(medianOf(samples.map(amount)), digits);
  return {
    accounts,
    ours: {
      perSecond: median(({ ours }) => rate(ours), 0),
      cpuMicros: median(({ ours }) => ours.cpuMicros / ours.debits, 2),
      ledgerMicros: median(({ ours }) => ours.ledgerMicros / ours.debits, 2),
    },
    usual: {
      perSecond: median(({ usual }) => rate(usual), 0),
      cpuMicros: median(({ usual }) => usual.cpuMicros / usual.debits, 2),
    },
    times: round(spreadOf(samples.map(({ ours, usual }) => rate(ours) / rate(usual))).median, 1),
  };
}

function show(rows: readonly DebitRow[], { rounds, debits }: DebitsOptions): string {
  const head = ["accounts", "debits/s", "CPU µs", "of these ledger", "usual/s", "CPU µs", "times"];
  return [
    `The ledger alone: ${rounds} rounds of ${debits} debits, ${LANES} at a time; the usual way commits one at a time (better-sqlite3)`,
    showTable(
      head,
      rows.map(({ accounts, ours, usual, times }) => [
        String(accounts),
        String(ours.perSecond),
        ours.cpuMicros.toFixed(2),
        ours.ledgerMicros.toFixed(2),
        String(usual.perSecond),
        usual.cpuMicros.toFixed(2),
        times.toFixed(1),
      ]),
    ),
  ].join("\n");
}
