import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { openAccounts } from "../../support/fleet.ts";
import { startPostgres } from "../../support/postgres.ts";
import { type Network, openNetwork } from "../../support/postgres-proxy.ts";
import { Random } from "../../tools/markdown-render/random.ts";
import {
  assertAccounted,
  type Customer,
  openCustomer,
  settle,
  startCalls,
  sumOf,
} from "./customers.ts";

/**
 * Two nodes and their PostgreSQL under load while nodes are killed, the database crashes and the network fails. The seed
 * determines the faults. After each round the nodes have recovered by themselves, the ledger reconciles, and it has every
 * response that a customer received.
 */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 3);
const SEED = Number(process.env["TEST_CHAOS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const NODES = 2;
const CUSTOMERS = 4;

const MISFORTUNES = ["kill", "crash", "lose commits", "delay", "swallow", "cut", "stop"] as const;
type Misfortune = (typeof MISFORTUNES)[number];

/** Selects the backends that run debits. The condition must not match this statement itself. */
const DEBITING = `SELECT pid FROM pg_stat_activity
  WHERE application_name = 'toolbooth' AND query LIKE '%debit' || '_batch%'`;

async function openFleet(t: TestContext) {
  const server = await startPostgres();
  t.after(() => server.dispose());
  const direct = await server.createDatabase();
  const network = await openNetwork(server.port);
  t.after(() => network.close());
  const url = new URL(direct);
  url.port = String(network.port);
  const startNode = () =>
    startServer(t, {
      DATA_DIR: temporaryFolder(t),
      DATABASE_URL: url.href,
      RATE_LIMIT: "0",
      TOOLBOOTH_LOG_LEVEL: "silent",
    });
  const nodes = await Promise.all(Array.from({ length: NODES }, startNode));
  return { server, network, nodes, startNode, accountDeps: await openAccounts(t, direct) };
}

type Fleet = Awaited<ReturnType<typeof openFleet>>;

/** `pick(n)` returns a pseudo-random integer below n. */
async function befall(
  what: Misfortune,
  fleet: Fleet,
  killed: Set<string>,
  pick: (n: number) => number,
) {
  const { server, network, nodes, startNode, accountDeps } = fleet;
  const lasting = async (act: (network: Network) => void, ms: number, end: () => void) => {
    act(network);
    await wait(ms);
    end();
  };
  switch (what) {
    case "kill": {
      const no = pick(NODES);
      const node = nodes[no] as Fleet["nodes"][number];
      killed.add(node.base);
      assert.equal((await node.end("SIGKILL")).signal, "SIGKILL");
      nodes[no] = await startNode();
      return;
    }
    case "crash":
      await server.stop("immediate");
      await wait(pick(800));
      return server.start();
    case "lose commits": {
      const enough = network.lost() + 1 + pick(6);
      network.loseCommits(enough - network.lost());
      while (network.lost() < enough) await wait(2);
      return;
    }
    case "delay":
      return lasting(
        ({ delay }) => delay(5 + pick(40)),
        100 + pick(400),
        () => network.delay(0),
      );
    case "swallow":
      return lasting(
        ({ swallow }) => swallow(true),
        100 + pick(800),
        () => {
          network.swallow(false);
          network.cut();
        },
      );
    case "cut":
      return network.cut();
    case "stop": {
      // Longer than an order waits: delayed packets arrive after the reversal.
      const pids = (await accountDeps.pool.once<{ pid: number }>("read", DEBITING)).map(
        ({ pid }) => pid,
      );
      const stopped = pids.filter((pid) => signal(pid, "SIGSTOP"));
      await wait(LEDGER_TIMEOUT_MS + pick(2_000));
      for (const pid of stopped) signal(pid, "SIGCONT");
      return;
    }
  }
}

/** Returns whether the process was still running. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function isReady(base: string): Promise<void> {
  while ((await fetch(`${base}/readyz`)).status !== 200) await wait(50);
}

test(`after ${ROUNDS} rounds of chaos the ledger has every received response and charged nothing twice`, {
  timeout: 3_600_000,
}, async (t) => {
  t.diagnostic(`TEST_CHAOS_SEED=${SEED}`);
  const random = new Random(SEED);
  const pick = (below: number) => random.between(0, below - 1);
  const fleet = await openFleet(t);
  const { nodes, accountDeps } = fleet;
  const baseOf = (caller: number) => (nodes[caller % NODES] as Fleet["nodes"][number]).base;
  const customers: Customer[] = [];
  for (let no = 0; no < CUSTOMERS; no += 1)
    customers.push(await openCustomer(accountDeps, baseOf(no), `c${no}`));
  const killed = new Set<string>();

  for (let round = 0; round < ROUNDS; round += 1) {
    // Each kind of fault comes first once, soon followed by another one.
    const first = MISFORTUNES[round % MISFORTUNES.length] as Misfortune;
    const second = MISFORTUNES[pick(MISFORTUNES.length)] as Misfortune;
    const calls = startCalls(t, customers, `${round}`, baseOf);
    await calls.reach(20 + pick(100));
    await befall(first, fleet, killed, pick);
    await wait(pick(100));
    await befall(second, fleet, killed, pick);
    await calls.reach(50);
    await calls.stop();

    await Promise.all(nodes.map(({ base }) => isReady(base)));
    assert.deepEqual(
      (await accountDeps.ledger.audit({ now: Date.now() })).faults,
      [],
      `round ${round}`,
    );
    for (const customer of customers) {
      await assertAccounted(
        accountDeps,
        customer,
        customer.broken + sumOf(customer.refused.values()),
      );
      await settle(baseOf(pick(NODES)), customer);
    }
    t.diagnostic(`round ${round}: ${first}, ${second}`);
  }

  // On a regular stop, nodes first reverse the calls that failed with an unknown outcome.
  for (const node of nodes) assert.equal((await node.end("SIGTERM")).code, 0);
  for (const customer of customers) {
    const lost = [...customer.refused]
      .filter(([base]) => killed.has(base))
      .map(([, count]) => count);
    await assertAccounted(accountDeps, customer, customer.broken + sumOf(lost));
  }
  const { totals, faults } = await accountDeps.ledger.audit({ now: Date.now() });
  assert.deepEqual(faults, []);
  const broken = sumOf(customers.map((customer) => customer.broken));
  const refused = sumOf(customers.flatMap((customer) => [...customer.refused.values()]));
  const responded = sumOf(customers.map(({ left }) => left.length));
  t.diagnostic(
    JSON.stringify({ responded, refused, broken, lostCommits: fleet.network.lost(), ...totals }),
  );
});
