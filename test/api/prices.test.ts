import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { defineTool, type OwnToolContext, type Tool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { OUT_OF_THE_WAY, openChanged, openMemory } from "../http/in-process.ts";
import { openRemoteInProcess } from "../http/remote-in-process.ts";
import { assertProblem, assertResponse, createCaller, type TestService } from "../http/test-api.ts";

/** Prices that depend on the input, those that an account has of its own, and quotes. */

const EFFECTS = ["none", "read", "act"] as const;
const LEDGERS = { local: openMemory, remote: openRemoteInProcess };

const faulty: Record<string, () => unknown> = {
  throws() {
    throw new Error("no price");
  },
  half: () => 0.5,
  text: () => "3",
  nothing: () => undefined,
  negative: () => -1,
  over: () => 21,
};

/** The tools `none`, `read` and `act`, of each effect one: a call costs a credit for each character of its text, up to 20. */
async function openWithTools(
  t: TestContext,
  ledger: keyof typeof LEDGERS = "local",
  settings = OUT_OF_THE_WAY,
) {
  const runs: string[] = [];
  const priced: string[] = [];
  const tools = EFFECTS.map(
    (effect): Tool =>
      ownTool(
        effect,
        defineTool({
          ...{ summary: "A tool.", effect, input: { text: z.string().default("") } },
          price({ text }) {
            priced.push(text);
            return text in faulty ? (faulty[text]?.() as number) : text.length;
          },
          priceMax: 20,
          run({ text }, { settle }: OwnToolContext) {
            runs.push(text);
            if (text.startsWith("settle")) settle(Number(text.slice("settle ".length)));
            return { text };
          },
        }),
      ),
  );
  const all = { tools: [...tools, ...TOOLS] };
  const service = await openChanged(t, all, settings, LEDGERS[ledger]);
  return { service, runs, priced };
}

let keys = 0;
const newKey = () => {
  keys += 1;
  return { "Idempotency-Key": `key-${keys}` };
};

const accountWith = (service: TestService, credits: number, freeCall: "open" | "withheld") =>
  createCaller(service, { credits, freeCall });

/** What a call with this text costs, or its error with the balance and the price that it says; and whether the tool ran. */
const CALLS: {
  balance: number;
  freeCall?: "open";
  text: string | number;
  costs?: number;
  fails?: [code: "insufficient_credits" | "internal" | "invalid_request", price?: number];
  /** For a tool of effect `none`, which runs before it is charged. */
  runsFirst?: true;
}[] = [
  { balance: 20, text: "four", costs: 4 },
  { balance: 20, text: "x".repeat(20), costs: 20 },
  { balance: 4, text: "four", costs: 4 },
  { balance: 20, text: "", costs: 0 },
  { balance: 3, text: "four", fails: ["insufficient_credits", 4], runsFirst: true },
  { balance: 0, text: "four", fails: ["insufficient_credits"], runsFirst: true },
  { balance: 3, text: 7, fails: ["invalid_request"] },
  { balance: 0, text: 7, fails: ["insufficient_credits", 1] },
  { balance: 0, freeCall: "open", text: "a", costs: 0 },
  { balance: 0, freeCall: "open", text: "ab", fails: ["insufficient_credits", 2], runsFirst: true },
  ...Object.keys(faulty).map((text) => ({
    balance: 20,
    text,
    fails: ["internal"] as ["internal"],
  })),
];

for (const ledger of ["local", "remote"] as const)
  for (const effect of EFFECTS)
    test(`a call of effect ${effect} costs what its input says, or fails and costs nothing (${ledger} ledger)`, async (t) => {
      const { service, runs } = await openWithTools(t, ledger);
      for (const { balance, freeCall = "withheld", text, costs, fails, runsFirst } of CALLS) {
        const caller = await accountWith(service, balance, freeCall);
        runs.length = 0;
        const response = await caller.call(effect, { text }, newKey());
        const isRun = costs !== undefined || (runsFirst === true && effect === "none");
        if (fails === undefined) assertResponse(response, costs);
        else {
          const problem = assertProblem(response, fails[0]);
          if (fails[0] === "insufficient_credits") {
            assert.equal(problem.balance, balance);
            if (fails[1] !== undefined) assert.equal(problem.price, fails[1]);
          }
        }
        // A balance of 0 may be rejected before the input is read.
        if (balance > 0 || freeCall === "open") assert.equal(runs.length > 0, isRun, String(text));
        assert.equal(await caller.balance(), balance - (costs ?? 0), String(text));
      }
    });

for (const ledger of ["local", "remote"] as const)
  test(`no price function runs for an account that cannot pay (${ledger} ledger)`, async (t) => {
    const { service, priced } = await openWithTools(t, ledger);
    for (const effect of EFFECTS) {
      const caller = await accountWith(service, 1, "withheld");
      // From here on the process knows the key.
      assertResponse(await caller.call(effect, { text: "a" }, newKey()), 1);
      priced.length = 0;
      for (const _ of ["first", "second", "third"])
        assertProblem(
          await caller.call(effect, { text: "four" }, newKey()),
          "insufficient_credits",
        );
      assert.deepEqual(priced, []);
    }
  });

test("a free call is for one function of a price: after a 402, the next calls run none", async (t) => {
  const { service, priced } = await openWithTools(t);
  for (const effect of EFFECTS) {
    const caller = await accountWith(service, 0, "open");
    priced.length = 0;
    for (const text of ["four", "fives", "sixsix"])
      assertProblem(await caller.call(effect, { text }, newKey()), "insufficient_credits");
    assert.deepEqual(priced, ["four"]);
  }
});

test("the 402 before the input is read says what a call costs at least", async (t) => {
  const { service } = await openWithTools(t);
  const caller = await createCaller(service, { credits: 0 });
  const early = assertProblem(await caller.call("read", { text: 7 }), "insufficient_credits");
  assert.match(early.detail, /^The call costs at least 1 credit, and the balance is 0\./);
  await caller.grant(3);
  const exact = assertProblem(await caller.call("read", { text: "four" }), "insufficient_credits");
  assert.match(exact.detail, /^The call costs 4 credits, and the balance is 3\./);
});

test("a repeat costs nothing, and another input under the key is rejected", async (t) => {
  const { service } = await openWithTools(t);
  for (const effect of EFFECTS) {
    const caller = await createCaller(service, { credits: 5 });
    const key = newKey();
    const first = await caller.call(effect, { text: "five!" }, key);
    assertResponse(first, 5);
    const again = await caller.call(effect, { text: "five!" }, key);
    assertResponse(again, 0);
    assert.deepEqual(again.bytes, first.bytes);
    assertProblem(await caller.call(effect, { text: "six!!!" }, key), "idempotency_key_reused");
  }
});

/** What a quote of a text says, whatever the balance; or its error. */
const QUOTES: { text: unknown; credits?: number; fails?: "internal" | "invalid_request" }[] = [
  { text: "", credits: 0 },
  { text: "four", credits: 4 },
  { text: "x".repeat(20), credits: 20 },
  { text: 7, fails: "invalid_request" },
  { text: "x".repeat(21), fails: "internal" },
  { text: "throws", fails: "internal" },
];

for (const ledger of ["local", "remote"] as const)
  test(`a quote says what the input costs, for free, and runs no tool (${ledger} ledger)`, async (t) => {
    const { service, runs } = await openWithTools(t, ledger);
    for (const balance of [0, 100])
      for (const effect of EFFECTS)
        for (const { text, credits, fails } of QUOTES) {
          const caller = await createCaller(service, { credits: balance });
          const quote = await caller.call(`${effect}/quote`, { text });
          if (fails !== undefined) assertProblem(quote, fails);
          else assert.deepEqual(assertResponse(quote, 0), { ok: true, credits });
          assert.equal(quote.header("credits-remaining"), String(balance));
          assert.equal(await caller.balance(), balance);
        }
    assert.equal(runs.length, 0);
  });

test("a quote of a tool with one price is that price, in every form that a call takes", async (t) => {
  const { service } = await openWithTools(t);
  const caller = await createCaller(service, { credits: 0 });
  const asText = { "Content-Type": "text/plain" };
  const quotes = [
    await caller.call("hash/quote", { text: "a", algorithm: "sha256" }),
    await caller.post("hash/quote?algorithm=sha256", { headers: asText, body: "a" }),
    await caller.post("qr-code/quote", { headers: { ...asText, Accept: "image/png" }, body: "a" }),
    await caller.call("echo/quote", [1]),
  ];
  for (const quote of quotes) assert.deepEqual(assertResponse(quote, 0), { ok: true, credits: 1 });
  const { errors } = assertProblem(
    await caller.call("hash/quote", { txt: "a" }),
    "invalid_request",
  );
  assert.ok(errors.length > 0);
});

test("a quote has the errors of a call about its key, method and body", async (t) => {
  const { service } = await openWithTools(t);
  const caller = await createCaller(service);
  const unknown = await service.send("/api/v1/read/quote", { method: "POST" });
  assertProblem(unknown, "missing_key");
  const { account, keyId: id } = caller;
  assertProblem(await service.send("/api/v1/read/quote"), "method_not_allowed");
  assertProblem(await caller.call("raed/quote", {}), "not_found");
  const asXml = { headers: { "Content-Type": "text/xml" }, body: "<a/>" };
  assertProblem(await caller.post("read/quote", asXml), "unsupported_media_type");
  const tooLong = "x".repeat(2 ** 20);
  assertProblem(await caller.call("read/quote", { text: tooLong }), "too_large");
  const limits = { expiresAt: null, networks: null, rate: null, tools: ["act"] };
  const budgets = { total: null, month: null, day: null };
  const now = await service.now();
  await service.ledger.changeKey({ account, id, limits: { ...limits, budgets }, now });
  assertProblem(await caller.call("read/quote", { text: "a" }), "key_not_allowed");
  assertResponse(await caller.call("act/quote", { text: "a" }), 0);
  await service.ledger.changeAccount({ account, state: "suspended", now });
  assertProblem(await caller.call("act/quote", { text: "a" }), "account_suspended");
  await service.ledger.revokeKey({ account, id, now });
  assertProblem(await caller.call("act/quote", { text: "a" }), "invalid_key");
});

test("a quote needs no idempotency key and claims none, and counts towards the rate", async (t) => {
  const { service } = await openWithTools(t, "local", { rateLimit: 1, fixed: true });
  const caller = await createCaller(service);
  const key = newKey();
  assertResponse(await caller.call("act/quote", { text: "four" }, key), 0);
  assertResponse(await caller.call("act", { text: "five!" }, key), 5);
  assertProblem(await caller.call("act/quote", { text: "four" }), "rate_limited");
});

test("a quote does not read an idempotency key, not even one with which the call would be an error", async (t) => {
  const { service } = await openWithTools(t);
  const caller = await createCaller(service);
  const key = { "Idempotency-Key": "of two words" };
  for (const effect of EFFECTS) {
    assertResponse(await caller.call(`${effect}/quote`, { text: "four" }, key), 0);
    assertProblem(await caller.call(effect, { text: "four" }, key), "invalid_request");
  }
});

test("a tool whose price depends on the input has its quote in the description", async (t) => {
  const { service } = await openWithTools(t);
  const { paths, components } = (await service.send("/openapi.json")).json();
  const quotes = Object.keys(paths).filter((path) => path.endsWith("/quote"));
  assert.deepEqual(quotes, ["/api/v1/none/quote", "/api/v1/read/quote", "/api/v1/act/quote"]);
  const { post } = paths["/api/v1/read/quote"];
  assert.equal(post.operationId, "quoteRead");
  assert.deepEqual(post.requestBody, paths["/api/v1/read"].post.requestBody);
  assert.deepEqual(components.schemas.Quote.required, ["ok", "credits"]);
});

/** Prices of the account, and what a call of a text of four characters costs then. */
const OWN_PRICES: { prices: Record<string, number>; tool: string; costs: number }[] = [
  { prices: {}, tool: "read", costs: 4 },
  { prices: { read: 7 }, tool: "read", costs: 7 },
  { prices: { read: 30 }, tool: "read", costs: 30 },
  { prices: { read: 0 }, tool: "read", costs: 0 },
  { prices: { none: 2 }, tool: "none", costs: 2 },
  { prices: { act: 9, read: 1 }, tool: "act", costs: 9 },
  { prices: { read: 7 }, tool: "act", costs: 4 },
  { prices: { hash: 6 }, tool: "hash", costs: 6 },
  { prices: { read: 7 }, tool: "hash", costs: 1 },
];

const setPrice = async (
  { ledger, now }: TestService,
  account: string,
  tool: string,
  credits: number | null,
) => ledger.changeAccount({ account, price: { tool, credits }, now: await now() });

for (const ledger of ["local", "remote"] as const)
  test(`a call and its quote cost what the account's own price says, from the next call on (${ledger} ledger)`, async (t) => {
    const { service } = await openWithTools(t, ledger);
    for (const { prices, tool, costs } of OWN_PRICES) {
      const caller = await createCaller(service, { credits: 100 });
      assertResponse(await caller.call("hash", { text: "four" }), 1);
      for (const [each, credits] of Object.entries(prices))
        await setPrice(service, caller.account, each, credits);
      const quote = assertResponse(await caller.call(`${tool}/quote`, { text: "four" }), 0);
      assert.equal(quote.credits, costs, JSON.stringify(prices));
      const key = newKey();
      assertResponse(await caller.call(tool, { text: "four" }, key), costs);
      assertResponse(await caller.call(tool, { text: "four" }, key), 0);
      assert.equal(await caller.balance(), 99 - costs);
      await setPrice(service, caller.account, tool, null);
      const usual = tool === "hash" ? 1 : 4;
      assertResponse(await caller.call(tool, { text: "four" }, newKey()), usual);
    }
  });

test("a 402 says the account's own price, before the input is read and after", async (t) => {
  const { service } = await openWithTools(t);
  for (const effect of EFFECTS) {
    const caller = await createCaller(service, { credits: 5 });
    await setPrice(service, caller.account, effect, 6);
    for (const text of ["a", 7]) {
      const { price, balance, detail } = assertProblem(
        await caller.call(effect, { text }, newKey()),
        "insufficient_credits",
      );
      assert.deepEqual([price, balance], [6, 5]);
      assert.match(detail, /^The call costs 6 credits, and the balance is 5\./);
    }
    await setPrice(service, caller.account, effect, 5);
    assertResponse(await caller.call(effect, { text: "x".repeat(20) }, newKey()), 5);
  }
});

test("a tool settles for at most the account's own price", async (t) => {
  const { service } = await openWithTools(t);
  const caller = await createCaller(service, { credits: 100 });
  await setPrice(service, caller.account, "read", 12);
  assertResponse(await caller.call("read", { text: "settle 11" }), 11);
  assertResponse(await caller.call("read", { text: "settle 15" }), 12);
  await setPrice(service, caller.account, "read", 3);
  assertResponse(await caller.call("read", { text: "settle 11" }), 3);
  assertResponse(await caller.call("read", { text: "x".repeat(20) }), 3);
});

test("the free first call depends on the account's own price, and an invalid price still fails", async (t) => {
  const { service } = await openWithTools(t);
  const free = await createCaller(service, { credits: 0, freeCall: "open" });
  await setPrice(service, free.account, "read", 1);
  assertResponse(await free.call("read", { text: "four" }), 0);
  const caller = await createCaller(service, { credits: 10 });
  await setPrice(service, caller.account, "read", 1);
  assertProblem(await caller.call("read", { text: "throws" }), "internal");
  assert.equal(await caller.balance(), 10);
});
