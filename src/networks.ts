/**
 * Network addresses and networks in CIDR notation. Both are numbers of 128 bits; an IPv4 address is its IPv4-mapped IPv6 address
 * (RFC 4291, section 2.5.5.2), so the two spellings of one address are equal.
 */
export type Network = { base: bigint; bits: number };

const IPV4_BITS = 96;
const isIpv4 = (address: bigint): boolean => address >> 32n === 0xffffn;

/** Parses an address; returns null if the text is not one. A zone (`fe80::1%eth0`) is ignored. */
export function parseAddress(text: string): bigint | null {
  const [bare = ""] = /^[\d.a-f:]+(?=%|$)/i.exec(text) ?? [];
  // The parser of URLs is strict about what is in brackets, and writes it in one way.
  const inBrackets = bare.includes(":") ? bare : `0:0:0:0:0:ffff:${bare}`;
  const host = URL.parse(`http://[${inBrackets}]`)?.hostname;
  if (host === undefined) return null;
  const [head = [], tail = []] = host
    .slice(1, -1)
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":")));
  const zeros = new Array<string>(8 - head.length - tail.length).fill("");
  const groups = [...head, ...zeros, ...tail];
  return BigInt(`0x${groups.map((group) => group.padStart(4, "0")).join("")}`);
}

/** Parses a network. An address alone is the network of that address. Bits after the prefix are dropped. */
export function parseNetwork(text: string): Network | null {
  const [, address = "", length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const parsed = parseAddress(address);
  if (parsed === null) return null;
  const bits =
    length === undefined ? 128 : Number(length) + (address.includes(":") ? 0 : IPV4_BITS);
  // Shorter prefixes would cover IPv6 addresses too.
  if (bits > 128 || (isIpv4(parsed) && bits < IPV4_BITS)) return null;
  return networkAround(parsed, bits);
}

function networkAround(address: bigint, bits: number): Network {
  const rest = BigInt(128 - bits);
  return { base: (address >> rest) << rest, bits };
}

/** An IPv6 network never contains an IPv4 address, not even `::/0`. */
export const isInNetwork = (address: bigint, { base, bits }: Network): boolean =>
  (address ^ base) >> BigInt(128 - bits) === 0n && isIpv4(address) === isIpv4(base);

/** Formats a network, with the length of its prefix. */
export const formatNetwork = ({ base, bits }: Network): string =>
  `${formatAddress(base)}/${isIpv4(base) ? bits - IPV4_BITS : bits}`;

/** Formats an address: IPv4 with dots, IPv6 as RFC 5952 (section 4) says. */
function formatAddress(address: bigint): string {
  if (isIpv4(address))
    return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join(".");
  const groups = address.toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  // The URL parser spells addresses as the RFC does.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

/** Returns the usual spelling of an address. A zone is kept, and text that is not an address. */
export function spellAddress(text: string): string {
  const address = parseAddress(text);
  if (address === null) return text;
  return formatAddress(address) + text.replace(/^[^%]*/, "");
}

/** Whether an address is of this machine: `::1`, or in 127.0.0.0/8. */
export function isLoopbackAddress(text: string): boolean {
  const address = parseAddress(text);
  return address === 1n || (address !== null && address >> 24n === 0xffff7fn);
}

/**
 * The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, unless other lengths are given.
 * Text that is not an address is a network of its own.
 */
export function networkOf(text: string, ipv4Bits = 32, ipv6Bits = 64): string {
  const address = parseAddress(text);
  if (address === null) return `${text}/${ipv6Bits}`;
  return formatNetwork(networkAround(address, isIpv4(address) ? IPV4_BITS + ipv4Bits : ipv6Bits));
}

/** The /24 of an IPv4 address, or the /64 of an IPv6 address: one person easily has that many addresses. */
export const ownNetworkOf = (address: string): string => networkOf(address, 24);

/**
 * The network whose sign-ups are counted together: a /24 of IPv4, or a /56 of IPv6, because a customer has many /64s. Null where
 * the client cannot be told from others: its address is unknown, or this machine's, as behind a proxy that is not trusted.
 */
export const signUpNetworkOf = (peer: string | null): string | null =>
  peer === null || isLoopbackAddress(peer) ? null : networkOf(peer, 24, 56);
