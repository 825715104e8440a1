import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { createClientAddress } from "../../../src/apps/node/client-address.ts";

const PROXIES = ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "2001:db8::7"];
const clientAddress = createClientAddress(PROXIES);

const incoming = (remoteAddress: string | undefined, said?: string | string[]) =>
  ({
    socket: { remoteAddress },
    headers: { "x-forwarded-for": said },
  }) as unknown as IncomingMessage;

const CASES: [string, string | undefined, string | string[] | undefined, string | null][] = [
  ["without a proxy, the client is the peer", "203.0.113.9", undefined, "203.0.113.9"],
  ["a header from a client is ignored", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
  ["a header from a trusted proxy is used", "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  [
    "the last address that is not a trusted proxy is the client",
    "10.1.2.3",
    "6.6.6.6, 203.0.113.9",
    "203.0.113.9",
  ],
  [
    "a chain of proxies is read from its end",
    "10.1.2.3",
    "6.6.6.6, 203.0.113.9, 192.0.2.1, 10.9.9.9",
    "203.0.113.9",
  ],
  [
    "several headers form one list",
    "10.1.2.3",
    ["6.6.6.6, 203.0.113.9", "10.9.9.9"],
    "203.0.113.9",
  ],
  [
    "if all addresses are proxies, the first one is the client",
    "10.1.2.3",
    "10.9.9.9, 10.8.8.8",
    "10.9.9.9",
  ],
  ["without a header, the proxy is the client", "10.1.2.3", undefined, "10.1.2.3"],
  ["an empty header is ignored", "10.1.2.3", "", "10.1.2.3"],
  ["an invalid address ends the list", "10.1.2.3", "203.0.113.9, unknown, 10.9.9.9", "10.9.9.9"],
  ["a port is removed", "10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
  [
    "the port of an IPv6 address in brackets is removed",
    "10.1.2.3",
    "6.6.6.6, [2001:db8::1]:443, 10.9.9.9:80",
    "2001:db8::1",
  ],
  ["brackets without a port are removed", "10.1.2.3", "[2001:db8::1]", "2001:db8::1"],
  ["an address with an empty port is invalid", "10.1.2.3", "203.0.113.9:", "10.1.2.3"],
  ["spaces are ignored", "10.1.2.3", "  203.0.113.9  ", "203.0.113.9"],
  [
    "an IPv4-mapped IPv6 address becomes the IPv4 address",
    "::ffff:203.0.113.9",
    undefined,
    "203.0.113.9",
  ],
  ["so is a proxy's", "::ffff:10.1.2.3", "::ffff:203.0.113.9", "203.0.113.9"],
  ["also in hexadecimal digits", "10.1.2.3", "203.0.113.9, ::ffff:a09:807", "203.0.113.9"],
  ["an IPv6 address is spelled in the usual way", "10.1.2.3", "2001:0DB8:0::1", "2001:db8::1"],
  ["a network of IPv6 proxies is trusted", "fd12::1", "2001:db8::1", "2001:db8::1"],
  ["a single IPv6 address is trusted", "2001:db8::7", "2001:db8::8", "2001:db8::8"],
  ["the address next to it is not trusted", "2001:db8::8", "1.2.3.4", "2001:db8::8"],
  ["a closed socket has no address", undefined, "1.2.3.4", null],
];
for (const [sentence, remote, said, expected] of CASES) {
  test(sentence, () => assert.equal(clientAddress(incoming(remote, said)), expected));
}

test("a request without a connection has no address", () => {
  assert.equal(clientAddress(undefined), null);
});

test("logs the first header from an untrusted peer once, and none from a trusted proxy", () => {
  let logged = 0;
  const read = createClientAddress(PROXIES, () => {
    logged += 1;
  });
  read(incoming("203.0.113.9"));
  read(incoming("10.1.2.3", "203.0.113.9"));
  assert.equal(logged, 0);
  for (let each = 0; each < 3; each += 1) read(incoming("203.0.113.9", "1.2.3.4"));
  assert.equal(logged, 1);
});

test("without trusted proxies no header is used", () => {
  assert.equal(createClientAddress([])(incoming("127.0.0.1", "1.2.3.4")), "127.0.0.1");
});
