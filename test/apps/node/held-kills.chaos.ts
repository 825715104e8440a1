import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import type { AccountDeps } from "#accounts/accounts.ts";
import { openDataFolder } from "#apps/node/data-folder.ts";
import { hashKey, random } from "#apps/node/runtime.ts";
import { openSecrets } from "#apps/node/secret-file.ts";
import { startServer } from "../../http/server-process.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { SEED } from "../../support/random.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { HeldLoad, NONE_FOUND, openHeldCustomer, openHeldProject } from "../held-customers.ts";
import { inFolder } from "./tool-project.ts";

/** Kills a server under calls of tools that cost money again and again, always on the same data. Each round has new customers. */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 10);
const CUSTOMERS = 2;

/** Opens the data of a server that is not running. */
async function within<Result>(
  dataDir: string,
  act: (accountDeps: AccountDeps) => Promise<Result>,
): Promise<Result> {
  const driver = openDataFolder(dataDir);
  try {
    const { ledger, directory } = openSqliteDirect(driver);
    const secrets = openSecrets(driver, { dataDir, secrets: null }, () => {});
    return await act({ ledger, directory, secrets, keyPrefix: "tb_", random, hashKey });
  } finally {
    driver.close();
  }
}

test(`a server that is killed ${ROUNDS} times runs nothing unpaid or twice, and loses no paid answer and no credits (TEST_SEED=${SEED})`, async (t) => {
  const chance = createChance(SEED);
  const folder = openHeldProject(t);
  const dataDir = path.join(folder, "data");
  const load = new HeldLoad(folder, chance);
  const env = { DATA_DIR: dataDir, RATE_LIMIT: "0", TOOLBOOTH_TOOL_THREADS: "2" };
  const start = () => startServer(t, env, inFolder(folder));
  for (let round = 0; round < ROUNDS; round += 1) {
    const callers = await within(dataDir, (accountDeps) =>
      Promise.all(Array.from({ length: CUSTOMERS }, () => openHeldCustomer(accountDeps, chance))),
    );
    load.customers.push(...callers);
    const server = await start();
    const calls = load.start(t, callers, () => server.base);
    await calls.reach(10 + chance.below(150));
    assert.equal((await server.end("SIGKILL")).signal, "SIGKILL");
    await calls.stop();
  }
  const server = await start();
  await load.settle(server.base);
  assert.equal((await server.end("SIGTERM")).code, 0);
  await within(dataDir, ({ ledger }) => load.check(ledger));
  t.diagnostic(JSON.stringify({ ...load.told, runs: [...load.runs().values()].flat().length }));
  assert.deepEqual(load.found, NONE_FOUND);
});
