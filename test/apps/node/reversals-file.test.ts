import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { openReversals, reversalFile, reversalsForOperator } from "#apps/node/reversals.ts";
import { random } from "#apps/node/runtime.ts";
import { callRef } from "#ids.ts";
import { createFixture, START } from "../../contract/ledger/fixture.ts";
import { eventually } from "../../http/test-api.ts";
import { createMemoryLedger } from "../../support/memory-ledger.ts";

/** Calls to reverse while the file for them is out of reach, as on a disk that died together with the ledger's. */
async function openUnkept(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-reversals-"));
  const file = reversalFile(folder);
  const fixture = createFixture({ ledger: createMemoryLedger() });
  const account = await fixture.account("Ada", { credits: 5 });
  const order = fixture.debitOrder(account);
  await fixture.ledger.debit(order);
  const trouble = { isReachable: false };
  const loggedErrors: string[] = [];
  const ledger = {
    async reverse(reversal: Parameters<typeof fixture.ledger.reverse>[0]) {
      if (!trouble.isReachable) throw new Error("no ledger");
      return fixture.ledger.reverse(reversal);
    },
  };
  const logError = (message: string) => void loggedErrors.push(message);
  const reversals = openReversals(folder, ledger, random, logError, { retryMs: 5 });
  t.after(async () => {
    await reversals.stop();
    await reversals.close();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(file);
  const call = { account, callId: order.callId, at: START };
  await reversals.reverseLater(call);
  const [line = ""] = loggedErrors;
  assert.ok(line.includes(callRef(call)), line);
  assert.match(line, /calls show.*calls reverse/);
  return { folder, file, trouble, isReversed: async () => (await fixture.balance(account)) === 5 };
}

test("a call whose reversal cannot be stored is named in the log, and reversed once the ledger is back", async (t) => {
  const { trouble, isReversed } = await openUnkept(t);
  assert.equal(await isReversed(), false);
  trouble.isReachable = true;
  await eventually("the call is reversed", isReversed);
});

test("a call whose reversal cannot be stored is stored once the file is back", async (t) => {
  const { folder, file, trouble, isReversed } = await openUnkept(t);
  rmdirSync(file);
  const order = { state: "waiting", after: null, max: 10 } as const;
  const list = async () => (existsSync(file) ? reversalsForOperator(folder).list(order) : null);
  await eventually("the call is stored", async () => (await list())?.jobs.length === 1);
  trouble.isReachable = true;
  await eventually("the call is reversed", isReversed);
});
