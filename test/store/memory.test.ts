import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryDirectory, createMemoryLedger } from "#stores/memory/memory.ts";
import { directoryContract } from "../contract/directory.ts";
import { createScene, DAY, idempotency, maintainFully, START } from "../contract/ledger/scene.ts";
import { ledgerContract } from "../contract/ledger.ts";
import { ledgerModel } from "../contract/ledger-model.ts";

const name = "in memory";
const openLedger = async () => ({ ledger: createMemoryLedger() });

ledgerContract(name, openLedger);
ledgerModel(name, openLedger);
directoryContract(name, async () => ({ directory: createMemoryDirectory() }));

test("what the memory ledger answers is a copy: changing it changes no credit", async () => {
  const ledger = createMemoryLedger();
  const account = await createScene({ ledger }).account("Ada", { credits: 3 });
  const order = { account, now: START };
  const [credits, keys] = [await ledger.credits(order), await ledger.listKeys(order)];
  for (const grant of credits.grants) grant.remaining = 99;
  for (const key of keys) key.revokedAt = START;
  assert.equal((await ledger.credits(order)).balance, 3);
  assert.equal((await ledger.listKeys(order))[0]?.revokedAt, null);
});

test("one round folds and forgets all there is, however small its steps", async () => {
  const scene = createScene({ ledger: createMemoryLedger() });
  const account = await scene.account("Ada", { credits: 9 });
  for (const key of ["one", "two", "three"])
    await scene.debit(account, { idempotency: idempotency(key) });
  for (const [rowsMax, all] of [
    [1, 3],
    [2, 0],
  ] as const) {
    const now = START + 2 * DAY;
    const round = await maintainFully(scene.ledger, { now, foldBefore: now, rowsMax });
    assert.deepEqual([round.folded, round.forgotten], [all, all]);
  }
});
