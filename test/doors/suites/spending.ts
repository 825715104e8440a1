import assert from "node:assert/strict";
import { assertAnswer, assertProblem, createCaller, type Sentence } from "../door.ts";

/** What calls cost, whatever runs at once. */
export function spendingSuite(sentence: Sentence) {
  sentence("the first successful call of an account is free, the second costs 1", async (door) => {
    const caller = await createCaller(door, { credits: 2, freeCall: "open" });
    const first = await caller.call("hash", { text: "one" });
    assertAnswer(first, 0);
    assert.equal(first.header("credits-remaining"), "2");
    const second = await caller.call("hash", { text: "two" });
    assertAnswer(second, 1);
    assert.equal(second.header("credits-remaining"), "1");
    assert.equal(await caller.balance(), 1);
  });
}
