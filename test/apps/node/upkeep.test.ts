import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Ledger, MaintainOrder, MaintainOutcome } from "#ledger/port.ts";
import { ROLL_UP_AFTER_DAYS } from "#limits.ts";
import { createLastingFaults } from "../../../src/apps/node/lasting-faults.ts";
import { startUpkeep } from "../../../src/apps/node/upkeep.ts";
import { DAY, START } from "../../contract/ledger/fixture.ts";

/** Ledger maintenance in small steps, with a fake ledger and a clock that the test controls. */
const BETWEEN_STEPS_MS = 50;
const BETWEEN_ROUNDS_MS = 600_000;

function openFixture(t: TestContext, responses: (number | null | Error)[]) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: START });
  const orders: MaintainOrder[] = [];
  const loggedErrors: { message: string; cause: unknown }[] = [];
  const apart: { ms: number | undefined } = { ms: undefined };
  const faults = createLastingFaults({ error() {}, warn() {}, info() {} });
  const ledger = {
    async maintain(order: MaintainOrder): Promise<MaintainOutcome> {
      orders.push(order);
      const after = responses.shift() ?? null;
      if (after instanceof Error) throw after;
      const clock = apart.ms === undefined ? {} : { clockAheadMs: apart.ms };
      return { notified: 0, rolledUp: 1, forgotten: 0, after, ...clock };
    },
  };
  const upkeep = startUpkeep(ledger as Ledger, faults, (message, { cause }) =>
    loggedErrors.push({ message, cause }),
  );
  return {
    orders,
    loggedErrors,
    apart,
    fault: () => faults.current().get("clock"),
    upkeep,
    async tick(ms: number) {
      t.mock.timers.tick(ms);
      await turn();
    },
  };
}

test("continues a round where the last step stopped, pauses for calls between steps, and starts the next round later", async (t) => {
  const fixture = openFixture(t, [7, 9, null, 4]);
  assert.equal(fixture.orders.length, 0);
  for (let step = 1; step <= 3; step += 1) {
    await fixture.tick(BETWEEN_STEPS_MS - 1);
    assert.equal(fixture.orders.length, step - 1);
    await fixture.tick(1);
    assert.equal(fixture.orders.length, step);
  }
  assert.deepEqual(
    fixture.orders.map(({ after }) => after),
    [null, 7, 9],
  );
  await fixture.tick(BETWEEN_ROUNDS_MS - 1);
  assert.equal(fixture.orders.length, 3, "the round is over");
  await fixture.tick(1);
  await fixture.tick(BETWEEN_STEPS_MS);
  assert.deepEqual(
    fixture.orders.slice(3).map(({ after }) => after),
    [null, 4],
  );
  assert.deepEqual(fixture.loggedErrors, []);
});

test("each step rolls up a few rows that are older than the setting at that time", async (t) => {
  const fixture = openFixture(t, [7, null]);
  await fixture.tick(BETWEEN_STEPS_MS);
  await fixture.tick(BETWEEN_STEPS_MS);
  for (const [at, { now, rollUpBefore, rowsMax }] of fixture.orders.entries()) {
    assert.equal(now, START + (at + 1) * BETWEEN_STEPS_MS);
    assert.equal(rollUpBefore, now - ROLL_UP_AFTER_DAYS * DAY);
    assert.ok(rowsMax >= 1 && rowsMax <= 1_000);
  }
});

test("full steps grow while they are fast, and the next round starts small again", async (t) => {
  const fixture = openFixture(t, [1, 2, 3, 4, 5, 6, 7, 8, null, null]);
  // The duration of each step.
  const took = [1, 1, 1, 1, 1, 30, 60, 60, 1];
  let [elapsed, asked] = [0, 0];
  t.mock.method(performance, "now", () => {
    if (asked % 2 === 1) elapsed += took[(asked - 1) / 2] ?? 0;
    asked += 1;
    return elapsed;
  });
  for (let step = 0; step < 9; step += 1) await fixture.tick(BETWEEN_STEPS_MS);
  await fixture.tick(BETWEEN_ROUNDS_MS);
  assert.deepEqual(
    fixture.orders.map(({ rowsMax }) => rowsMax),
    [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 4_000, 2_000, 500],
  );
});

test("a clock that differs from the database's is a fault until a round finds them equal, and stops no calls", async (t) => {
  const fixture = openFixture(t, []);
  await fixture.tick(BETWEEN_STEPS_MS);
  assert.equal(fixture.fault(), undefined);
  for (const [ms, said] of [
    [7_400, /is 7 s ahead of the database's/],
    [-90_000, /is 90 s behind the database's/],
  ] as const) {
    fixture.apart.ms = ms;
    await fixture.tick(BETWEEN_ROUNDS_MS);
    assert.match(fixture.fault()?.message ?? "", said);
    assert.equal(fixture.fault()?.stopsCalls, false);
  }
  fixture.apart.ms = undefined;
  await fixture.tick(BETWEEN_ROUNDS_MS);
  assert.equal(fixture.fault(), undefined);
});

test("logs a step that fails and continues later", async (t) => {
  const fault = new Error("no ledger");
  const fixture = openFixture(t, [7, fault, fault, 3]);
  await fixture.tick(BETWEEN_STEPS_MS);
  await fixture.tick(BETWEEN_STEPS_MS);
  assert.deepEqual(fixture.loggedErrors, [
    { message: "Ledger maintenance failed; retrying later", cause: fault },
  ]);
  await fixture.tick(BETWEEN_STEPS_MS * 10);
  assert.equal(fixture.orders.length, 2, "waits before it tries a failing ledger again");
  await fixture.tick(BETWEEN_ROUNDS_MS);
  assert.equal(fixture.loggedErrors.length, 2);
  await fixture.tick(BETWEEN_ROUNDS_MS);
  await fixture.tick(BETWEEN_STEPS_MS);
  assert.deepEqual(
    fixture.orders.map(({ after }) => after),
    [null, 7, null, null, 3],
  );
  assert.equal(fixture.loggedErrors.length, 2);
});

test("starts no step after stop(), even if one was in progress", async (t) => {
  const fixture = openFixture(t, [7, 8]);
  await fixture.tick(BETWEEN_STEPS_MS);
  fixture.upkeep.stop();
  await fixture.tick(BETWEEN_ROUNDS_MS);
  assert.equal(fixture.orders.length, 1);

  t.mock.timers.reset();
  const other = openFixture(t, [7, 8]);
  t.mock.timers.tick(BETWEEN_STEPS_MS);
  other.upkeep.stop();
  await turn();
  await other.tick(BETWEEN_ROUNDS_MS);
  assert.equal(other.orders.length, 1);
});
