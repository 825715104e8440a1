import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { createOpening } from "#stores/durable-object/opening.ts";
import { SchemaTooNew } from "#stores/schema/migrations.ts";

/** How an object opens its data. `test/apps/edge/releases.test.ts` has what clients see of an object that cannot. */
function openFixture(t: TestContext, first: Error) {
  t.mock.timers.enable({ apis: ["Date"], now: 0 });
  t.mock.method(console, "error", () => {});
  const storage: { fault: Error | null; tries: number } = { fault: first, tries: 0 };
  const opening = createOpening(() => {
    storage.tries += 1;
    if (storage.fault !== null) throw storage.fault;
    return "the data";
  });
  const isRejected = (error: unknown) =>
    error instanceof NotCarriedOut && error.message === first.message;
  return { storage, opening, isRejected, at: (ms: number) => t.mock.timers.setTime(ms) };
}

test("a storage that fails rejects operations as not carried out, and is tried again after doubling times until it works", (t) => {
  const { storage, opening, isRejected, at } = openFixture(t, new Error("disk I/O error"));
  const tries: number[] = [];
  for (const ms of [0, 999, 1_000, 2_999, 3_000]) {
    at(ms);
    assert.throws(() => opening.use(), isRejected);
    tries.push(storage.tries);
  }
  assert.deepEqual(tries, [1, 1, 2, 2, 3]);
  assert.deepEqual(opening.fault(), { message: "disk I/O error", isFinal: false, failures: 3 });
  storage.fault = null;
  assert.throws(() => opening.use(), isRejected, "not before its time");
  at(7_000);
  assert.equal(opening.use(), "the data");
  assert.deepEqual([opening.use(), storage.tries, opening.fault()], ["the data", 4, null]);
});

test("data that only a newer release can read is not tried again", (t) => {
  const { storage, opening, isRejected, at } = openFixture(t, new SchemaTooNew("too new"));
  storage.fault = null;
  at(3_600_000);
  assert.throws(() => opening.use(), isRejected);
  assert.deepEqual([storage.tries, opening.fault()?.isFinal], [1, true]);
});
