import assert from "node:assert/strict";
import { test } from "node:test";
import { BAD_KEY_MS, BAD_KEY_REPEATS, BAD_KEYS_BURST, createBadKeys } from "#calls/bad-keys.ts";
import { ApiError } from "#errors.ts";
import { RECENT_NAMES_MAX } from "#ledger/recent-names.ts";

/** The throttle for keys that the ledger has rejected, without a ledger. */
function open() {
  let now = 0;
  let keys = 0;
  let throttled = 0;
  const badKeys = createBadKeys(
    () => now,
    () => {
      throttled += 1;
    },
  );
  const unknown = (address: string | null, account: string) => {
    keys += 1;
    return { address, account, keySha256: `key ${keys}` };
  };
  const isAllowed = (key: ReturnType<typeof unknown>) => {
    try {
      badKeys.check(key);
      return true;
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === "rate_limited");
      assert.equal(error.details.members?.limitSource, "network");
      assert.match(error.details.headers?.["Retry-After"] ?? "", /^[1-9]\d*$/);
      return false;
    }
  };
  return {
    unknown,
    isAllowed,
    /** Sends a forged key; returns whether the ledger was asked. */
    forge(address: string | null, account = "a", key = unknown(address, account)) {
      const isAsked = isAllowed(key);
      if (isAsked) badKeys.add(key);
      return isAsked;
    },
    add: badKeys.add,
    pass: (ms: number) => {
      now += ms;
    },
    throttled: () => throttled,
  };
}

const ADDRESS = "203.0.113.7";

test("after a burst of bad keys from one network, the ledger is asked about one every few seconds", () => {
  const { forge, pass, throttled } = open();
  for (let key = 0; key < BAD_KEYS_BURST; key += 1) assert.ok(forge(ADDRESS));
  for (let key = 0; key < 1_000; key += 1) assert.ok(!forge(`203.0.113.${key % 256}`));
  assert.equal(throttled(), 1_000);
  pass(BAD_KEY_MS);
  assert.ok(forge(ADDRESS));
  assert.ok(!forge(ADDRESS));
  pass(BAD_KEYS_BURST * BAD_KEY_MS);
  for (let key = 0; key < BAD_KEYS_BURST; key += 1) assert.ok(forge(ADDRESS));
  assert.ok(!forge(ADDRESS));
});

test("other networks are not affected, and an unknown address is not counted", () => {
  const { forge } = open();
  for (let key = 0; key <= BAD_KEYS_BURST; key += 1) forge(ADDRESS);
  for (const address of ["203.0.112.7", "::ffff:198.51.100.1", "2001:db8::1"]) {
    for (let key = 0; key < BAD_KEYS_BURST; key += 1) assert.ok(forge(address), address);
    assert.ok(!forge(address), address);
  }
  assert.ok(!forge("198.51.100.9"), "the same network, mapped into IPv6");
  assert.ok(!forge("2001:db8:0:0:ffff::"), "the same /64");
  assert.ok(forge("2001:db8:0:1::1"), "another /64");
  for (let key = 0; key <= 2 * BAD_KEYS_BURST; key += 1) assert.ok(forge(null));
});

test("a good key of another account gets through a throttled network, unless bad keys of that account came from there", () => {
  const { forge, unknown, isAllowed } = open();
  for (let key = 0; key <= BAD_KEYS_BURST; key += 1) forge(ADDRESS, "attacked");
  for (let call = 0; call < 100; call += 1) assert.ok(isAllowed(unknown(ADDRESS, "neighbor")));
  assert.ok(!isAllowed(unknown(ADDRESS, "attacked")));
  assert.ok(isAllowed(unknown("198.51.100.1", "attacked")), "from elsewhere");
  assert.ok(forge(ADDRESS, "neighbor"));
  assert.ok(!isAllowed(unknown(ADDRESS, "neighbor")));
});

test("a revoked key that a deployment keeps sending is throttled alone, and its new key is not", () => {
  const { forge, unknown, isAllowed, pass } = open();
  const revoked = unknown(ADDRESS, "a");
  let asked = 0;
  for (let call = 0; call < 1_000; call += 1) if (forge(ADDRESS, "a", revoked)) asked += 1;
  assert.equal(asked, 1 + BAD_KEY_REPEATS - 1);
  assert.ok(isAllowed(unknown(ADDRESS, "a")), "the new key");
  pass(BAD_KEY_MS);
  assert.ok(forge(ADDRESS, "a", revoked));
  assert.ok(!forge(ADDRESS, "a", revoked));
});

test("concurrent lookups of bad keys all count, up to another burst", () => {
  const { add, unknown, isAllowed, pass } = open();
  const underWay = Array.from({ length: 10 * BAD_KEYS_BURST }, () => unknown(ADDRESS, "a"));
  assert.ok(underWay.every(isAllowed));
  for (const key of underWay) add(key);
  pass(BAD_KEYS_BURST * BAD_KEY_MS);
  assert.ok(!isAllowed(unknown(ADDRESS, "a")));
  pass(BAD_KEY_MS);
  assert.ok(isAllowed(unknown(ADDRESS, "a")));
});

test("the counts of very many networks and keys are bounded: the oldest are forgotten", () => {
  const { forge } = open();
  for (let key = 0; key <= BAD_KEYS_BURST; key += 1) forge(ADDRESS);
  assert.ok(!forge(ADDRESS));
  for (let network = 0; network <= RECENT_NAMES_MAX; network += 1) {
    forge(`2001:db8:0:${network.toString(16)}::1`);
  }
  assert.ok(forge(ADDRESS));
});
