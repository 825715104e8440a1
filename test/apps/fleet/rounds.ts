import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { SharedPostgres } from "../../support/postgres.ts";
import { type Network, openNetwork } from "../../support/postgres-proxy.ts";
import { SEED } from "../../support/random.ts";
import { Random } from "../../tools/markdown-render/random.ts";
import {
  assertAccounted,
  type Customer,
  openCustomer,
  settle,
  startCalls,
  sumOf,
} from "./customers.ts";
import { type Accounts, type FleetNode, openAccounts, startNode } from "./fixture.ts";

/**
 * Two nodes under load while nodes are killed and their network or database fails. The seed determines the faults. After each
 * round the nodes have recovered by themselves, the ledger reconciles, and it has every response that a customer received.
 */
const NODES = 2;
const CUSTOMERS = 4;

export type Fleet = {
  network: Network;
  nodes: FleetNode[];
  accountDeps: Accounts;
  /** Kills a node and starts another one in its place. */
  replace(no: number): Promise<void>;
};

/** `pick(n)` returns a pseudo-random integer below n. */
export type Misfortune = (fleet: Fleet, pick: (n: number) => number) => unknown;

export const KILL: Misfortune = ({ replace }, pick) => replace(pick(NODES));
export const CUT: Misfortune = ({ network }) => network.cut();
export const LOSE_COMMITS: Misfortune = async ({ network }, pick) => {
  const enough = network.lost() + 1 + pick(6);
  network.loseCommits(enough - network.lost());
  while (network.lost() < enough) await wait(2);
};

/** Each misfortune comes first in turn, soon followed by another one. */
export async function runRounds(
  t: TestContext,
  postgres: Pick<SharedPostgres, "port" | "createDatabase">,
  rounds: number,
  misfortunes: readonly Misfortune[],
): Promise<void> {
  t.diagnostic(`TEST_SEED=${SEED}`);
  const random = new Random(SEED);
  const pick = (below: number) => random.between(0, below - 1);
  const direct = await postgres.createDatabase();
  const network = await openNetwork(postgres.port);
  t.after(() => network.close());
  const url = new URL(direct);
  url.port = String(network.port);
  const env = { DATABASE_URL: url.href, TOOLBOOTH_LOG_LEVEL: "silent" };
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(t, env)));
  const accountDeps = await openAccounts(t, direct);
  const killed = new Set<string>();
  const fleet: Fleet = {
    ...{ network, nodes, accountDeps },
    async replace(no) {
      const node = nodes[no] as FleetNode;
      killed.add(node.base);
      assert.equal((await node.end("SIGKILL")).signal, "SIGKILL");
      nodes[no] = await startNode(t, env);
    },
  };
  const baseOf = (caller: number) => (nodes[caller % NODES] as FleetNode).base;
  const customers: Customer[] = [];
  for (let no = 0; no < CUSTOMERS; no += 1)
    customers.push(await openCustomer(accountDeps, baseOf(no), `c${no}`));

  for (let round = 0; round < rounds; round += 1) {
    const calls = startCalls(t, customers, `${round}`, baseOf);
    await calls.reach(20 + pick(100));
    await misfortunes[round % misfortunes.length]?.(fleet, pick);
    await wait(pick(100));
    await misfortunes[pick(misfortunes.length)]?.(fleet, pick);
    await calls.reach(50);
    await calls.stop();

    for (const { base } of nodes)
      while ((await fetch(`${base}/readyz`)).status !== 200) await wait(50);
    const { faults } = await accountDeps.ledger.audit({ now: Date.now() });
    assert.deepEqual(faults, [], `round ${round}`);
    for (const customer of customers) {
      const refused = sumOf(customer.refused.values());
      await assertAccounted(accountDeps, customer, customer.broken + refused);
      await settle(baseOf(pick(NODES)), customer);
    }
  }

  // On a regular stop, nodes first reverse the calls that failed with an unknown outcome.
  for (const node of nodes) assert.equal((await node.end("SIGTERM")).code, 0);
  for (const customer of customers) {
    const lost = [...customer.refused].filter(([base]) => killed.has(base));
    const mayBeLost = customer.broken + sumOf(lost.map(([, count]) => count));
    await assertAccounted(accountDeps, customer, mayBeLost);
  }
  const { totals, faults } = await accountDeps.ledger.audit({ now: Date.now() });
  assert.deepEqual(faults, []);
  const broken = sumOf(customers.map((customer) => customer.broken));
  const refused = sumOf(customers.flatMap((customer) => [...customer.refused.values()]));
  const responded = sumOf(customers.map(({ left }) => left.length));
  t.diagnostic(
    JSON.stringify({ responded, refused, broken, lostCommits: network.lost(), ...totals }),
  );
}
