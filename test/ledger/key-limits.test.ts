import assert from "node:assert/strict";
import { BlockList, isIPv6 } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { createCallRates } from "#ledger/call-rates.ts";
import { budgetsAt, isUnused, type KeyLimits, monthOf, spentAt } from "#ledger/key-limits.ts";
import { formatNetwork, isInNetwork, parseAddress, parseNetwork } from "#ledger/networks.ts";
import { DAY_MS } from "#limits.ts";

const START = Date.UTC(2026, 0, 15, 10);
const isIn = (address: string, network: string): boolean | null => {
  const [parsed, of] = [parseAddress(address), parseNetwork(network)];
  return parsed === null || of === null ? null : isInNetwork(parsed, of);
};

test("an address is in a network as node:net says, in every spelling", () => {
  // Pairs of one family, because node:net takes IPv4 for a part of IPv6, and we do not.
  const pairs = fc.oneof(fc.tuple(fc.ipV4(), fc.ipV4()), fc.tuple(fc.ipV6(), fc.ipV6()));
  const isMapped = (address: string) =>
    isIPv6(address) && (parseAddress(address) ?? 0n) >> 32n === 0xffffn;
  fc.assert(
    fc.property(pairs, fc.nat(), ([address, base], nat) => {
      fc.pre(!isMapped(address) && !isMapped(base));
      const bits = nat % (isIPv6(base) ? 129 : 33);
      const list = new BlockList();
      list.addSubnet(base, bits, isIPv6(base) ? "ipv6" : "ipv4");
      const expected = list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
      assert.equal(isIn(address, `${base}/${bits}`), expected);
      assert.equal(isIn(base, `${base}/${bits}`), true);
    }),
  );
});

test("networks are spelled in one way", () => {
  const spelled: [string, string][] = [
    ["203.0.113.7", "203.0.113.7/32"],
    ["203.0.113.7/24", "203.0.113.0/24"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::ffff:203.0.113.7", "203.0.113.7/32"],
    ["::ffff:cb00:7107/120", "203.0.113.0/24"],
    ["2001:DB8:0:0:0:0:0:1/48", "2001:db8::/48"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1/128"],
    ["::/0", "::/0"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8/128"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221/128"],
    ["1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0/128"],
  ];
  for (const [text, expected] of spelled) {
    const network = parseNetwork(text);
    assert.ok(network !== null, text);
    assert.equal(formatNetwork(network), expected);
    assert.deepEqual(parseNetwork(expected), network);
  }
});

test("what is not a network is none", () => {
  const wrong = [
    ...["", "/", "/8", "1.2.3", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/8/8", "1.2.3.4/-1", "256.1.1.1"],
    ...["01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "0x1.2.3.4", "::1/129", ":::", "1::2::3", "12345::"],
    ...["1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::ffff:1.2.3.4/95", "fe80::1%eth0", "example.org"],
    ...["1:2:3:4:5:6:7::8", "1.2.3.4:80", "[::1]"],
  ];
  for (const text of wrong) assert.equal(parseNetwork(text), null, text);
});

test("the spellings of an address are one address, and families are apart", () => {
  assert.equal(isIn("::ffff:203.0.113.9", "203.0.113.0/24"), true);
  assert.equal(isIn("::FFFF:cb00:7109", "203.0.113.0/24"), true);
  assert.equal(isIn("203.0.113.9", "::ffff:203.0.113.0/120"), true);
  assert.equal(isIn("fe80::1%eth0", "fe80::/10"), true);
  assert.equal(isIn("203.0.113.9", "::/0"), false);
  assert.equal(isIn("::1", "0.0.0.0/0"), false);
});

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
  const rates = createCallRates(5);
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
  const rates = createCallRates(0);
  const call = { account: "acc", keySha256: "a" };
  assert.equal(rates.take(call, START), null);
  rates.learn(call, { keyNo: 1, callsPerSecond: 1 }, START);
  assert.equal(rates.take(call, START)?.allowed, true);
  assert.equal(rates.take(call, START)?.allowed, false);
});
