import assert from "node:assert/strict";
import { test } from "node:test";
import { countCall } from "#credits/count-call.ts";
import { createThrottle } from "#credits/throttle.ts";
import { createMemoryLedger } from "#store/memory.ts";
import { createBackstage } from "./backstage.ts";
import { createCaller, createSentences, type Door, type Opener, openDoor } from "./door.ts";
import { inProcess, openInProcess, START } from "./in-process.ts";
import { doorSuites } from "./suites.ts";

/** The app over a ledger that is a journey away: it is asked once a call, and what a client sees is the same. */
const withFarLedger: Opener = {
  ...inProcess,
  name: "in process, the ledger far away",
  async open(settings) {
    const backstage = createBackstage(createMemoryLedger(), { now: () => START, elapsed: () => 0 });
    const { ledger, elapsed } = backstage.parts;
    const throttle = createThrottle(settings.rateLimit);
    return openInProcess(backstage, settings, {
      debit: (order) => countCall(ledger, throttle, "debit", order, elapsed()),
      standing: (order) => countCall(ledger, throttle, "standing", order, elapsed()),
    });
  },
};

doorSuites(createSentences(withFarLedger));

const send = (door: Door, key: string, body: string) =>
  door.send("/api/v1/hash", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
const countAsked = async (door: Door) =>
  (await door.ordered("debit")) + (await door.ordered("standing"));

test("a ledger far away is asked exactly once a call, whatever comes of it", async (t) => {
  const door = await openDoor(withFarLedger, { rateLimit: 3 });
  t.after(door.close);
  const [rich, poor] = [await createCaller(door), await createCaller(door, { credits: 0 })];
  const calls: [what: string, key: string, body: string, status: number][] = [
    ["an answer", rich.key, '{"text":"a"}', 200],
    ["no JSON", rich.key, "{", 400],
    ["a large body", rich.key, JSON.stringify({ text: "a".repeat(100_000) }), 200],
    ["no credits", poor.key, '{"text":"a"}', 402],
    ["no credits and no JSON", poor.key, "{", 402],
    ["the rate used up", rich.key, '{"text":"b"}', 200],
    ["the rate used up", rich.key, '{"text":"b"}', 200],
    ["the rate used up", rich.key, '{"text":"b"}', 200],
    ["over the rate", rich.key, '{"text":"b"}', 429],
    ["over the rate and no JSON", rich.key, "{", 429],
  ];
  for (const [what, key, body, status] of calls) {
    const before = await countAsked(door);
    assert.equal((await send(door, key, body)).status, status, what);
    assert.equal((await countAsked(door)) - before, 1, what);
  }
});

test("a key that was made up is refused without asking the ledger far away", async (t) => {
  const door = await openDoor(withFarLedger, { rateLimit: 3 });
  t.after(door.close);
  assert.equal((await send(door, `tb_${"a".repeat(56)}`, "{}")).status, 401);
  assert.equal(await countAsked(door), 0);
});
