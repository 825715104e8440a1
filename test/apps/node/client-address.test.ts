import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { ConfigError } from "#config/read-settings.ts";
import { createClientAddress } from "../../../src/apps/node/client-address.ts";

const PROXIES = ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "2001:db8::7"];
const clientAddress = createClientAddress(PROXIES);

const incoming = (remoteAddress: string | undefined, said?: string | string[]) =>
  ({
    socket: { remoteAddress },
    headers: { "x-forwarded-for": said },
  }) as unknown as IncomingMessage;

const CASES: [string, string | undefined, string | string[] | undefined, string | null][] = [
  ["a client without a proxy is itself", "203.0.113.9", undefined, "203.0.113.9"],
  ["what a client says of itself counts for nothing", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
  ["a proxy of ours is believed", "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  [
    "the last that a proxy of ours did not write is the client",
    "10.1.2.3",
    "6.6.6.6, 203.0.113.9",
    "203.0.113.9",
  ],
  [
    "a row of proxies is read from its end",
    "10.1.2.3",
    "6.6.6.6, 203.0.113.9, 192.0.2.1, 10.9.9.9",
    "203.0.113.9",
  ],
  ["several headers are one list", "10.1.2.3", ["6.6.6.6, 203.0.113.9", "10.9.9.9"], "203.0.113.9"],
  ["proxies alone: the first of them", "10.1.2.3", "10.9.9.9, 10.8.8.8", "10.9.9.9"],
  ["a proxy that says nothing is the client", "10.1.2.3", undefined, "10.1.2.3"],
  ["an empty word of a proxy says nothing", "10.1.2.3", "", "10.1.2.3"],
  ["what is no address ends the list", "10.1.2.3", "203.0.113.9, unknown, 10.9.9.9", "10.9.9.9"],
  ["a port is left away", "10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
  [
    "so it is of an IPv6 address in brackets",
    "10.1.2.3",
    "6.6.6.6, [2001:db8::1]:443, 10.9.9.9:80",
    "2001:db8::1",
  ],
  ["brackets alone are left away too", "10.1.2.3", "[2001:db8::1]", "2001:db8::1"],
  ["what only looks like a port is no address", "10.1.2.3", "203.0.113.9:", "10.1.2.3"],
  ["blanks do not matter", "10.1.2.3", "  203.0.113.9  ", "203.0.113.9"],
  [
    "an IPv4 address on an IPv6 socket is that address",
    "::ffff:203.0.113.9",
    undefined,
    "203.0.113.9",
  ],
  ["so is a proxy's", "::ffff:10.1.2.3", "::ffff:203.0.113.9", "203.0.113.9"],
  ["a network of IPv6 proxies", "fd12::1", "2001:db8::1", "2001:db8::1"],
  [
    "a proxy that is one IPv6 address, and its neighbour is none",
    "2001:db8::7",
    "2001:db8::8",
    "2001:db8::8",
  ],
  ["its neighbour is not believed", "2001:db8::8", "1.2.3.4", "2001:db8::8"],
  ["a socket that is gone has no address", undefined, "1.2.3.4", null],
];
for (const [sentence, remote, said, expected] of CASES) {
  test(sentence, () => assert.equal(clientAddress(incoming(remote, said)), expected));
}

test("a request without a connection has no address", () => {
  assert.equal(clientAddress(undefined), null);
});

test("the first who speaks for others unasked is told of, once; a proxy of ours is not", () => {
  let told = 0;
  const read = createClientAddress(PROXIES, () => {
    told += 1;
  });
  read(incoming("203.0.113.9"));
  read(incoming("10.1.2.3", "203.0.113.9"));
  assert.equal(told, 0);
  for (let each = 0; each < 3; each += 1) read(incoming("203.0.113.9", "1.2.3.4"));
  assert.equal(told, 1);
});

test("without proxies nobody is believed", () => {
  assert.equal(createClientAddress([])(incoming("127.0.0.1", "1.2.3.4")), "127.0.0.1");
});

for (const text of [
  "",
  "x",
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0.0/8/9",
  "fd00::/129",
  "300.1.1.1",
  "10.0.0.0/-1",
  "10.0.0.0/1.5",
  "/8",
]) {
  test(`"${text}" as a proxy is a fault of the settings`, () => {
    assert.throws(() => createClientAddress([text]), ConfigError);
  });
}
