import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Tool } from "#tools/define-tool.ts";
import echo from "#tools/echo/tool.ts";
import hash from "#tools/hash/tool.ts";
import uuid from "#tools/uuid/tool.ts";
import { inProcess, openMemory } from "../http/in-process.ts";
import { openRemoteInProcess } from "../http/remote-in-process.ts";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  createCaller,
  openService,
  type TestServiceSettings,
} from "../http/test-api.ts";

/** Tools with prices of their own, with a local and with a remote ledger: what a call is charged, and what 402 says. */
const TOOLS = [{ ...hash, price: 7 }, { ...uuid, price: 0 }, echo] as Tool[];
const OPENERS = { local: openMemory, remote: openRemoteInProcess };

for (const [where, openApp] of Object.entries(OPENERS)) {
  const open = async (t: TestContext, settings: Partial<TestServiceSettings> = {}) => {
    const all: TestServiceSettings = { rateLimit: 100_000, fixed: true, ...settings };
    const opened = async () => openApp(all, { tools: TOOLS });
    const service = await openService({ ...inProcess, open: opened }, all);
    t.after(service.close);
    return service;
  };

  test(`${where}: a call is charged the price of its tool`, async (t) => {
    const caller = await createCaller(await open(t), { credits: 20 });
    for (const [tool, charged, left] of [
      ["hash", 7, 13],
      ["uuid", 0, 13],
      ["echo", 1, 12],
      ["hash", 7, 5],
    ] as const) {
      const response = await caller.call(tool, tool === "hash" ? { text: "a" } : {});
      assertResponse(response, charged);
      assert.equal(response.header("credits-remaining"), String(left), tool);
    }
    assertShort(await caller.call("hash", { text: "a" }), 7, 5);
    assertResponse(await caller.call("echo", {}), 1);
    assert.equal(await caller.balance(), 4);
  });

  test(`${where}: a price may span several grants, all or nothing`, async (t) => {
    const caller = await createCaller(await open(t), { credits: 3 });
    await caller.grant(2);
    assertShort(await caller.call("hash", { text: "a" }), 7, 5);
    assert.equal(await caller.balance(), 5);
    await caller.grant(4);
    assertResponse(await caller.call("hash", { text: "a" }), 7);
    assert.equal(await caller.balance(), 2);
  });

  test(`${where}: a call priced 0 needs no credits`, async (t) => {
    const caller = await createCaller(await open(t), { credits: 0 });
    const large = { count: 1, uppercase: true };
    for (const body of [{}, large, {}]) assertResponse(await caller.call("uuid", body), 0);
    assertProblem(await caller.call("uuid", { count: 0 }), "invalid_request");
    assertShort(await caller.call("hash", { text: "a" }), 7, 0);
  });

  test(`${where}: the first call is free up to the price of the setting, and a price of 0 leaves it`, async (t) => {
    const caller = await createCaller(await open(t), { credits: 0, freeCall: "open" });
    assertResponse(await caller.call("uuid", {}), 0);
    // Dearer than the setting, and its body is wrong: the credits come first.
    for (const body of [{ text: "a" }, { text: 1 }]) {
      assertShort(await caller.call("hash", body), 7, 0);
    }
    assertResponse(await caller.call("echo", {}), 0);
    assertShort(await caller.call("echo", {}), 1, 0);
    assertResponse(await caller.call("uuid", {}), 0);
  });

  test(`${where}: a dear first call is charged and leaves the free call`, async (t) => {
    const caller = await createCaller(await open(t), { credits: 8, freeCall: "open" });
    assertResponse(await caller.call("hash", { text: "a" }), 7);
    assertResponse(await caller.call("echo", {}), 0);
    assertResponse(await caller.call("echo", {}), 1);
    assert.equal(await caller.balance(), 0);
  });

  test(`${where}: with a higher setting a dear first call is free, with 0 none is`, async (t) => {
    const dear = await createCaller(await open(t, { freeCallCredits: 7 }), {
      ...{ credits: 0, freeCall: "open" },
    });
    assertResponse(await dear.call("hash", { text: "a" }), 0);
    assertShort(await dear.call("echo", {}), 1, 0);
    const none = await createCaller(await open(t, { freeCallCredits: 0 }), {
      ...{ credits: 1, freeCall: "open" },
    });
    assertResponse(await none.call("echo", {}), 1);
    assertShort(await none.call("echo", {}), 1, 0);
  });

  test(`${where}: a replay is charged nothing, whatever the price`, async (t) => {
    const caller = await createCaller(await open(t), { credits: 7 });
    const again = { "Idempotency-Key": "again" };
    const first = await caller.call("hash", { text: "a" }, again);
    assertResponse(first, 7);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const replay = await caller.call("hash", { text: "a" }, again);
      assertResponse(replay, 0);
      assert.equal(replay.header("idempotency-replayed"), "true");
      assert.equal(replay.header("credits-remaining"), "0");
      assert.deepEqual(replay.bytes, first.bytes);
    }
    assertShort(await caller.call("hash", { text: "a" }), 7, 0);
  });

  test(`${where}: of 20 calls at once on 50 credits exactly those that are paid succeed`, async (t) => {
    const caller = await createCaller(await open(t), { credits: 50 });
    const calls = Array.from({ length: 20 }, () => caller.call("hash", { text: "a" }));
    const responses = await Promise.all(calls);
    assert.equal(responses.filter(({ status }) => status === 200).length, 7);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      assertProblem(response, "insufficient_credits");
    }
    assert.equal(await caller.balance(), 1);
  });
}

/** A 402 that names price and balance, in words and as members. */
function assertShort(response: ApiResponse, price: number, balance: number): void {
  const problem = assertProblem(response, "insufficient_credits");
  const credits = price === 1 ? "credit" : "credits";
  const { topUpUrl } = problem;
  assert.deepEqual([problem.price, problem.balance, topUpUrl], [price, balance, undefined]);
  assert.equal(
    problem.detail,
    `The call costs ${price} ${credits}, and the balance is ${balance}. To get more credits, ask the operator of this service.`,
  );
  assert.equal(response.header("credits-remaining"), String(balance));
}
