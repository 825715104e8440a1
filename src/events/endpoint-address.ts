/**
 * Which addresses get webhooks. Whoever has an account names them, so a request to one must not reach what only we can
 * reach: this machine, its neighbours, the metadata of a cloud. Judged when an address is saved, by what it says, and
 * again at every connection, by what its name leads to. Pure, so that it is the same through every door.
 */
import { ENDPOINT_URL_CHARS_MAX } from "./bounds.ts";

/** `any`: also private networks and this machine itself, and http to the latter; the operator's choice. */
export type WebhookNetworks = "public" | "any";

export type Judged = { url: string } | { fault: string };

const PRIVATE =
  "This address leads into a private network or to the machine of this service, where webhooks do not go. Give one that can be reached from the internet.";

export function checkEndpointUrl(text: string, networks: WebhookNetworks): Judged {
  if (text.length > ENDPOINT_URL_CHARS_MAX) {
    return { fault: `An address has at most ${ENDPOINT_URL_CHARS_MAX} characters.` };
  }
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:\/\//i.test(text.trim())) {
    return { fault: "This is not a web address. Write it like https://example.com/webhooks." };
  }
  const fault = faultOf(url, networks);
  if (fault !== null) return { fault };
  url.hash = "";
  if (url.href.length > ENDPOINT_URL_CHARS_MAX) {
    return { fault: `An address has at most ${ENDPOINT_URL_CHARS_MAX} characters.` };
  }
  return { url: url.href };
}

function faultOf(url: URL, networks: WebhookNetworks): string | null {
  const host = hostOf(url);
  if (url.protocol === "http:" && !(networks === "any" && isOwnMachine(host))) {
    return "The address must begin with https://, so that nobody on the way can read or change what is sent.";
  }
  if (url.username !== "" || url.password !== "") {
    return "Leave user and password out of the address: your receiver knows a webhook by its signature.";
  }
  if (host.endsWith(".")) return "Leave out the dot at the end of the name.";
  if (networks === "any") return url.port === "0" ? "There is no port 0." : null;
  if (isLiteral(host) ? !isPublicAddress(host) : isPrivateName(host)) return PRIVATE;
  const port = url.port === "" ? 443 : Number(url.port);
  if (port !== 443 && port < FREE_PORTS_FROM) {
    return `Give port 443 (which is meant where none stands), or one from ${FREE_PORTS_FROM} up.`;
  }
  return null;
}

/** Below are the ports of other services, which have no use for what we send. */
const FREE_PORTS_FROM = 1_024;

/** As URLs have it after parsing: in lower case, IPv4 in four decimal parts; IPv6 without its brackets. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, "");

export const isLiteral = (host: string) => readIpv4(host) !== null || host.includes(":");

const isOwnMachine = (host: string) =>
  host === "localhost" ||
  host.endsWith(".localhost") ||
  host === "::1" ||
  /^127\.\d+\.\d+\.\d+$/.test(host);

/** RFC 6761, 6762, 8375, and what ICANN keeps for private use; and names without a dot, which only a local resolver knows. */
const isPrivateName = (host: string) =>
  !host.includes(".") || /\.(?:localhost|local|internal|home\.arpa|lan)$/.test(host);

/** Not globally reachable by the registry of special-purpose addresses (RFC 6890, iana.org), multicast and reserved ones. */
const NOT_PUBLIC_IPV4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
  ...["172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"],
  ...["198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
].map((text) => readRange(text, 32));
/** What is assigned for the internet at all; the rest is mapped, local, multicast or nobody's. */
const GLOBAL_IPV6 = readRange("2000::/3", 128);
/** Of it: protocols' own (Teredo among them), documentation, 6to4, which carries IPv4 addresses. */
const NOT_PUBLIC_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map((text) =>
  readRange(text, 128),
);
/** RFC 6052: how a network without IPv4 reaches IPv4 addresses, which stand in the last 32 bits. */
const NAT64 = readRange("64:ff9b::/96", 128);

/** Whether an IP address, as a resolver or a URL gives it, is one on the public internet. */
export function isPublicAddress(address: string): boolean {
  const four = readIpv4(address);
  if (four !== null) return !NOT_PUBLIC_IPV4.some((range) => isIn(four, range));
  const six = readIpv6(address);
  if (six === null) return false;
  if (isIn(six, NAT64)) {
    const inner = six & 0xffff_ffffn;
    return !NOT_PUBLIC_IPV4.some((range) => isIn(inner, range));
  }
  return isIn(six, GLOBAL_IPV6) && !NOT_PUBLIC_IPV6.some((range) => isIn(six, range));
}

/** The first bits of an address, and how many bits come after them. */
type Range = { start: bigint; rest: bigint };

function readRange(text: string, bits: number): Range {
  const [address = "", length] = text.split("/");
  const rest = BigInt(bits - Number(length));
  return { start: (readIpv4(address) ?? readIpv6(address) ?? 0n) >> rest, rest };
}

const isIn = (address: bigint, { start, rest }: Range) => address >> rest === start;

function readIpv4(text: string): bigint | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return null;
  const parts = match.slice(1).map(Number);
  if (parts.some((part) => part > 255)) return null;
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/** RFC 4291, section 2.2, with one `::` at most and IPv4 at the end; null for whatever else, zones included. */
function readIpv6(text: string): bigint | null {
  const tail = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  const four = tail === undefined ? null : readIpv4(tail);
  if (tail !== undefined && four === null) return null;
  const written =
    tail === undefined || four === null
      ? text
      : `${text.slice(0, -tail.length)}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`;
  const [head = "", end, ...more] = written.split("::");
  if (more.length > 0) return null;
  const groupsOf = (part: string) => (part === "" ? [] : part.split(":"));
  const [before, after] = [groupsOf(head), groupsOf(end ?? "")];
  const missing = 8 - before.length - after.length;
  if (end === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...before, ...Array<string>(missing).fill("0"), ...after];
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
