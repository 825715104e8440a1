/**
 * Checks the URLs of webhook endpoints. Customers choose them, so a request must not reach what only this service can reach:
 * this machine, its network, a cloud's metadata service. A URL is checked by its text when it is saved, and by what its
 * host name resolves to at every connection. Pure, so that every runtime decides alike.
 */
import { hostOf, isLoopback } from "#hosts.ts";
import { isInNetwork, type Network, parseAddress, parseNetwork } from "#networks.ts";
import { ENDPOINT_URL_CHARS_MAX } from "./bounds.ts";

/** `any`, the operator's choice, also allows private networks and this machine, and http to this machine. */
export type WebhookNetworks = "public" | "any";

/** The normalised URL, or a sentence that says what is wrong with it. */
export type CheckedUrl = { url: string } | { error: string };

const PRIVATE_HOST =
  "This URL leads to a private network or to the server itself, where webhooks are not sent. Enter a URL that is reachable from the internet.";
const TOO_LONG = `The URL is too long: use at most ${ENDPOINT_URL_CHARS_MAX} characters.`;

export function checkEndpointUrl(text: string, networks: WebhookNetworks): CheckedUrl {
  if (text.length > ENDPOINT_URL_CHARS_MAX) return { error: TOO_LONG };
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:\/\//i.test(text.trim())) {
    return { error: "This is not a valid URL. Enter one like https://example.com/webhooks." };
  }
  const error = findError(url, networks);
  if (error !== null) return { error };
  url.hash = "";
  return url.href.length > ENDPOINT_URL_CHARS_MAX ? { error: TOO_LONG } : { url: url.href };
}

function findError(url: URL, networks: WebhookNetworks): string | null {
  const host = hostOf(url);
  if (url.protocol === "http:" && !(networks === "any" && isOwnMachine(host))) {
    return "The URL must start with https://, so that webhooks cannot be read or changed in transit.";
  }
  if (url.username !== "" || url.password !== "") {
    return "Remove the user and password from the URL. Verify webhooks by their signature instead.";
  }
  if (host.endsWith(".")) return "Remove the dot at the end of the host name.";
  if (networks === "any") return url.port === "0" ? "Port 0 is not valid." : null;
  if (isLiteral(host) ? !isPublicAddress(host) : isPrivateName(host)) return PRIVATE_HOST;
  const port = url.port === "" ? 443 : Number(url.port);
  if (port !== 443 && port < UNPRIVILEGED_PORTS_FROM) {
    return `Use port 443, which is the default, or a port from ${UNPRIVILEGED_PORTS_FROM} up.`;
  }
  return null;
}

/** Lower ports belong to other services, which must not get our requests. */
const UNPRIVILEGED_PORTS_FROM = 1_024;

/** Whether a host, as `hostOf` returns it, is an IP address. */
export const isLiteral = (host: string) => parseAddress(host) !== null || host.includes(":");

const isOwnMachine = (host: string) => isLoopback(host) || host.endsWith(".localhost");

/** Names of RFC 6761, 6762 and 8375 and those that ICANN reserves, and names without a dot, which only local resolvers know. */
const isPrivateName = (host: string) =>
  !host.includes(".") || /\.(?:localhost|local|internal|home\.arpa|lan)$/.test(host);

/** IPv4 addresses that are not globally reachable (IANA special-purpose registry, RFC 6890), multicast and reserved ones. */
const NOT_PUBLIC_IPV4 = [
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
const GLOBAL_IPV6 = readRange("2000::/3");
/** Exceptions: protocol assignments such as Teredo, documentation, and 6to4, which embeds IPv4 addresses. */
const NOT_PUBLIC_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(readRange);
/** RFC 6052: IPv4 addresses as networks without IPv4 reach them, embedded in the last 32 bits. */
const NAT64 = readRange("64:ff9b::/96");
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
