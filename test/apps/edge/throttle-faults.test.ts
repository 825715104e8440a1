import assert from "node:assert/strict";
import { test } from "node:test";
import { createSharedCounts, type RequestCounts } from "#accounts/request-counts.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { createEdgeCounts, type SignInStub } from "../../../src/apps/edge/site-throttle.ts";

/** How counting handles errors between it and an object. `operations.test.ts` has what it shares with ledgers. */

const platform = (properties: { retryable?: true }) => () =>
  Promise.reject(Object.assign(new Error("Network connection lost."), properties));

/** An object that runs the given steps one by one, and then counts. */
function openFixture(...steps: (() => Promise<never>)[]) {
  const asked: string[] = [];
  const step =
    <Value>(name: string, value: Value) =>
    async (): Promise<Value> => {
      asked.push(name);
      return (await steps.shift()?.()) ?? value;
    };
  const stub: SignInStub = {
    countRequest: step("countRequest", { allowed: true, retryAfter: null }),
    giveBack: step("giveBack", undefined),
  };
  const counts = createSharedCounts({
    counts: createEdgeCounts({ ofService: () => stub }),
    secret: "a secret of a test",
    now: () => 0,
  });
  return { counts, asked };
}

const CHANGES: Record<string, (counts: RequestCounts) => unknown> = {
  countRequest: ({ count }) => count("1.1.1.1/x", { window: 60, max: 3 }),
  giveBack: ({ giveBack }) => giveBack("1.1.1.1/x"),
};

for (const [name, change] of Object.entries(CHANGES)) {
  test(`what may have been counted is not counted again: ${name}`, async () => {
    for (const fault of [platform({ retryable: true }), platform({})]) {
      const { counts, asked } = openFixture(fault);
      await assert.rejects(
        async () => change(counts),
        (error) => !(error instanceof NotCarriedOut),
      );
      assert.deepEqual(asked, [name]);
    }
  });
}
