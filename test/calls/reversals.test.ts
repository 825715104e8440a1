import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type AccessLogEntry, accessLogEntry } from "#api/access-log.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { runTool } from "#calls/run-tool.ts";
import { callRef, parseCallRef } from "#ids.ts";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import { type Changes, openChanged, openMemory } from "../http/in-process.ts";
import { assertProblem, assertResponse, createCaller } from "../http/test-api.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";
import { fixedToolContext } from "../support/tool-context.ts";

/** Which calls are given to be reversed. */

/** What is under way has come to where it waits for the clock. */
async function settled() {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

/** The app over a ledger whose debits fail as the test tells. */
function openFailing(t: TestContext, fault: () => Error | null, changes: Changes = {}) {
  const ledger = createMemoryLedger();
  const { debit } = ledger;
  ledger.debit = async (order) => {
    const error = fault();
    if (error !== null) throw error;
    return debit(order);
  };
  return openChanged(t, changes, undefined, (settings, given) =>
    openMemory(settings, given, ledger),
  );
}

for (const { name, fault, idempotencyKey, reversals, charged } of [
  {
    name: "that is known not to be made is not given back",
    fault: new NotCarriedOut("full"),
    reversals: 0,
    charged: undefined,
  },
  {
    name: "that the ledger rejects as invalid is not given back",
    fault: new OrderRejected("invalid"),
    reversals: 0,
    charged: undefined,
  },
  {
    name: "of unknown outcome is given back",
    fault: new Error("lost"),
    reversals: 1,
    charged: "unknown",
  },
  {
    name: "of unknown outcome with an Idempotency-Key is left to its repeat",
    fault: new Error("lost"),
    idempotencyKey: "once",
    reversals: 0,
    charged: "unknown",
  },
]) {
  test(`a debit ${name}, and the error says whether the call was charged`, async (t) => {
    let error: Error | null = null;
    const entries: AccessLogEntry[] = [];
    const record = (context: RequestContext, status: number, durationMs: number) =>
      void entries.push(accessLogEntry(context, status, durationMs, true));
    const logged: { message: string; callId: string | undefined }[] = [];
    const service = await openFailing(t, () => error, {
      record,
      logError: (message, { callId }) => void logged.push({ message, callId }),
    });
    const caller = await createCaller(service, { credits: 5 });
    const headers: Record<string, string> =
      idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
    error = fault;
    const response = await caller.call("hash", { text: "a" }, headers);
    const problem = assertProblem(response, "unavailable");
    assert.equal(problem.charged, charged);
    assert.equal(/not charged\./.test(problem.detail), charged === undefined);
    assert.equal(problem.callId !== undefined, charged === "unknown");
    assert.equal(response.header("credits-charged"), charged === undefined ? "0" : null);
    // Errors of different calls are counted together, because the id is not in the message.
    assert.equal(logged[0]?.callId, problem.callId);
    assert.doesNotMatch(logged[0]?.message ?? "", /call_/);
    const [entry] = entries.splice(0);
    assert.equal(entry?.callId, problem.callId ?? null);
    assert.equal(entry?.charged, charged === undefined ? 0 : null);
    await settled();
    assert.equal(await service.ordered("reverse"), reversals);
    error = null;
    assertResponse(await caller.call("hash", { text: "a" }, headers), 1);
    assert.equal(await caller.balance(), 4);
    const [charge] = entries;
    assert.equal(charge?.charged, 1);
    assert.equal(parseCallRef(charge?.callId ?? "")?.account, caller.account);
  });
}

test("a client that has left before the debit is not charged", async (t) => {
  const service = await openChanged(t, { hasLeft: () => true });
  const caller = await createCaller(service, { credits: 5 });
  assertProblem(await caller.post("uuid"), "invalid_request");
  assert.equal(await caller.balance(), 5);
});

for (const headers of [{}, { "Idempotency-Key": "once" }] as Record<string, string>[]) {
  const which = headers["Idempotency-Key"] === undefined ? "" : " with an Idempotency-Key";
  test(`a call${which} whose response cannot be made after its debit is reversed, and the error says so`, async (t) => {
    let isBroken = false;
    const service = await openFailing(t, () => null, {
      async runTool(tool, job) {
        const result = await runTool(tool, job, fixedToolContext());
        if (!isBroken) return result;
        return {
          ...result,
          get type(): string {
            throw new Error("No response can be made of this");
          },
        };
      },
    });
    const caller = await createCaller(service, { credits: 5 });
    isBroken = true;
    const response = await caller.call("hash", { text: "a" }, headers);
    const problem = assertProblem(response, "internal");
    assert.equal(problem.charged, "reversed");
    assert.match(problem.detail, /was charged\. The charge is reversed automatically/);
    assert.equal(parseCallRef(problem.callId)?.account, caller.account);
    assert.equal(response.header("credits-charged"), null);
    await settled();
    assert.equal(await caller.balance(), 5);
    isBroken = false;
    assertResponse(await caller.call("hash", { text: "a" }, headers), 1);
  });
}

test("the id of a call leads to its account, its debit and its time", () => {
  const call = { account: "acc_4XnB7pQ2sLk9", callId: "call_T8vWz3HcY5m0a1" };
  for (const at of [0, Date.UTC(2026, 0, 15), Date.UTC(2099, 11, 31, 23, 59, 59, 999)]) {
    const ref = callRef({ ...call, at });
    assert.match(ref, /^call_[0-9A-Za-z]+$/);
    assert.deepEqual(parseCallRef(ref), { ...call, at });
  }
  for (const text of ["", "call_", "req_4XnB7pQ2sLk900000000a", "call_4XnB7pQ2sLk900000000"])
    assert.equal(parseCallRef(text), null, text);
});
