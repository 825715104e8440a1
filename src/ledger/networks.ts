/**
 * Network addresses and networks in CIDR notation. Both are numbers of 128 bits; an IPv4 address is its IPv4-mapped IPv6 address
 * (RFC 4291, section 2.5.5.2), so the two spellings of one address are equal.
 */
export type Network = { base: bigint; bits: number };

const IPV4_BITS = 96;
const isIpv4 = (address: bigint): boolean => address >> 32n === 0xffffn;

/** Parses an address; returns null if the text is not one. A zone (`fe80::1%eth0`) is ignored. */
export function parseAddress(text: string): bigint | null {
  const [address = ""] = text.split("%");
  const dotted = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted === undefined) return parseGroups(address);
  // A leading zero would make a byte octal for some readers.
  const bytes = dotted
    .split(".")
    .filter((byte) => /^(?:0|[1-9]\d{0,2})$/.test(byte) && +byte < 256);
  if (bytes.length < 4) return null;
  const [a, b, c, d] = bytes.map((byte) => Number(byte).toString(16).padStart(2, "0"));
  return parseGroups(`${address.slice(0, -dotted.length) || "::ffff:"}${a}${b}:${c}${d}`);
}

/** Parses eight groups of hexadecimal digits, of which `::` stands for one or more that are zero. */
function parseGroups(text: string): bigint | null {
  const [head = [], tail, more] = text
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":")));
  if (more !== undefined) return null;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...new Array<string>(missing).fill("0"), ...(tail ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
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
  const rest = BigInt(128 - bits);
  return { base: (parsed >> rest) << rest, bits };
}

/** An IPv6 network never contains an IPv4 address, not even `::/0`. */
export const isInNetwork = (address: bigint, { base, bits }: Network): boolean =>
  (address ^ base) >> BigInt(128 - bits) === 0n && isIpv4(address) === isIpv4(base);

/** Formats a network: IPv4 with dots, IPv6 as RFC 5952 (section 4) says, with the length of the prefix. */
export function formatNetwork({ base, bits }: Network): string {
  const groups = base.toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  if (isIpv4(base)) {
    const bytes = groups.slice(6).flatMap((group) => [group.slice(0, 2), group.slice(2)]);
    return `${bytes.map((byte) => Number.parseInt(byte, 16)).join(".")}/${bits - IPV4_BITS}`;
  }
  const short = groups.map((group) => group.replace(/^0{1,3}/, ""));
  const runs = short.join(":").match(/\b(?:0:)+0\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  const text = short.join(":");
  if (longest === "") return `${text}/${bits}`;
  const at = text.search(new RegExp(`\\b${longest}\\b`));
  const [head, tail] = [text.slice(0, at), text.slice(at + longest.length)];
  return `${head.replace(/:$/, "")}::${tail.replace(/^:/, "")}/${bits}`;
}
