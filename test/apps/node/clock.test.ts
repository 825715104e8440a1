import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import {
  type Clock,
  type ClockSources,
  createClock,
  longAway,
  MINUTE_MS,
  type SavedClock,
  SLACK_MS,
} from "#apps/node/clock.ts";
import { createLastingFaults } from "#apps/node/lasting-faults.ts";
import { readSavedClock, systemSources, watchClock } from "#apps/node/system-clock.ts";
import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import type { BatchResult } from "#stores/sqlite/batch.ts";
import { createBatchRunner, unwrap } from "#stores/sqlite/batch.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { createFixture, DAY, HOUR, idempotency, START } from "../../contract/ledger/fixture.ts";

/** A machine: its time of day can be set, and it can sleep, stop and start again. */
function createMachine() {
  const machine = { real: 0, bootedAt: -HOUR, slept: 0, offset: START, boots: 1 };
  const sources: ClockSources = {
    wall: () => machine.real + machine.offset,
    uptime: () => machine.real - machine.bootedAt,
    awake: () => machine.real - machine.bootedAt - machine.slept,
    get bootId() {
      return `boot ${machine.boots}`;
    },
  };
  return { machine, sources };
}

const hoursOf = (clock: Clock) => (clock.now() - clock.earliest()) / HOUR;

test("a clock that was set ahead is noticed, and the earliest time goes on as if it had not been", () => {
  const { machine, sources } = createMachine();
  const clock = createClock(sources);
  machine.real += 5 * HOUR;
  assert.equal(clock.fault(), null);
  assert.equal(clock.earliest(), clock.now());
  machine.offset += 25 * HOUR;
  assert.equal(hoursOf(clock), 25);
  const fault = clock.fault() ?? "";
  assert.match(fault, /was set 25 h ahead\. Until 2026-01-17T16:00:00Z by the new time/);
  machine.real += 23 * HOUR;
  assert.equal(hoursOf(clock), 25);
  assert.equal(clock.fault(), fault, "the same sentence while the cause is the same");
  machine.real += HOUR + SLACK_MS;
  assert.equal(hoursOf(clock), 0);
  assert.equal(clock.fault(), null);
});

test("a clock that is set right again is no longer a fault; one that was set back is", () => {
  const { machine, sources } = createMachine();
  const clock = createClock(sources);
  machine.offset += 25 * HOUR;
  assert.notEqual(clock.fault(), null);
  machine.offset -= 25 * HOUR;
  assert.equal(clock.fault(), null);
  assert.equal(hoursOf(clock), 0);
  machine.offset -= 3 * HOUR;
  assert.match(clock.fault() ?? "", /was set 3 h back\..*may be spendable again/);
  assert.equal(clock.shift(), -3 * HOUR);
  assert.equal(hoursOf(clock), 0);
});

test("neither sleep nor the small corrections of NTP are jumps, but many small ones are not lost", () => {
  const { machine, sources } = createMachine();
  const clock = createClock(sources);
  machine.real += 9 * HOUR;
  machine.slept += 8 * HOUR;
  assert.equal(hoursOf(clock), 0);
  assert.equal(clock.fault(), null);
  for (let step = 0; step < 400; step += 1) {
    machine.real += MINUTE_MS;
    machine.offset += SLACK_MS / 2;
    clock.now();
  }
  assert.ok(clock.now() - clock.earliest() >= 199 * SLACK_MS, String(clock.shift()));
  assert.ok(clock.save().past.length <= 100);
});

const restart = (clock: Clock): SavedClock => JSON.parse(JSON.stringify(clock.save()));

test("a restart of the server notices what happened to the clock in between", () => {
  const { machine, sources } = createMachine();
  let saved = restart(createClock(sources));
  machine.real += 2 * HOUR;
  machine.slept += HOUR;
  assert.equal(hoursOf(createClock(sources, saved)), 0, "it was stopped, and the machine slept");
  machine.offset += 25 * HOUR;
  const clock = createClock(sources, saved);
  assert.equal(hoursOf(clock), 25);
  saved = restart(clock);
  machine.real += HOUR;
  // A container that starts again counts its uptime from its own start.
  const inContainer = { ...sources, uptime: () => (sources.uptime() ?? 0) - 9 * HOUR };
  assert.equal(hoursOf(createClock(inContainer, saved)), 25);
  assert.match(createClock(sources, saved).fault() ?? "", /was set 25 h ahead/);
});

test("after a restart of the machine the time of day is trusted, unless it is behind what was seen before", () => {
  const { machine, sources } = createMachine();
  const saved = restart(createClock(sources));
  const boot = () => {
    machine.boots += 1;
    machine.bootedAt = machine.real;
    machine.slept = 0;
    return createClock(sources, saved);
  };
  machine.real += 3 * DAY;
  const later = boot();
  assert.equal(hoursOf(later), 0);
  assert.equal(later.fault(), null);
  assert.match(longAway(saved, later.now()) ?? "", /last ran 3 days ago, at 2026-01-15T10:00:00Z/);
  assert.equal(longAway(saved, saved.wall + HOUR), null);
  assert.equal(longAway(null, later.now()), null);
  machine.offset -= 4 * DAY;
  const earlier = boot();
  assert.match(
    earlier.fault() ?? "",
    /is behind 2026-01-15T10:00:00Z, when this server ran before/,
  );
  machine.real += 2 * DAY;
  assert.equal(earlier.fault(), null);
});

test("without a clock that runs during sleep, the time of day is trusted", () => {
  const { machine, sources } = createMachine();
  const clock = createClock({ ...sources, uptime: () => null, bootId: null });
  machine.offset += DAY;
  assert.equal(hoursOf(clock), 0);
  assert.equal(clock.fault(), null);
  assert.equal(createClock(sources, restart(clock)).fault(), null);
});

test("this machine's clocks agree, and a damaged file is no obstacle", (t) => {
  const folder = temporary(t);
  writeFileSync(path.join(folder, "clock.json"), "{");
  assert.equal(readSavedClock(folder), null);
  const messages: string[] = [];
  const log = (message: string) => void messages.push(message);
  const faults = createLastingFaults({ error: log, info: log });
  const { machine, sources } = createMachine();
  const clock = createClock(sources);
  const watch = watchClock(clock, { dataDir: folder, faults, before: null, warn: log });
  machine.offset += 25 * HOUR;
  watch.reportApart(90_000);
  assert.match(faults.current().get("clock")?.message ?? "", /set 25 h ahead/);
  assert.equal(faults.current().get("clock")?.stopsCalls, false);
  assert.equal(watch.errorSeconds(), 25 * 3_600);
  assert.equal(readSavedClock(folder)?.past.length, 1);
  machine.offset -= 25 * HOUR;
  watch.reportApart(92_000);
  assert.match(faults.current().get("clock")?.message ?? "", /is 90 s ahead of the database's/);
  watch.reportApart(undefined);
  assert.equal(faults.current().size, 0);
  watch.stop();
  assert.equal(messages.length, 3, messages.join("\n"));

  // A jump while the server was stopped is reported once, and not as a long absence too.
  const before = restart(createClock(sources));
  machine.offset += 50 * HOUR;
  const later = createClock(sources, before);
  const absences: string[] = [];
  const warn = (message: string) => absences.push(message);
  watchClock(later, { dataDir: folder, faults, before, warn }).stop();
  assert.match(faults.current().get("clock")?.message ?? "", /set 2 days ahead/);
  assert.deepEqual(absences, []);

  const real = createClock(systemSources());
  assert.equal(real.fault(), null);
  assert.ok(Math.abs(real.now() - Date.now()) < 10_000 && real.now() === real.earliest());
});

function temporary(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-clock-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What may happen to a machine between two calls, with hours as the unit. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      hours: fc.integer({ min: 0, max: 9 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("jump" as const),
      hours: fc.integer({ min: -60, max: 60 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("sleep" as const),
      hours: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "restart" as const, hours: 0 }) },
  { weight: 2, arbitrary: fc.constant({ kind: "maintain" as const, hours: 0 }) },
);

test("no sequence of jumps, sleep and restarts makes an idempotency key charge twice within 24 hours", () => {
  const driver = openNodeSqlite(":memory:");
  const fixture = createFixture(openSqliteDirect(driver));
  const runBatch = createBatchRunner(driver);
  const perform = (name: "debit" | "maintain", order: object) =>
    unwrap(runBatch([[name, order]])[0] as BatchResult);
  let accounts = 0;
  return fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: "max" }), async (steps) => {
      accounts += 1;
      const account = await fixture.account(`A${accounts}x`, { credits: 1_000 });
      const { machine, sources } = createMachine();
      let clock = createClock(sources);
      let chargedAt = Number.NEGATIVE_INFINITY;
      for (const { kind, hours } of [...steps, { kind: "wait" as const, hours: 25 }]) {
        if (kind === "jump") machine.offset += hours * HOUR;
        else machine.real += hours * HOUR;
        if (kind === "sleep") machine.slept += hours * HOUR;
        if (kind === "restart") clock = createClock(sources, restart(clock));
        const [now, earliestNow] = [clock.now(), clock.earliest()];
        if (kind === "maintain")
          perform("maintain", {
            now,
            earliestNow,
            rollUpBefore: now - 30 * DAY,
            rowsMax: 99,
            after: null,
          });
        const order: DebitOrder = fixture.debitOrder(account, {
          ...{ now, earliestNow, idempotency: idempotency("once") },
        });
        const { outcome } = perform("debit", order) as DebitOutcome;
        if (outcome !== "debited") continue;
        const since = machine.real - chargedAt;
        assert.ok(since >= DAY - 2 * SLACK_MS, `charged again after ${since / HOUR} hours`);
        chargedAt = machine.real;
      }
    }),
    { numRuns: 60, seed: 7 },
  );
});

test("by a good clock, a key is free after 24 hours, and not before", async () => {
  const { machine, sources } = createMachine();
  const clock = createClock(sources);
  const fixture = createFixture(openSqliteDirect(openNodeSqlite(":memory:")));
  const account = await fixture.account("Ada", { credits: 5 });
  const call = async () => {
    const [now, earliestNow] = [clock.now(), clock.earliest()];
    const order = { now, earliestNow, idempotency: idempotency("once") };
    return (await fixture.debit(account, order)).outcome;
  };
  assert.equal(await call(), "debited");
  machine.real += DAY - 1;
  assert.equal(await call(), "replayed");
  machine.real += 1;
  assert.equal(await call(), "debited");
});
