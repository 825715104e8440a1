import assert from "node:assert/strict";
import { test } from "node:test";
import { CallRates } from "#ledger/call-ledger.ts";
import { budgetsAt, isUnused, type KeyLimits, monthOf, spentAt } from "#ledger/key-limits.ts";
import { DAY_MS } from "#limits.ts";

const START = Date.UTC(2026, 0, 15, 10);

const NONE: KeyLimits = {
  ...{ expiresAt: null, tools: null, networks: null, rate: null },
  budgets: { total: null, month: null, day: null },
};

test("budgets reset with the day and the month in UTC, and never go back", () => {
  const on = Date.UTC(2027, 11, 31);
  const spent = { since: 0, on, day: 3, month: 5, total: 9 };
  assert.equal(spentAt(spent, on - 1), spent);
  assert.equal(spentAt(spent, on + DAY_MS - 1), spent);
  const newYear = on + DAY_MS;
  assert.deepEqual(spentAt(spent, newYear), { ...spent, on: newYear, day: 0, month: 0 });
  assert.equal(monthOf(on, 1), Date.UTC(2028, 0, 1));
  const limits = { ...NONE, budgets: { total: 8, month: 10, day: null } };
  assert.deepEqual(budgetsAt({ limits, spent }, on), {
    day: null,
    month: { credits: 10, spent: 5, remaining: 5, resetsAt: newYear },
    total: { credits: 8, spent: 9, remaining: 0, resetsAt: null },
  });
});

test("a key is unused if it is older than 90 days and was not used for as long", () => {
  const days = (count: number) => START - count * DAY_MS;
  const key = { createdAt: days(91), lastUsedAt: null, revokedAt: null };
  const seen: [Partial<typeof key> | { lastUsedAt: number } | { revokedAt: number }, boolean][] = [
    [{}, true],
    [{ createdAt: days(90) }, false],
    [{ lastUsedAt: days(91) }, true],
    [{ lastUsedAt: days(89) }, false],
    [{ revokedAt: days(1) }, false],
  ];
  for (const [change, expected] of seen)
    assert.equal(isUnused({ ...key, ...change }, START), expected, JSON.stringify(change));
});

test("a key's rate is counted within that of its account, whichever secret a call has", () => {
  const rates = new CallRates(5);
  const withSecret = (keySha256: string) => ({ account: "acc", keySha256 });
  const [old, fresh, other] = [withSecret("old"), withSecret("fresh"), withSecret("other")];
  const keyRate = { keyNo: 7, callsPerSecond: 1 };
  assert.equal(rates.take(old, START)?.source, "account");
  assert.equal(rates.learn(old, keyRate, START)?.remaining, 1);
  assert.equal(rates.learn(old, keyRate, START), null, "it is known");
  assert.equal(rates.take(fresh, START)?.source, "account");
  assert.equal(rates.learn(fresh, keyRate, START)?.remaining, 0);
  const refused = rates.take(old, START);
  assert.deepEqual([refused?.allowed, refused?.source], [false, "key"]);
  assert.deepEqual([rates.isUsedUp(fresh, START), rates.isUsedUp(other, START)], [true, false]);
  const counted = Array.from({ length: 8 }, () => rates.take(other, START)?.allowed);
  assert.ok(counted.every(Boolean), "a rejected call does not count for the account");
  assert.deepEqual([rates.take(other, START)?.allowed], [false]);
  rates.learn(old, undefined, START);
  assert.equal(rates.take(old, START + 1000)?.source, "account", "the key has lost its rate");
});

test("a key has a rate where accounts have none", () => {
  const rates = new CallRates(0);
  const call = { account: "acc", keySha256: "a" };
  assert.equal(rates.take(call, START), null);
  rates.learn(call, { keyNo: 1, callsPerSecond: 1 }, START);
  assert.equal(rates.take(call, START)?.allowed, true);
  assert.equal(rates.take(call, START)?.allowed, false);
});
