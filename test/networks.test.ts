import assert from "node:assert/strict";
import { BlockList, isIPv6 } from "node:net";
import { test } from "node:test";
import {
  formatNetwork,
  isInNetwork,
  networkOf,
  parseAddress,
  parseNetwork,
  signUpNetworkOf,
  spellAddress,
} from "#networks.ts";
import fc from "./support/properties.ts";

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
    ...["1:2:3:4:5:6:7::8", "1.2.3.4:80", "[::1]", "1234", "abcd"],
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

const NETWORKS: [string, string][] = [
  ["192.0.2.7", "192.0.2.7/32"],
  ["::ffff:192.0.2.7", "192.0.2.7/32"],
  ["::FFFF:192.0.2.7", "192.0.2.7/32"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8::/64"],
  ["2001:db8:1::5:6:7:8", "2001:db8:1::/64"],
  ["::1", "::/64"],
  ["::", "::/64"],
  ["::ffff:c000:207", "192.0.2.7/32"],
  ["0:0:0:0:0:FFFF:192.0.2.7", "192.0.2.7/32"],
  ["fe80::1%eth0", "fe80::/64"],
  ["", "/64"],
  ["unknown", "unknown/64"],
];
for (const [address, network] of NETWORKS) {
  test(`"${address}" counts as "${network}"`, () => assert.equal(networkOf(address), network));
}

test("addresses in one /64 count as one network, addresses in two as two", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count });
  const write = (numbers: number[]) => numbers.map((each) => each.toString(16)).join(":");
  fc.assert(
    fc.property(groups(4), groups(4), groups(4), groups(4), (one, other, tail, end) => {
      assert.equal(networkOf(write([...one, ...tail])), networkOf(write([...one, ...end])));
      const same = networkOf(write([...one, ...tail])) === networkOf(write([...other, ...tail]));
      assert.equal(same, write(one) === write(other));
    }),
  );
});

const SIGN_UP_NETWORKS: [string | null, string | null][] = [
  ["::ffff:203.0.113.9", "203.0.113.0/24"],
  ["203.0.113.9", "203.0.113.0/24"],
  ["2001:db8::1", "2001:db8::/56"],
  ["::2", "::/56"],
  ["128.0.0.1", "128.0.0.0/24"],
  ["::1", null],
  ["::ffff:127.0.0.1", null],
  ["::ffff:7f00:1", null],
  ["127.9.9.9", null],
  [null, null],
];
for (const [peer, network] of SIGN_UP_NETWORKS) {
  test(`the starter credits of ${peer} count for ${network}`, () => {
    assert.equal(signUpNetworkOf(peer), network);
  });
}

const SPELLINGS: [string, string][] = [
  ["2001:0DB8:0001:0002:0003:0000:0000:0006", "2001:db8:1:2:3::6"],
  ["::FFFF:10.9.8.7", "10.9.8.7"],
  ["::ffff:a09:807", "10.9.8.7"],
  ["10.9.8.7", "10.9.8.7"],
  ["FE80:0::1%eth0", "fe80::1%eth0"],
  ["010.9.8.7", "010.9.8.7"],
  ["Unknown", "Unknown"],
];
for (const [text, spelled] of SPELLINGS) {
  test(`"${text}" is spelled "${spelled}"`, () => assert.equal(spellAddress(text), spelled));
}

test("all spellings of an address are one address, one network and one client", () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(address, (text) => {
      const spelled = spellAddress(text);
      assert.equal(parseAddress(spelled), parseAddress(text));
      const digits = (parseAddress(text) ?? 0n).toString(16).padStart(32, "0");
      const written = digits.match(/.{4}/g)?.join(":").toUpperCase() ?? "";
      for (const other of [text, spelled, written]) {
        assert.equal(spellAddress(other), spelled);
        assert.equal(networkOf(other), networkOf(text));
        assert.equal(signUpNetworkOf(other), signUpNetworkOf(text));
      }
    }),
  );
});

test("the networks of an address contain it", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      for (const network of [networkOf(address), networkOf(address, 24, 56)])
        assert.equal(isIn(address, network), true);
    }),
  );
});

test("text of any length is read in linear time", () => {
  for (const part of ["1", ".", "1.", ":", "1:", "f", "%"])
    assert.equal(parseAddress(`${part.repeat(1_000_000)}x`), null);
});
