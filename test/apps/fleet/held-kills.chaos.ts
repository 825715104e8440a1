import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type ServerProcess, startServer } from "../../http/server-process.ts";
import { type Chance, createChance } from "../../ledger/rules/chance.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { SEED } from "../../support/random.ts";
import {
  type Customer,
  type Findings,
  HeldLoad,
  NONE_FOUND,
  openHeldCustomer,
  openHeldProject,
  SILENT_MS,
} from "../held-customers.ts";
import { inFolder } from "../node/tool-project.ts";
import { openAccounts } from "./fixture.ts";

/** Two nodes on PostgreSQL under calls of tools that cost money, while one of them is killed, or stands still for longer than its holds last. */
const KILLS = Number(process.env["TEST_KILL_ROUNDS"] ?? 5);
const STOPS = Number(process.env["TEST_STOP_ROUNDS"] ?? 1);
const CUSTOMERS = 2;
/** For the job that ends holds. */
const BETWEEN_HOLDS_MS = 6_000;

type Fleet = {
  load: HeldLoad;
  nodes: ServerProcess[];
  start(no: number): Promise<void>;
  newCustomers(): Promise<Customer[]>;
  /** Ends the nodes, and returns what was found. */
  end(): Promise<Findings>;
};

async function openFleet(t: TestContext, chance: Chance): Promise<Fleet> {
  const url = await (await sharedPostgres()).createDatabase();
  const folder = openHeldProject(t);
  const load = new HeldLoad(folder, chance);
  const nodes: ServerProcess[] = [];
  async function start(no: number): Promise<void> {
    const env = { DATABASE_URL: url, DATA_DIR: `${folder}/data${no}`, RATE_LIMIT: "0" };
    nodes[no] = await startServer(t, { ...env, TOOLBOOTH_LOG_LEVEL: "silent" }, inFolder(folder));
  }
  await start(0);
  await start(1);
  const accountDeps = await openAccounts(t, url);
  return {
    ...{ load, nodes, start },
    async newCustomers() {
      const opened: Customer[] = [];
      for (let no = 0; no < CUSTOMERS; no += 1)
        opened.push(await openHeldCustomer(accountDeps, chance));
      load.customers.push(...opened);
      return opened;
    },
    async end() {
      await load.settle((nodes[0] as ServerProcess).base);
      for (const node of nodes) assert.equal((await node.end("SIGTERM")).code, 0);
      await load.check(accountDeps.ledger);
      const runs = [...load.runs().values()].flat().length;
      t.diagnostic(JSON.stringify({ told: load.told, runs, found: load.found }));
      return load.found;
    },
  };
}

const baseOf =
  ({ nodes }: Fleet) =>
  (no: number) =>
    (nodes[no % 2] as ServerProcess).base;

test(`two nodes, of which one is killed ${KILLS} times, run nothing unpaid or twice, and lose no paid answer and no credits (TEST_SEED=${SEED})`, async (t) => {
  const chance = createChance(SEED);
  const fleet = await openFleet(t, chance);
  const { load, nodes, start, newCustomers } = fleet;
  for (let round = 0; round < KILLS; round += 1) {
    const calls = load.start(t, await newCustomers(), baseOf(fleet));
    await calls.reach(10 + chance.below(100));
    const no = chance.below(2);
    assert.equal((await (nodes[no] as ServerProcess).end("SIGKILL")).signal, "SIGKILL");
    await start(no);
    await calls.reach(200);
    await calls.stop();
  }
  assert.deepEqual(await fleet.end(), NONE_FOUND);
});

test(`a node that stands still ${STOPS} times for longer than its holds last overspends nothing and runs no act twice (TEST_SEED=${SEED})`, async (t) => {
  const chance = createChance(SEED);
  const fleet = await openFleet(t, chance);
  const { load, nodes, newCustomers } = fleet;
  for (let round = 0; round < STOPS; round += 1) {
    const callers = await newCustomers();
    const calls = load.start(t, callers, baseOf(fleet));
    await calls.reach(10 + chance.below(60));
    const { child } = nodes[chance.below(2)] as ServerProcess;
    child.kill("SIGSTOP");
    await wait(SILENT_MS + BETWEEN_HOLDS_MS);
    child.kill("SIGCONT");
    await calls.reach(100);
    await calls.stop();
  }
  const found = await fleet.end();
  // The one case that the docs name, counted apart: what it had begun may run for nothing when it goes on, and may have run elsewhere.
  const { runsWithoutHold, runsNotPaid, secondRunsOfRead } = found;
  assert.deepEqual(found, { ...NONE_FOUND, runsWithoutHold, runsNotPaid, secondRunsOfRead });
});
