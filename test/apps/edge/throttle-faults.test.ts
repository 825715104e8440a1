import assert from "node:assert/strict";
import { test } from "node:test";
import { type CountedThrottle, createCountedThrottle } from "#accounts/counted-throttle.ts";
import type { Attempt } from "#accounts/sign-in-throttle.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { createEdgeCounts, type SignInStub } from "../../../src/apps/edge/site-throttle.ts";

/** How the sign-in throttle handles errors between it and an object. `operations.test.ts` has what it shares with ledgers. */

const platform = (properties: { retryable?: true }) => () =>
  Promise.reject(Object.assign(new Error("Network connection lost."), properties));
const moved = platform({ retryable: true });
const broken = platform({});

/** An object that runs the given steps one by one, and then counts. */
function openFixture(...steps: (() => Promise<never>)[]) {
  const asked: string[] = [];
  const loggedErrors: unknown[] = [];
  const work: Promise<unknown>[] = [];
  const step =
    <Value>(name: string, value: Value) =>
    async (): Promise<Value> => {
      asked.push(name);
      return (await steps.shift()?.()) ?? value;
    };
  const stub: SignInStub = {
    takeTry: step("takeTry", 0),
    takeTurn: step("takeTurn", { waitMs: 0 }),
    countRequest: step("countRequest", { allowed: true, retryAfter: null }),
    forget: step("forget", undefined),
  };
  const throttle = createCountedThrottle({
    counts: createEdgeCounts({ ofService: () => stub }),
    secret: "a secret of a test",
    now: () => 0,
    inBackground: (forgetting) =>
      void work.push(forgetting.catch((cause) => loggedErrors.push(cause))),
  });
  return { throttle, asked, loggedErrors, work };
}

const attempt: Attempt = { email: "ada@example.com", address: "1.1.1.1", isKnownBrowser: false };
const COUNTS: Record<string, (throttle: CountedThrottle) => Promise<unknown>> = {
  takeTry: async ({ signIn }) => signIn.ask(attempt, 0),
  countRequest: ({ countRequest }) => countRequest("1.1.1.1/x", { window: 60, max: 3 }),
};

for (const [name, count] of Object.entries(COUNTS)) {
  test(`a try that may have been counted is not counted again: ${name}`, async () => {
    for (const fault of [moved, broken]) {
      const fixture = openFixture(fault);
      await assert.rejects(count(fixture.throttle), (error) => !(error instanceof NotCarriedOut));
      assert.deepEqual(fixture.asked, [name]);
    }
  });
}

test("a try is two counts, each made once", async () => {
  const fixture = openFixture();
  const { signIn } = fixture.throttle;
  assert.deepEqual(await signIn.ask(attempt, 0), { waitMs: 0 });
  assert.deepEqual(fixture.asked, ["takeTry", "takeTurn"]);
});

test("retries until wrong passwords are deleted, and reports failures", async () => {
  const fixture = openFixture(moved, moved);
  fixture.throttle.signIn.succeeded(attempt);
  await Promise.all(fixture.work);
  assert.deepEqual([fixture.asked, fixture.loggedErrors], [["forget", "forget", "forget"], []]);
  const failing = openFixture(broken);
  failing.throttle.signIn.succeeded(attempt);
  await Promise.all(failing.work);
  assert.deepEqual([failing.asked, failing.loggedErrors.length], [["forget"], 1]);
});
