import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import { checkEndpointUrl } from "#events/endpoint-url.ts";
import { isPublicAddress } from "#hosts.ts";
import { FRIENDLY, HOSTILE } from "./hostile-addresses.ts";

test("a URL that leads to this machine, its network or nowhere is rejected with a sentence", () => {
  for (const url of HOSTILE) {
    const checked = checkEndpointUrl(url, "public");
    assert.ok("error" in checked, url.slice(0, 80));
    assert.match(checked.error, /^[A-Z].{20,}\.$/, url.slice(0, 80));
  }
});

test("a URL on the internet is accepted in its normalised form", () => {
  for (const [typed, kept] of FRIENDLY)
    assert.deepEqual(checkEndpointUrl(typed, "public"), { url: kept }, typed);
});

test("with webhook networks `any`, private networks get webhooks over https and this machine also over http", () => {
  const good = [
    ...["https://10.0.0.1:25/", "https://localhost/", "https://[::1]:8443/", "https://intranet/"],
    ...["http://127.0.0.1:3000/", "http://localhost/", "http://[::1]/", "http://a.localhost/"],
  ];
  for (const url of good) assert.deepEqual(checkEndpointUrl(url, "any"), { url }, url);
  const bad = ["http://10.0.0.1/", "http://example.com/", "https://u:p@localhost/", "file:///etc"];
  for (const url of [...bad, "https://localhost:0/"])
    assert.ok("error" in checkEndpointUrl(url, "any"), url);
});

/** The same ranges in Node's implementation. */
const judge = new BlockList();
for (const [net, bits] of [
  ...([["0.0.0.0", 8] as const, ["10.0.0.0", 8], ["100.64.0.0", 10], ["127.0.0.0", 8]] as const),
  ...([["169.254.0.0", 16] as const, ["172.16.0.0", 12], ["192.0.0.0", 24]] as const),
  ...([["192.0.2.0", 24] as const, ["192.88.99.0", 24], ["192.168.0.0", 16]] as const),
  ...([["198.18.0.0", 15] as const, ["198.51.100.0", 24], ["203.0.113.0", 24]] as const),
  ...([["224.0.0.0", 4] as const, ["240.0.0.0", 4]] as const),
])
  judge.addSubnet(net, bits, "ipv4");
const internet = new BlockList();
internet.addSubnet("2000::", 3, "ipv6");
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  judge.addSubnet(net, bits, "ipv6");

test("addresses at and next to the edges of all ranges are classified like Node's BlockList does", () => {
  const four = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
  const starts = [
    ...[0, 0x0a000000, 0x64400000, 0x7f000000, 0xa9fe0000, 0xac100000, 0xc0000000, 0xc0000200],
    ...[0xc0586300, 0xc0a80000, 0xc6120000, 0xc6336400, 0xcb007100, 0xe0000000, 0xf0000000],
  ];
  const sizes = [8, 10, 12, 15, 16, 24, 4].map((bits) => 2 ** (32 - bits));
  const values = starts.flatMap((start) => [start - 1, start, ...sizes.map((s) => start + s - 1)]);
  for (const value of values.flatMap((each) => [each, each + 1])) {
    if (value < 0 || value >= 2 ** 32) continue;
    const address = four(value);
    assert.equal(isPublicAddress(address), !judge.check(address, "ipv4"), address);
    const mapped = `::ffff:${address}`;
    assert.equal(isPublicAddress(mapped), false, mapped);
    assert.equal(isPublicAddress(`64:ff9b::${address}`), !judge.check(address, "ipv4"), address);
  }
  const six = [
    ...["::", "::1", "::2", "100::", "1fff:ffff::", "2000::", "2001:1ff:ffff::", "2001:200::"],
    ...["2001:db7:ffff::", "2001:db8::", "2001:db9::", "2001:ffff::", "2002::", "2003::", "3ffe::"],
    ...["3fff:fff:ffff::", "3fff:1000::", "3fff:ffff::", "4000::", "5f00::", "fc00::1", "fdff::"],
    ...["fe80::1", "febf::", "fec0::", "ff02::1", "2606:4700:4700::1111", "1:2:3:4:5:6:7:8"],
  ];
  for (const address of six) {
    const isPublic = internet.check(address, "ipv6") && !judge.check(address, "ipv6");
    assert.equal(isPublicAddress(address), isPublic, address);
  }
});

test("text that is not an IP address, or has a zone, is not public", () => {
  for (const text of [
    ...["", "example.com", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4%eth0", "2606::1%eth0"],
    ...["2606:::1", "1::2::3", "2606:4700:1:2:3:4:5:6:7", "2606:4700", "12345::1", "2606::1.2.3"],
    ...["2606::g", "[2606::1]", "2606::1.2.3.999", ":2606::1", "0x7f.1", "01.2.3.4:80"],
  ])
    assert.equal(isPublicAddress(text), false, text);
});
