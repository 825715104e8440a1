import path from "node:path";
import { EDGE_SECRET, startToolboothWorker } from "./edge-server.ts";
import type { EdgeCommand } from "./edge-worker.ts";
import {
  type Account,
  debitOf,
  importFrom,
  type Order,
  objectOf,
  openAccounts,
  type Perform,
} from "./ledger-accounts.ts";
import { cpuMicrosOf } from "./processes.ts";

/**
 * A node without HTTP: holds the ledger of a checkout on one store, and makes debits on each message.
 * `node ledger-node.ts <root> <store> <accounts> <folder or URL> [process that does the work]`.
 */
export type DebitTurn = { accounts: number; seconds: number };
export type DebitResult = { perSecond: number; cpuMicros: number };

/** So many calls wait for their debits at a time, as with 64 connections. */
const LANES = 64;

type Store = {
  perform: Perform;
  /** Makes a debit for each account, all at once. */
  debitAll(accounts: readonly Account[]): Promise<void>;
  cpuMicros(): number;
};

const [root = "", store = "", accountsMax = "", place = "", workerPid = ""] = process.argv.slice(2);

const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

type Ledger = Record<string, (order: object) => Promise<unknown>>;

/** The stores of Node: debits are sent alone, and the store makes batches of them. */
const onNode = (ledger: unknown, cpuMicros: () => number): Store => ({
  perform: (name, order) => (ledger as Ledger)[name]?.(order) ?? Promise.reject(new Error(name)),
  async debitAll(accounts) {
    const debit = (ledger as { debit(order: object): Promise<object> }).debit;
    const outcomes = await Promise.all(accounts.map((account) => debit(debitOf(account))));
    requireDebits(outcomes);
  },
  cpuMicros,
});

function requireDebits(outcomes: readonly object[]): void {
  const other = outcomes
    .map((one) => JSON.stringify(one))
    .find((one) => !one.includes('"debited"'));
  if (other !== undefined) throw new Error(`A debit ended with ${other}`);
}

const load = <Module>(file: string) => importFrom<Module>(root, `src/stores/postgres/${file}.ts`);

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  async SQLite() {
    const { openSqliteThread } = await importFrom<typeof import("#stores/sqlite/thread.ts")>(
      root,
      "src/stores/sqlite/thread.ts",
    );
    const { ledger } = await openSqliteThread({ file: path.join(place, "ledger.sqlite") });
    return onNode(ledger, ownCpu);
  },
  async PostgreSQL() {
    const { openPostgresPool } = await load<typeof import("#stores/postgres/pool.ts")>("pool");
    const { migratePostgres } = await load<typeof import("#stores/postgres/migrate.ts")>("migrate");
    const { keepPartitions } =
      await load<typeof import("#stores/postgres/partitions.ts")>("partitions");
    const { createPostgresLedger } =
      await load<typeof import("#stores/postgres/ledger.ts")>("ledger");
    const pool = openPostgresPool(place, { max: 10 });
    await migratePostgres(pool);
    await keepPartitions(pool, Date.now(), 0);
    const { ledger } = createPostgresLedger(pool);
    return onNode(ledger, () => ownCpu() + cpuMicrosOf(Number(workerPid)));
  },
  async "Durable Objects"() {
    const { base, pid } = await startToolboothWorker(root, place);
    const send = async (orders: Order[], name: string) => {
      const perform = orders.map((order) => ({ object: objectOf(order.account), name, order }));
      const command: EdgeCommand = { perform };
      const response = await fetch(base, { method: "PUT", body: JSON.stringify(command) });
      return (await response.json()) as object[];
    };
    return {
      perform: (name, order) => send([order], name),
      debitAll: async (accounts) => requireDebits(await send(accounts.map(debitOf), "debit")),
      // Without the sender: the Worker is what runs at Cloudflare.
      cpuMicros: () => cpuMicrosOf(pid),
    };
  },
};

const open = STORES[store];
if (open === undefined) throw new Error(`Unknown store "${store}"`);
const { perform, debitAll, cpuMicros } = await open();
const all = await openAccounts(root, Number(accountsMax), EDGE_SECRET, perform);

process.on("message", async ({ accounts, seconds }: DebitTurn) => {
  const started = performance.now();
  const before = cpuMicros();
  let debits = 0;
  // A lane makes a debit when the one before is done; where one request carries many orders, all lanes go together.
  const lanes = store === "Durable Objects" ? 1 : LANES;
  const width = LANES / lanes;
  const lane = async () => {
    while (performance.now() - started < seconds * 1000) {
      const own = Array.from({ length: width }, (_, i) => all[(debits + i) % accounts] as Account);
      debits += width;
      await debitAll(own);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const result: DebitResult = {
    perSecond: (debits / (performance.now() - started)) * 1000,
    cpuMicros: (cpuMicros() - before) / debits,
  };
  process.send?.(result);
});
process.send?.("ready");
