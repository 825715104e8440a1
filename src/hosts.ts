import {
  isInNetwork,
  isLoopbackAddress,
  type Network,
  parseAddress,
  parseNetwork,
} from "#networks.ts";

/** The host of a URL as the URL standard writes it: lower case, IPv4 in decimal parts, IPv6 without brackets. Throws for text that is no URL. */
export const hostOf = (url: string | URL): string => new URL(url).hostname.replace(/^\[|\]$/g, "");

/** Whether the host is this machine: `localhost` or an address of it. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || isLoopbackAddress(host);

/** Whether a host, as `hostOf` returns it, is an IP address. */
export const isLiteral = (host: string) => parseAddress(host) !== null || host.includes(":");

/**
 * Whether a host may be on the public internet, as far as its text says: what a name resolves to is for `isPublicAddress`, at each
 * connection. Requests whose URL a customer chose reach nothing that only this machine or its network can reach.
 */
export const isPublicHost = (host: string): boolean =>
  isLiteral(host) ? isPublicAddress(host) : !isPrivateName(host);

/** Names of RFC 6761, 6762 and 8375 and those that ICANN reserves, and names without a dot, which only local resolvers know. */
const isPrivateName = (host: string) =>
  !/\../.test(host) || /\.(?:localhost|local|internal|home\.arpa|lan)\.?$/.test(host);

/** IPv4 addresses that are not globally reachable (IANA special-purpose registry, RFC 6890), multicast and reserved ones. */
// Marked as pure, so that bundles that only ask for other hosts leave them out.
const NOT_PUBLIC_IPV4 = /* @__PURE__ */ [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(readRange);
/** Addresses assigned to the public internet. All others are mapped, local, multicast or unassigned. */
const GLOBAL_IPV6 = /* @__PURE__ */ readRange("2000::/3");
/** Exceptions: protocol assignments such as Teredo, documentation, and 6to4, which embeds IPv4 addresses. */
const NOT_PUBLIC_IPV6 = /* @__PURE__ */ [
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
].map(readRange);
/** RFC 6052: IPv4 addresses as networks without IPv4 reach them, embedded in the last 32 bits. */
const NAT64 = /* @__PURE__ */ readRange("64:ff9b::/96");
/** `::ffff:0:0/96`, in which IPv4 addresses are numbers. */
const MAPPED = 0xffff_0000_0000n;

/** Whether an IP address, as text from a resolver or a URL, is on the public internet. */
export function isPublicAddress(text: string): boolean {
  // A zone is a network interface of this machine.
  const address = text.includes("%") ? null : parseAddress(text);
  if (address === null) return false;
  if (!text.includes(":")) return isPublicIpv4(address);
  if (isInNetwork(address, NAT64)) return isPublicIpv4(MAPPED | (address & 0xffff_ffffn));
  return (
    isInNetwork(address, GLOBAL_IPV6) &&
    !NOT_PUBLIC_IPV6.some((network) => isInNetwork(address, network))
  );
}

const isPublicIpv4 = (address: bigint) =>
  !NOT_PUBLIC_IPV4.some((network) => isInNetwork(address, network));

function readRange(text: string): Network {
  const network = parseNetwork(text);
  if (network === null) throw new Error(`${text} is not a network`);
  return network;
}
