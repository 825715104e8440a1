import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type AccountDeps, createKey, openAccount } from "#accounts/accounts.ts";
import type { Grant } from "#ledger/port.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { databaseFile, openDataFolder } from "../../../src/apps/node/data-folder.ts";
import { hashKey, random } from "../../../src/apps/node/runtime.ts";
import { openSecrets } from "../../../src/apps/node/secret-file.ts";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { callSteady, type KeyedCall, recordKeyed } from "./broken-calls.ts";

/**
 * Repeats SIGKILL under load on one data folder. One account calls with idempotency keys and retries after the restart, so each
 * of its calls is charged exactly once. The other has no keys, so it pays for the responses that it received and at most for
 * the calls that were in progress when the process died.
 */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 3);
const CALLERS = 8;
const LOAD_MS_MAX = 250;
const CREDITS = 10_000_000;

type Account = { account: string; key: string };

async function openAccounts(folder: string): Promise<{ keyed: Account; plain: Account }> {
  const driver = openDataFolder(folder);
  const accountDeps: AccountDeps = {
    ...openSqliteDirect(driver),
    secrets: openSecrets(driver, { dataDir: folder, secrets: null }, () => {}),
    random,
    hashKey,
  };
  const now = Date.now();
  const open = async (email: string): Promise<Account> => {
    const { account } = await openAccount(accountDeps, email, now);
    const grant = {
      account,
      id: "all",
      kind: "operator",
      amount: CREDITS,
      expiresAt: null,
      now,
    } as const;
    await accountDeps.ledger.grant(grant);
    return { account, key: (await createKey(accountDeps, account, "test", now)).key };
  };
  const accounts = {
    keyed: await open("keyed@example.com"),
    plain: await open("plain@example.com"),
  };
  driver.close();
  return accounts;
}

/** Returns what an account has spent and its number of debits. Asserts that the file is intact and the ledger reconciles. */
async function inspect(folder: string, accounts: Account[]): Promise<number[]> {
  const database = new DatabaseSync(databaseFile(folder));
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  database.close();
  const driver = openDataFolder(folder);
  try {
    const { ledger } = openSqliteDirect(driver);
    const now = Date.now();
    assert.deepEqual((await ledger.audit({ now })).faults, []);
    const spent = (grants: Grant[]) =>
      grants.reduce((sum, { amount, remaining }) => sum + amount - remaining, 0);
    const credits = await Promise.all(
      accounts.map(({ account }) => ledger.credits({ account, now })),
    );
    return credits.map(({ grants }) => spent(grants));
  } finally {
    driver.close();
  }
}

/** Sends or repeats a call, and asserts that its response never changes. */
async function callKeyed(base: string, key: string, keyed: KeyedCall): Promise<boolean> {
  const received = await callSteady(base, key, keyed.count, keyed.idempotencyKey);
  if (received === null) return false;
  recordKeyed(keyed, received);
  return true;
}

test(`after SIGKILL under load, ${ROUNDS} times, the ledger has every received response and charges no key twice`, {
  timeout: 600_000,
}, async (t) => {
  const folder = temporaryFolder(t);
  const { keyed, plain } = await openAccounts(folder);
  const calls: KeyedCall[] = [];
  let received = 0;
  let broken = 0;
  // Uses the account's free first call.
  let free = 0;

  const settle = async (base: string) => {
    const open = calls.filter(({ body }) => body === null);
    const known = calls.filter(({ body }) => body !== null).slice(-20);
    for (const each of [...open, ...known]) assert.ok(await callKeyed(base, keyed.key, each));
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await startServer(t, { DATA_DIR: folder, RATE_LIMIT: "0" });
    await settle(server.base);
    let isOver = false;
    const loops = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let at = 0; !isOver; at += 1) {
        if (caller % 2 === 0) {
          const each = {
            idempotencyKey: `${round}-${caller}-${at}`,
            count: 1 + (at % 3),
            body: null,
          };
          calls.push(each);
          if (!(await callKeyed(server.base, keyed.key, each))) return;
        } else {
          const response = await callSteady(server.base, plain.key, 1);
          if (response === null) {
            broken += 1;
            return;
          }
          received += response.charged;
          if (response.charged === 0) free += 1;
        }
      }
    });
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LOAD_MS_MAX));
    const { signal } = await server.end("SIGKILL");
    isOver = true;
    await Promise.all(loops);
    assert.equal(signal, "SIGKILL");

    const [, spent = 0] = await inspect(folder, [keyed, plain]);
    assert.ok(
      spent >= received,
      `round ${round}: ${received} received, but only ${spent} in the ledger`,
    );
    assert.ok(
      spent - received <= broken,
      `round ${round}: ${spent} spent for ${received} received and ${broken} interrupted`,
    );
  }
  assert.ok(free <= 1);

  const server = await startServer(t, { DATA_DIR: folder, RATE_LIMIT: "0" });
  await settle(server.base);
  assert.equal((await server.end("SIGTERM")).code, 0);
  const [spent] = await inspect(folder, [keyed]);
  assert.equal(
    spent,
    calls.length - 1,
    "each call with a key was charged once, except the free first call",
  );
  assert.equal(new Set(calls.map(({ body }) => body)).size, calls.length);
  t.diagnostic(`${calls.length} calls with a key, ${received} without, ${broken} interrupted`);
});
