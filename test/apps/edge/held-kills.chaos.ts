import assert from "node:assert/strict";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { build } from "esbuild";
import { hashKey, random } from "#apps/node/runtime.ts";
import { parseCallRef } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { bundling } from "../../http/edge.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { bodyOf, serveHttp } from "../../support/http-server.ts";
import { SEED } from "../../support/random.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { HeldLoad, NONE_FOUND, openHeldCustomer, SILENT_MS } from "../held-customers.ts";
import { addRun, RUNS_FILE } from "../held-witness.ts";
import { EDGE_TEXTS, ledgerAt } from "./edge-ledger.ts";
import { openRestarts } from "./restarts.ts";

/** Kills workerd under calls of tools that cost money again and again, always on the same data. Each round has new customers. */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 5);
const CUSTOMERS = 2;

/** The API Worker with the tools that write down their runs. */
async function bundleHeld(witnessUrl: string): Promise<string> {
  const { outputFiles } = await build({
    ...bundling("apps/edge/worker-with-test-access.ts"),
    define: { WITNESS_URL: JSON.stringify(witnessUrl) },
    plugins: [
      {
        name: "held tools",
        setup({ onResolve }) {
          const file = path.join(import.meta.dirname, "held-tools.ts");
          onResolve({ filter: /^\.\/own-tools\.ts$/ }, () => ({ path: file }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

/**
 * Writes down each run, and whether its price was held: the object is asked, once it is there again if it was killed meanwhile. Its hold
 * lasts for longer than that takes.
 */
const openWitness = (t: TestContext, folder: string, ledger: () => Ledger) =>
  serveHttp(t, async (request, response) => {
    const text = await bodyOf(request);
    const { name, callId } = JSON.parse(text) as Record<string, string>;
    const isHeld = await wasPaid(ledger, callId ?? "", Date.now() + SILENT_MS);
    addRun(path.join(folder, RUNS_FILE), name ?? "", callId ?? "", isHeld);
    response.end();
  });

async function wasPaid(ledger: () => Ledger, callId: string, until: number): Promise<boolean> {
  const ref = parseCallRef(callId) ?? assert.fail(callId);
  for (;;) {
    try {
      const { outcome } = await ledger().findCall(ref);
      return outcome === "held" || outcome === "found";
    } catch (error) {
      if (Date.now() > until) throw error;
      await wait(20);
    }
  }
}

test(`a Worker whose workerd is killed ${ROUNDS} times runs nothing unpaid or twice, and loses no paid answer and no credits (TEST_SEED=${SEED})`, async (t) => {
  const chance = createChance(SEED);
  const folder = temporaryFolder(t);
  const witness = await openWitness(t, folder, () => ledgerAt(restarts.edge().base));
  const code = await bundleHeld(witness);
  const restarts = await openRestarts(t, code, { ...EDGE_TEXTS, RATE_LIMIT: "0" });
  const base = () => restarts.edge().base;
  const load = new HeldLoad(folder, chance);
  for (let round = 0; round < ROUNDS; round += 1) {
    const ledger = ledgerAt(base());
    const accountDeps = { ledger, secrets: [EDGE_TEXTS.SECRET], keyPrefix: "tb_", random, hashKey };
    const callers = await Promise.all(
      Array.from({ length: CUSTOMERS }, () => openHeldCustomer(accountDeps as never, chance)),
    );
    load.customers.push(...callers);
    const calls = load.start(t, callers, base);
    await calls.reach(10 + chance.below(150));
    restarts.kill();
    await calls.stop();
    await restarts.restart();
  }
  await load.settle(base());
  await load.check(auditedByAccount(ledgerAt(base()), load));
  t.diagnostic(JSON.stringify({ ...load.told, runs: [...load.runs().values()].flat().length }));
  assert.deepEqual(load.found, NONE_FOUND);
});

/** There is no ledger of all objects to audit. */
const auditedByAccount = (ledger: Ledger, { customers }: HeldLoad): Ledger => ({
  ...ledger,
  async audit({ now }) {
    const audits = await Promise.all(
      customers.map(({ account }) => ledger.audit({ account, now })),
    );
    const [first = assert.fail()] = audits;
    return { ...first, faults: audits.flatMap(({ faults }) => faults) };
  },
});
