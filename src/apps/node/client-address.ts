import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { spellAddress } from "#networks.ts";

/**
 * Returns a reader of the client's address: the peer of the connection or, if that is a trusted proxy, the address that
 * the proxies report. Each proxy appends to `X-Forwarded-For`, so it is read from its end up to the first address that is
 * not a trusted proxy.
 */
export type ClientAddress = (incoming: IncomingMessage | undefined) => string | null;

/** `onUntrusted` is called once, for the first request with X-Forwarded-For from a peer that is not trusted. */
export function createClientAddress(
  trustedProxies: readonly string[],
  onUntrusted?: () => void,
): ClientAddress {
  const isTrusted = createIsTrusted(trustedProxies);
  let warn = onUntrusted;
  return (incoming) => {
    const peer = plain(incoming?.socket.remoteAddress ?? "");
    if (peer === "") return null;
    // Node makes an object of all headers when they are first read, so they are read only where they matter.
    if (!isTrusted(peer)) {
      if (warn !== undefined && incoming?.headers["x-forwarded-for"] !== undefined) {
        warn();
        warn = undefined;
      }
      return peer;
    }
    const header = incoming?.headers["x-forwarded-for"];
    const said = [header ?? ""].flat().join(",").split(",");
    let client = peer;
    for (const text of said.reverse()) {
      const address = plain(withoutPort(text.trim()));
      if (isIP(address) === 0) break;
      client = isIP(address) === 6 ? spellAddress(address) : address;
      if (!isTrusted(address)) break;
    }
    return client;
  };
}

/** Whether an address is one of the trusted proxies. With Node's own lists, because this runs for every call. */
function createIsTrusted(trustedProxies: readonly string[]): (address: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const trusted = listOf(trustedProxies);
  return (address) => {
    const bare = plain(address);
    const version = isIP(bare);
    return version !== 0 && trusted.check(bare, version === 6 ? "ipv6" : "ipv4");
  };
}

/** Removes the port that some proxies add: `1.2.3.4:5678`, `[2001:db8::1]:443`. Bare IPv6 addresses contain colons too. */
const withoutPort = (text: string) =>
  text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1").replace(/^\[([^\]]+)\](?::\d+)?$/, "$1");

/** Sockets spell addresses in the usual way, except that they may map IPv4 into IPv6. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

function listOf(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of proxies) {
    const [address = "", bits] = text.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
