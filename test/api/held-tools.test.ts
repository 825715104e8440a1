import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { stopCalls } from "#apps/node/stop-calls.ts";
import { parseCallRef } from "#ids.ts";
import { LocalCallLedger } from "#ledger/call-ledger.ts";
import type { CallRef, HoldOrder, Ledger, SettleOutcome } from "#ledger/port.ts";
import { defineTool, type OwnToolContext } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { InvalidInput, UpstreamFault } from "#tools/run-fault.ts";
import { type Changes, openChanged, openMemory } from "../http/in-process.ts";
import { assertToolError, KEY, call as mcpCall, post, resultOf } from "../http/mcp-messages.ts";
import { assertProblem, assertResponse, createCaller, eventually } from "../http/test-api.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";

/** Tools that cost their operator money: they are paid before they run, run once under a key, and a paid response is never lost. */

type Definition = Partial<Pick<Parameters<typeof defineTool>[0], "effect" | "price" | "onCrash">>;
type Run = (text: string, context: OwnToolContext) => unknown;

/** A service with one tool, `look`, of price 10, which counts its runs. */
async function openWithTool(
  t: TestContext,
  definition: Definition = {},
  run: Run = () => ({}),
  changes: Changes = {},
  ledger = createMemoryLedger(),
) {
  const runs: string[] = [];
  const logged: string[] = [];
  const logError = (message: string) => void logged.push(message);
  const own = ownTool(
    "look",
    defineTool({
      summary: "Looks something up.",
      input: { text: z.string().default("") },
      price: 10,
      ...definition,
      async run({ text }: { text: string }, context: OwnToolContext) {
        runs.push(context.callId);
        return { run: runs.length, ...((await run(text, context)) as object) };
      },
    } as never),
  );
  const all = { tools: [own], logError, ...changes };
  const service = await openChanged(t, all, undefined, (settings, given) =>
    openMemory(settings, given, ledger),
  );
  return { service, runs, logged };
}

const key = (name: string) => ({ "Idempotency-Key": name });

test("of 50 calls at once, only those run that can be paid", async (t) => {
  for (const [credits, paid] of [
    [9, 0],
    [10, 1],
  ] as const) {
    const { service, runs } = await openWithTool(t);
    const caller = await createCaller(service, { credits });
    const calls = await Promise.all(Array.from({ length: 50 }, () => caller.call("look")));
    const good = calls.filter(({ status }) => status === 200);
    for (const call of good) assertResponse(call, 10);
    for (const call of calls.filter((each) => !good.includes(each))) {
      const { price, heldCredits } = assertProblem(call, "insufficient_credits");
      assert.equal(price, 10);
      if (paid === 0) assert.equal(heldCredits, undefined);
    }
    assert.deepEqual([good.length, runs.length], [paid, paid]);
    assert.equal(await caller.balance(), credits - 10 * paid);
  }
});

test("a paid call and its repeats are one run, and the repeats get the same bytes for free", async (t) => {
  const { service, runs } = await openWithTool(t);
  const caller = await createCaller(service, { credits: 10 });
  const first = await caller.call("look", { text: "a" }, key("one"));
  assertResponse(first, 10);
  for (let repeat = 0; repeat < 15; repeat++) {
    const again = await caller.call("look", { text: "a" }, key("one"));
    assertResponse(again, 0);
    assert.deepEqual(again.bytes, first.bytes);
    assert.equal(again.header("idempotency-replayed"), "true");
    assert.equal(again.header("credits-remaining"), "0");
  }
  assertProblem(await caller.call("look", { text: "b" }, key("one")), "idempotency_key_reused");
  assert.equal(runs.length, 1);
});

test("a kept response is long, compressed and sealed, and comes back byte for byte", async (t) => {
  const text = "ä line\n".repeat(20_000);
  const { service } = await openWithTool(t, {}, () => ({ text }));
  const caller = await createCaller(service);
  const first = await caller.call("look", {}, key("one"));
  assert.equal(assertResponse(first, 10).text, text);
  const again = await caller.call("look", {}, key("one"));
  assert.deepEqual(again.bytes, first.bytes);
});

test("a call shows what running calls hold; its repeat waits until it has ended", async (t) => {
  const started = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const { service, runs } = await openWithTool(t, {}, async () => {
    started.resolve();
    await end.promise;
    return {};
  });
  const caller = await createCaller(service, { credits: 15 });
  const running = caller.call("look", {}, key("one"));
  await started.promise;
  const { balance, heldCredits, detail } = assertProblem(
    await caller.call("look"),
    "insufficient_credits",
  );
  assert.deepEqual({ balance, heldCredits }, { balance: 5, heldCredits: 10 });
  assert.match(detail, /Running calls hold 10 credits\./);
  assertProblem(await caller.call("look", {}, key("one")), "idempotency_in_progress");
  const account = await service.send("/api/v1/account", {
    headers: { Authorization: `Bearer ${caller.key}` },
  });
  assert.deepEqual([account.json().balance, account.json().held], [5, 10]);
  end.resolve();
  assertResponse(await running, 10);
  assertResponse(await caller.call("look", {}, key("one")), 0);
  assert.equal(runs.length, 1);
});

test("a call that fails gives its credits back, and a read is free to run again under its key", async (t) => {
  let isBroken = true;
  const { service, runs } = await openWithTool(t, {}, () => {
    if (isBroken) throw new Error("the service is down");
    return {};
  });
  const caller = await createCaller(service, { credits: 10 });
  assertProblem(await caller.call("look", {}, key("one")), "internal");
  assert.equal(await caller.balance(), 10);
  isBroken = false;
  assertResponse(await caller.call("look", {}, key("one")), 10);
  assert.equal(runs.length, 2);
});

test("an act needs a key, and never runs again under it once it has failed", async (t) => {
  const recorded: (string | null)[] = [];
  const run = (text: string) => {
    if (text === "fail") throw new Error("half of it is done");
    return {};
  };
  const { service, runs, logged } = await openWithTool(t, { effect: "act" }, run, {
    record: ({ callId }) => void recorded.push(callId),
  });
  const caller = await createCaller(service, { credits: 20 });
  const { errors } = assertProblem(await caller.call("look"), "invalid_request");
  assert.equal(errors[0].header, "Idempotency-Key");
  const { callId, detail } = assertProblem(
    await caller.call("look", { text: "fail" }, key("one")),
    "internal",
  );
  assert.equal(callId, runs[0]);
  assert.match(detail, /The call call_\w+ may have done its work, so it does not run again under/);
  // Without the id, errors of all calls are one in the log.
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? "", /not charged\. The call may have done its work, so/);
  const unknown = assertProblem(
    await caller.call("look", { text: "fail" }, key("one")),
    "outcome_unknown",
  );
  assert.equal(unknown.callId, callId);
  // Of the repeat too, so that the operator finds the call from its line.
  assert.deepEqual(recorded.slice(-2), [callId, callId]);
  assert.equal(runs.length, 1);
  assert.equal(await caller.balance(), 20);
  const paid = await caller.call("look", {}, key("two"));
  assertResponse(paid, 10);
  assert.deepEqual((await caller.call("look", {}, key("two"))).bytes, paid.bytes);
  assert.equal(runs.length, 2);
});

test("over MCP an act needs no key: each message is a separate call, and one that fails may have done its work", async (t) => {
  const { service, runs } = await openWithTool(t, { effect: "act" }, (text) => {
    if (text === "fail") throw new UpstreamFault("failed", "responded with 503");
    return {};
  });
  const caller = await createCaller(service, { credits: 30 });
  for (const run of [1, 2]) {
    const result = resultOf(await post(service, caller, mcpCall("look", {})));
    assert.deepEqual(result.structuredContent, { ok: true, run });
  }
  assert.equal(await caller.balance(), 10);
  const failed = await post(service, caller, mcpCall("look", { text: "fail" }));
  assert.equal(
    assertToolError(failed, "upstream_failed").split("\n")[0],
    `upstream_failed (502): The service behind look responded with 503. The call was not charged. The call ${runs[2]} may have done its work. Find out what it has done before you send it again.`,
  );
  const withKey = mcpCall("look", { text: "fail" }, { [KEY]: "one" });
  assert.match(
    assertToolError(await post(service, caller, withKey), "upstream_failed"),
    /charged\. The call call_\w+ may have done its work, so it does not run again under its Idempotency-Key\. Find out what it has done before you send it with a new one\.\n/,
  );
  assertToolError(await post(service, caller, withKey), "outcome_unknown");
  assert.equal(runs.length, 4);
  assert.equal(await caller.balance(), 10);
});

test("an invalid input holds nothing, and its key stays free", async (t) => {
  const { service, runs } = await openWithTool(t, { effect: "act" });
  const caller = await createCaller(service, { credits: 10 });
  assertProblem(await caller.call("look", { text: 7 }, key("one")), "invalid_request");
  assertResponse(await caller.call("look", { text: "a" }, key("one")), 10);
  assert.equal(runs.length, 1);
});

for (const effect of ["none", "read", "act"] as const)
  test(`a tool of effect ${effect} may reject an input: nothing is charged or held, and its key is free`, async (t) => {
    let isRejecting = true;
    const { service, runs, logged } = await openWithTool(t, { effect }, (text) => {
      if (isRejecting) throw new InvalidInput("The shop has no more of it.", text || undefined);
      return {};
    });
    const caller = await createCaller(service, { credits: 10 });
    const send = (text: string) => caller.call("look", { text }, key("one"));
    for (const [text, pointer] of [
      ["", ""],
      ["amount", "/amount"],
      ["a/b", "/a~1b"],
      ["x".repeat(201), ""],
    ] as const) {
      const { detail, errors } = assertProblem(await send(text), "invalid_request");
      assert.equal(detail, "The shop has no more of it.");
      assert.deepEqual(errors, [{ pointer, detail }]);
    }
    const query = await caller.call("look?text=text", undefined, key("two"));
    assert.equal(assertProblem(query, "invalid_request").errors[0].parameter, "text");
    assert.equal(await caller.balance(), 10);
    isRejecting = false;
    assertResponse(await send("amount"), 10);
    assert.equal(runs.length, 6);
    assert.deepEqual(logged, []);
  });

test("over MCP, an input that a tool rejects is an error of the call, and the tool has done nothing", async (t) => {
  const { service } = await openWithTool(t, { effect: "act" }, () => {
    throw new InvalidInput("The shop has no more of it.", "text");
  });
  const caller = await createCaller(service, { credits: 10 });
  const rejected = await post(service, caller, mcpCall("look", {}));
  assert.equal(
    assertToolError(rejected, "invalid_request").split("\n")[0],
    "invalid_request (400): The shop has no more of it.",
  );
  assert.equal(await caller.balance(), 10);
});

test("a price function may reject an input, even of a quote", async (t) => {
  const price = () => {
    throw new InvalidInput("Nobody translates that.", "text");
  };
  const { service, runs } = await openWithTool(t, { price, priceMax: 10 } as never);
  const caller = await createCaller(service, { credits: 10 });
  for (const path of ["look", "look/quote"]) {
    const { errors } = assertProblem(await caller.call(path), "invalid_request");
    assert.equal(errors[0].pointer, "/text");
  }
  assert.equal(runs.length, 0);
});

test("a rejection by another copy of the package counts too, and its text is shortened", async (t) => {
  const copy: string = "../../src/tools/run-fault.ts?copy";
  const other: typeof import("#tools/run-fault.ts") = await import(copy);
  const { service } = await openWithTool(t, {}, (text) => {
    const rejection = new other.InvalidInput(text);
    assert.ok(!(rejection instanceof InvalidInput));
    throw rejection;
  });
  const caller = await createCaller(service, { credits: 10 });
  const detailOf = async (text: string) =>
    assertProblem(await caller.call("look", { text }), "invalid_request").detail;
  assert.equal(await detailOf("out of stock"), "out of stock");
  assert.equal(await detailOf(" "), "The tool rejects the input.");
  assert.equal(await detailOf(`${"x".repeat(1_999)}😀`), `${"x".repeat(1_999)}\ufffd`);
});

test("a tool may settle for less than its price, not for more", async (t) => {
  const { service } = await openWithTool(t, {}, (text, { settle }) => {
    settle(99);
    settle(Number(text));
    return {};
  });
  const caller = await createCaller(service, { credits: 100 });
  assertResponse(await caller.call("look", { text: "3" }), 3);
  assertResponse(await caller.call("look", { text: "0" }), 0);
  assertResponse(await caller.call("look", { text: "50" }), 10);
  assertProblem(await caller.call("look", { text: "0.5" }), "internal");
  assert.equal(await caller.balance(), 87);
});

test("the id of the call is that of the ledger", async (t) => {
  const { service, runs } = await openWithTool(t);
  const caller = await createCaller(service);
  assertResponse(await caller.call("look"), 10);
  const { entries } = await service.ledger.entries({
    ...{ account: caller.account, after: null, max: 1, now: await service.now() },
  });
  const [, at, callId] = entries[0]?.id.split(":") ?? [];
  const { account } = caller;
  assert.deepEqual(parseCallRef(runs[0] ?? ""), { account, callId, at: Number(at) });
});

test("a response that is too large to keep is not charged, and an act is not told to request less, because it has been done", async (t) => {
  for (const [effect, advice] of [
    ["read", /kept for repeats\. The call was not charged\. Request a smaller result\.$/],
    ["act", /\. The call was not charged\. The call call_\w+ may have done its work, so/],
  ] as const) {
    const text = "x".repeat(2 ** 20);
    const { service, runs } = await openWithTool(t, { effect }, () => ({ text }));
    const caller = await createCaller(service, { credits: 10 });
    const { detail } = assertProblem(await caller.call("look", {}, key("one")), "tool_failed");
    assert.match(detail, advice);
    assert.equal(detail.includes(runs[0] ?? "none"), effect === "act");
    assert.equal(await caller.balance(), 10);
    if (effect === "read") assertResponse(await caller.call("look"), 10);
  }
});

test("with too many kept responses, only a tool that takes calls without a key says to leave it out", async (t) => {
  for (const [effect, advice] of [
    ["read", /Send calls without the header, or wait until the oldest expire\.$/],
    ["act", /Wait until the oldest expire: calls of this tool need the header\.$/],
  ] as const) {
    const ledger = createMemoryLedger();
    const hold = async () => ({ outcome: "too_much_kept", balance: 100 }) as const;
    const { service, runs } = await openWithTool(
      t,
      { effect },
      () => ({}),
      {},
      {
        ...ledger,
        hold,
      },
    );
    const caller = await createCaller(service);
    const problem = assertProblem(await caller.call("look", {}, key("one")), "rate_limited");
    assert.equal(problem.limitSource, "kept_responses");
    assert.match(problem.detail, advice);
    assert.equal(runs.length, 0);
  }
});

test("an unreachable ledger is 503 before the tool runs", async (t) => {
  const { service, runs } = await openWithTool(t);
  const caller = await createCaller(service);
  assertResponse(await caller.call("look"), 10);
  await service.trouble("refuse_all");
  assertProblem(await caller.call("look"), "unavailable");
  await service.trouble("none");
  assert.equal(runs.length, 1);
  assert.equal(await caller.balance(), 90);
});

test("if it is not known whether a call was charged, its repeat gets the kept response; without a key it is reversed", async (t) => {
  const { service, runs } = await openWithTool(t);
  const caller = await createCaller(service);
  await service.trouble("lose_answers");
  const lost = assertProblem(await caller.call("look", {}, key("one")), "unavailable");
  assert.deepEqual([lost.charged, lost.callId], ["unknown", runs[0]]);
  assert.equal(assertProblem(await caller.call("look"), "unavailable").charged, "unknown");
  await service.trouble("none");
  assertResponse(await caller.call("look", {}, key("one")), 0);
  assert.equal(runs.length, 2);
  assert.equal(await caller.balance(), 90);
});

test("an act that has run and is not charged, or perhaps not, says that it may have done its work", async (t) => {
  const ledger = createMemoryLedger();
  let outcome: SettleOutcome | null = { outcome: "insufficient_credits", balance: 0 };
  const settle = async () => outcome ?? assert.fail("The answer is lost");
  const calls = new LocalCallLedger({ ...ledger, settle }, 0, () => 0);
  const { service, runs } = await openWithTool(t, { effect: "act" }, () => ({}), { calls }, ledger);
  const caller = await createCaller(service);
  const late = assertProblem(await caller.call("look", {}, key("one")), "insufficient_credits");
  assert.equal(late.callId, runs[0]);
  assert.match(late.detail, / may have done its work, so it does not run again under/);
  outcome = null;
  const lost = await post(service, caller, mcpCall("look", {}));
  assert.match(assertToolError(lost, "unavailable"), / may have done its work\. Find out what/);
});

test("a repeat of a reversed call is a new call, or never runs again", async (t) => {
  for (const effect of ["read", "act"] as const) {
    const { service, runs } = await openWithTool(t, { effect });
    const caller = await createCaller(service, { credits: 100 });
    assertResponse(await caller.call("look", {}, key("one")), 10);
    const call = parseCallRef(runs[0] ?? "") as CallRef;
    await service.ledger.reverse({ ...call, now: call.at });
    const repeat = await caller.call("look", {}, key("one"));
    if (effect === "read") assertResponse(repeat, 10);
    else assert.equal(assertProblem(repeat, "outcome_unknown").callId, runs[0]);
    assert.equal(runs.length, effect === "read" ? 2 : 1);
  }
});

test("a call whose hold is not known is 503, also where it may hold the last credits", async (t) => {
  const ledger = createMemoryLedger();
  const ended = Promise.withResolvers<void>();
  const calls = new LocalCallLedger(
    {
      ...ledger,
      async hold(order) {
        await ledger.hold(order);
        throw new Error("The answer is lost");
      },
      async release(order) {
        await ended.promise;
        return ledger.release(order);
      },
    },
    0,
    () => 0,
  );
  const { service, runs } = await openWithTool(t, {}, () => ({}), { calls }, ledger);
  const caller = await createCaller(service, { credits: 10 });
  // A key that the service knows: the status of any other is asked for before.
  const headers = { Authorization: `Bearer ${caller.key}` };
  assert.equal((await service.send("/api/v1/account", { headers })).status, 200);
  const { detail } = assertProblem(await caller.call("look"), "unavailable");
  assert.match(detail, /The call was not charged\./);
  ended.resolve();
  await eventually("its credits are back", async () => (await caller.balance()) === 10);
  assert.equal(runs.length, 0);
});

test("an act whose hold may have been made and could not be given back has not run, and its key is free", async (t) => {
  const ledger = createMemoryLedger();
  let isLost = true;
  const lost = new Error("The answer is lost");
  const troubled = {
    ...ledger,
    async hold(order: HoldOrder) {
      const outcome = await ledger.hold(order);
      if (isLost) throw lost;
      return outcome;
    },
    release: async (order: Parameters<Ledger["release"]>[0]) => {
      if (isLost) throw lost;
      return ledger.release(order);
    },
  };
  const calls = new LocalCallLedger(troubled, 0, () => 0);
  const { service, runs } = await openWithTool(t, { effect: "act" }, () => ({}), { calls }, ledger);
  const caller = await createCaller(service, { credits: 10 });
  assertProblem(await caller.call("look", {}, key("one")), "unavailable");
  await eventually("its credits are back", async () => (await caller.balance()) === 10);
  assert.equal(runs.length, 0);
  isLost = false;
  assertResponse(await caller.call("look", {}, key("one")), 10);
});

for (const [when, isTwice] of [
  ["after its call has failed", false],
  ["once more after it was given back", true],
] as const)
  test(`a hold that is made ${when} is never charged`, async (t) => {
    const ledger = createMemoryLedger();
    let lost: HoldOrder | undefined;
    const calls = new LocalCallLedger(
      {
        ...ledger,
        async hold(order) {
          lost = order;
          if (isTwice) await ledger.hold(order);
          throw new Error("The answer is lost");
        },
      },
      0,
      () => 0,
    );
    const acts = { effect: "act", onCrash: "charge" } as const;
    const { service, runs } = await openWithTool(t, acts, () => ({}), { calls }, ledger);
    const caller = await createCaller(service);
    assertProblem(await caller.call("look", {}, key("one")), "unavailable");
    const order = lost ?? assert.fail("nothing was held");
    const { account, callId, now: at, leaseMs } = order;
    await eventually("the call is marked", async () => {
      const { outcome } = await ledger.findCall({ account, callId, at });
      return outcome === "never_charged";
    });
    assert.equal((await ledger.hold(order)).outcome, "held");
    for (const leases of [1, 2])
      await ledger.expireHolds({ account, now: at + leases * leaseMs, max: 10 });
    assert.deepEqual([await caller.balance(), runs.length], [100, 0]);
    const again = await ledger.hold({ ...order, callId: "call_again" });
    assert.equal(again.outcome, "held", "its key is free");
  });

for (const [what, isSilent] of [
  ["could not be given back", false],
  ["had been charged because its server stood still", true],
] as const)
  test(`a call that fails is not charged, although its hold ${what}`, async (t) => {
    const ledger = createMemoryLedger();
    const endHolds = async ({ account, at }: CallRef) => {
      for (const leases of [1, 2])
        await ledger.expireHolds({ account, now: at + leases * 60_000, max: 10 });
    };
    const lost = async () => {
      throw new Error("The answer is lost");
    };
    const calls = new LocalCallLedger(isSilent ? ledger : { ...ledger, release: lost }, 0, () => 0);
    const run = async (_: string, { callId }: OwnToolContext) => {
      if (isSilent) await endHolds(parseCallRef(callId) as CallRef);
      throw new Error("half of it is done");
    };
    const acts = { effect: "act", onCrash: "charge" } as const;
    const { service, runs } = await openWithTool(t, acts, run, { calls }, ledger);
    const caller = await createCaller(service);
    const { detail } = assertProblem(await caller.call("look", {}, key("one")), "internal");
    assert.match(detail, /not charged\./);
    await endHolds(parseCallRef(runs[0] ?? "") as CallRef);
    assert.equal(await caller.balance(), 100);
    assertProblem(await caller.call("look", {}, key("one")), "outcome_unknown");
    assert.equal(runs.length, 1);
  });

test("a call that took so long that another has its key is not charged, and tells the balance", async (t) => {
  const ledger = createMemoryLedger();
  let held: HoldOrder | undefined;
  const hold = (order: HoldOrder) => {
    held = order;
    return ledger.hold(order);
  };
  const calls = new LocalCallLedger({ ...ledger, hold }, 0, () => 0);
  const run = async () => {
    const order = held ?? assert.fail("nothing was held");
    const { account, now, leaseMs } = order;
    for (const leases of [1, 2])
      await ledger.expireHolds({ account, now: now + leases * leaseMs, max: 10 });
    await ledger.hold({ ...order, callId: "call_other", credits: 30 });
    return {};
  };
  const { service } = await openWithTool(t, {}, run, { calls }, ledger);
  const caller = await createCaller(service);
  const taken = await caller.call("look", {}, key("one"));
  assertProblem(taken, "idempotency_in_progress");
  assert.deepEqual(
    [taken.header("credits-charged"), taken.header("credits-remaining")],
    ["0", "70"],
  );
  assert.equal(await caller.balance(), 70);
});

test("a stop waits until a call whose charge was not known is charged, so that its repeat gets the response", async (t) => {
  const ledger = createMemoryLedger();
  let isLost = false;
  const settle: Ledger["settle"] = async (order) => {
    if (isLost) return ledger.settle(order);
    isLost = true;
    throw new Error("The answer is lost");
  };
  const calls = new LocalCallLedger({ ...ledger, settle }, 0, () => 0);
  const { service, runs } = await openWithTool(t, { effect: "act" }, () => ({}), { calls }, ledger);
  const caller = await createCaller(service);
  const lost = assertProblem(await caller.call("look", {}, key("one")), "unavailable");
  assert.equal(lost.charged, "unknown");
  await stopCalls({ stop: async () => {} }, { close: async () => {} }, calls.openHolds);
  assert.equal(await caller.balance(), 90);
  assertResponse(await caller.call("look", {}, key("one")), 0);
  assert.equal(runs.length, 1);
});

test("a call that is charged late in the background is counted, and one that cannot be charged is logged", async (t) => {
  let [late, passedMs] = [0, 0];
  const countLateSettlement = () => {
    late += 1;
  };
  const metrics = { countLateSettlement } as never;
  const changes = { metrics, elapsed: () => passedMs };
  const { service, runs, logged } = await openWithTool(t, {}, () => ({}), changes);
  const caller = await createCaller(service, { credits: 20 });
  await service.trouble("refuse_debits");
  assertProblem(await caller.call("look", {}, key("late")), "unavailable");
  const { account, callId, at } = parseCallRef(runs[0] ?? "") as CallRef;
  for (const leases of [1, 2])
    await service.ledger.expireHolds({ account, now: at + leases * 60_000, max: 10 });
  await service.trouble("none");
  await eventually("it is charged", async () => late === 1);
  const found = await service.ledger.findCall({ account, callId, at });
  assert.equal(found.outcome, "found");

  await service.trouble("refuse_debits");
  assertProblem(await caller.call("look", {}, key("lost")), "unavailable");
  passedMs = 3_600_000;
  const given = /^A call could not be charged after its work/;
  await eventually("it is logged", async () => logged.some((message) => given.test(message)));
});
