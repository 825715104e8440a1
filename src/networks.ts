import { isLoopback } from "#hosts.ts";

/** The network that the throttles count as one client: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const v4 = spellMapped(address);
  if (v4 !== null) return v4;
  return groupsOf(address).slice(0, 4).join(":");
}

/**
 * The networks to which an address belongs, from narrow to wide: an IPv4 address, its /24 and its /16, or the /64, /56 and
 * /48 of an IPv6 address. Providers give a customer up to a /48, so counting /64s alone would give one customer 65,536 counts.
 */
export function networksOf(address: string): [narrow: string, middle: string, wide: string] {
  const v4 = spellMapped(address);
  if (v4 !== null) {
    const parts = v4.split(".");
    return [v4, `${parts.slice(0, 3).join(".")}/24`, `${parts.slice(0, 2).join(".")}/16`];
  }
  const [first, second, third, fourth = "0"] = groupsOf(address);
  const site = `${first}:${second}:${third}`;
  const topByte = (Number.parseInt(fourth, 16) >> 8).toString(16);
  return [`${site}:${fourth}`, `${site}:${topByte}/56`, `${site}/48`];
}

/**
 * The network whose sign-ups are counted together: a /24 of IPv4, a /56 of IPv6, because a customer has many /64s. Null where the client cannot be told from
 * others: its address is unknown, or this machine's, as behind a proxy that is not trusted.
 */
export function signUpNetworkOf(peer: string | null): string | null {
  if (peer === null || isLoopback(spellAddress(peer))) return null;
  const v4 = spellMapped(peer);
  return v4 === null ? networksOf(peer)[1] : v4.replace(/\.\d+$/, "");
}

/** An IPv4 address, also one that is mapped into IPv6; null for an IPv6 address. Other text counts as it stands. */
function spellMapped(address: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return address.includes(":") ? null : address;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return groups.map((group) => group.replace(/^0+(?=.)/, ""));
}

/** Returns the usual spelling of an address: IPv6 compressed and in lower case, an IPv4-mapped address as IPv4. */
export function spellAddress(address: string): string {
  const v4 = spellMapped(address);
  if (v4 !== null) return v4;
  // The URL parser spells addresses as RFC 5952 does. It rejects an address with a zone.
  const spelled = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  return spelled ?? address.toLowerCase();
}
