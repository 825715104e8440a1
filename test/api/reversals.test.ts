import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { NotCarriedOut } from "#ledger/port.ts";
import { openInProcess } from "../http/in-process.ts";
import { createBackstage } from "../http/ledger-access.ts";
import { assertProblem, assertResponse, createCaller, openService } from "../http/test-api.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";

/** Which calls are given to be reversed. */

/** What is under way has come to where it waits for the clock. */
async function settled() {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

/** The app over a ledger whose debits fail as the test tells. */
async function openFailing(fault: () => Error | null) {
  const ledger = createMemoryLedger();
  const { debit } = ledger;
  ledger.debit = async (order) => {
    const error = fault();
    if (error !== null) throw error;
    return debit(order);
  };
  const time = { now: () => Date.UTC(2026, 0, 15), elapsed: () => 0 };
  const opened = openInProcess(createBackstage(ledger, time), { rateLimit: 0 });
  const opener = { name: "in process", cannot: {}, open: async () => opened };
  return openService(opener, { rateLimit: 0 });
}

for (const { name, fault, idempotencyKey, reversals } of [
  {
    name: "that is known not to be made is not given back",
    fault: new NotCarriedOut("full"),
    reversals: 0,
  },
  { name: "of unknown outcome is given back", fault: new Error("lost"), reversals: 1 },
  {
    name: "of unknown outcome with an Idempotency-Key is left to its repeat",
    fault: new Error("lost"),
    idempotencyKey: "once",
    reversals: 0,
  },
]) {
  test(`a debit ${name}`, async () => {
    let error: Error | null = null;
    const service = await openFailing(() => error);
    const caller = await createCaller(service, { credits: 5 });
    const headers: Record<string, string> =
      idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
    error = fault;
    assertProblem(await caller.call("hash", { text: "a" }, headers), "unavailable");
    await settled();
    assert.equal(await service.ordered("reverse"), reversals);
    error = null;
    assertResponse(await caller.call("hash", { text: "a" }, headers), 1);
    assert.equal(await caller.balance(), 4);
  });
}
