import assert from "node:assert/strict";
import { test } from "node:test";
import { CallRates, OpenHolds } from "#ledger/call-ledger.ts";
import { type HoldOrder, type HoldOutcome, type KeyStatus, NotCarriedOut } from "#ledger/port.ts";

const START = Date.UTC(2026, 0, 15, 10);

test("of status requests that come before the rate of their key is known, those above it are rejected", async () => {
  const rates = new CallRates(5);
  const keyRate = { keyNo: 7, callsPerSecond: 1 };
  const ledger = { keyStatus: async () => ({ outcome: "good", balance: 9, keyRate }) as KeyStatus };
  const order = { account: "acc", keySha256: "a", now: START };
  const asked = await Promise.all(
    [1, 2, 3].map(() => rates.ask("keyStatus", ledger, order, START)),
  );
  assert.deepEqual(
    asked.map(({ outcome }) => outcome.outcome),
    ["good", "good", "rate_limited"],
  );
  const other = { account: "acc", keySha256: "b" };
  const allowed = Array.from({ length: 10 }, () => rates.take(other, START)?.allowed);
  assert.equal(allowed.filter(Boolean).length, 8, "what was rejected does not count");
});

test("a stop waits for holds that may have been made until they end, and for what is settled later", async () => {
  const holds = new OpenHolds();
  const made = (callId: string, outcome: Promise<unknown>) =>
    holds.made({ callId } as HoldOrder, outcome as Promise<HoldOutcome>).catch(() => null);
  await made("rejected", Promise.resolve({ outcome: "insufficient_credits" }));
  await made("not made", Promise.reject(new NotCarriedOut("away")));
  await holds.whenNone();
  await made("held", Promise.resolve({ outcome: "held" }));
  await made("unknown", Promise.reject(new Error("lost")));
  const later = Promise.withResolvers<void>();
  holds.during(later.promise);
  let isOver = false;
  const none = Promise.all([holds.whenNone(), holds.whenNone()]).then(() => {
    isOver = true;
  });
  await holds.ended({ callId: "held" }, Promise.resolve());
  await assert.rejects(holds.ended({ callId: "unknown" }, Promise.reject(new Error("lost"))));
  assert.equal(isOver, false);
  later.resolve();
  await none;
});
