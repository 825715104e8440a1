import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { CountedThrottle } from "#accounts/counted-throttle.ts";
import type { Attempt } from "#accounts/sign-in-throttle.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { createEdgeThrottle, type SignInStub } from "../../../src/apps/edge/site-throttle.ts";

/** How the sign-in throttle handles errors of the platform between it and an object. */

const platform = (properties: { retryable?: true; overloaded?: true }) => () =>
  Promise.reject(Object.assign(new Error("Network connection lost."), properties));
const moved = platform({ retryable: true });
const overloaded = platform({ retryable: true, overloaded: true });
const broken = platform({});
const hanging = () => new Promise<never>(() => {});

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
  const throttle = createEdgeThrottle({
    objects: { ofService: () => stub },
    secret: "a secret of a test",
    now: () => 0,
    waitUntil: (forgetting) => void work.push(forgetting),
    logError: (message, { cause }) => void loggedErrors.push([message, cause]),
  });
  return { throttle, asked, loggedErrors, work };
}

const attempt: Attempt = { email: "ada@example.com", address: "1.1.1.1", isKnownBrowser: false };
const COUNTS: Record<string, (throttle: CountedThrottle) => Promise<unknown>> = {
  takeTry: async ({ signIn }) => signIn.ask(attempt, 0),
  countRequest: ({ countRequest }) => countRequest("1.1.1.1/x", { window: 60, max: 3 }),
};

for (const [name, count] of Object.entries(COUNTS)) {
  test(`does not count again after an unknown outcome, and reports it as unknown: ${name}`, async () => {
    for (const fault of [moved, broken]) {
      const fixture = openFixture(fault);
      await assert.rejects(count(fixture.throttle), (error) => !(error instanceof NotCarriedOut));
      assert.deepEqual(fixture.asked, [name]);
    }
  });

  test(`does not retry an overloaded object, which has counted nothing: ${name}`, async () => {
    const fixture = openFixture(overloaded);
    await assert.rejects(count(fixture.throttle), NotCarriedOut);
    assert.deepEqual(fixture.asked, [name]);
  });

  test(`waits for a hanging object no longer than for a ledger: ${name}`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const fixture = openFixture(hanging);
    const said = await atTheEnd(t, count(fixture.throttle));
    assert.match(String(said), /did not respond in time/);
    assert.ok(!(said instanceof NotCarriedOut), "the try may have been counted");
    assert.deepEqual(fixture.asked, [name]);
  });
}

test("the second count of a try is made once as well", async () => {
  const fixture = openFixture();
  const { signIn } = fixture.throttle;
  assert.deepEqual(await signIn.ask(attempt, 0), { waitMs: 0 });
  assert.deepEqual(fixture.asked, ["takeTry", "takeTurn"]);
});

test("retries until wrong passwords are deleted, and logs failures", async () => {
  const fixture = openFixture(moved, moved);
  fixture.throttle.signIn.succeeded(attempt);
  await Promise.all(fixture.work);
  assert.deepEqual([fixture.asked, fixture.loggedErrors], [["forget", "forget", "forget"], []]);
  const failing = openFixture(broken);
  failing.throttle.signIn.succeeded(attempt);
  await Promise.all(failing.work);
  assert.deepEqual([failing.asked, failing.loggedErrors.length], [["forget"], 1]);
});

/** Returns the error after the timeout. */
async function atTheEnd(t: TestContext, asked: Promise<unknown>): Promise<unknown> {
  const said = asked.then(
    () => assert.fail("it was answered"),
    (error: unknown) => error,
  );
  await turn();
  t.mock.timers.tick(LEDGER_TIMEOUT_MS);
  return said;
}
