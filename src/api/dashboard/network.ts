import { isLoopback } from "#hosts.ts";

/** The network that the throttles count as one client: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

/**
 * The network whose starter credits are counted together: a /24 of IPv4, a /64 of IPv6. Null where the client cannot be told
 * from others: its address is unknown, or this machine's, as behind a proxy that is not trusted.
 */
export function starterNetworkOf(peer: string | null): string | null {
  if (peer === null) return null;
  const network = networkOf(peer);
  if (isLoopback(spellAddress(peer))) return null;
  return /^\d+(?:\.\d+){3}$/.test(network) ? network.replace(/\.\d+$/, "") : network;
}

/** Returns the usual spelling of an address: IPv6 compressed and in lower case, an IPv4-mapped address as IPv4. */
export function spellAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  // The URL parser spells addresses as RFC 5952 does. It rejects an address with a zone.
  const spelled = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  return spelled ?? address.toLowerCase();
}
