/** Random texts without fast-check's `unit: "binary"`, `webUrl` and `webPath`, which spend two seconds of each process on a table of all characters. */
import fc from "./properties.ts";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/** Any code point that UTF-8 can encode, half of the time one of ASCII. */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10ffff - SURROGATES))
  .map((code) => String.fromCodePoint(code < FIRST_SURROGATE ? code : code + SURROGATES));

/** Code units in any order, lone surrogates included. */
export const anyCodeUnits = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.nat(0xffff), { maxLength }).map((codes) => String.fromCharCode(...codes));

/** Segments of a URL's path, each after its slash. */
export const anyPath = fc
  .array(fc.string({ unit: fc.constantFrom(..."aZ09-._~!$&'()*+,;=:@", "%20", "%C3%A9") }), {
    maxLength: 5,
  })
  .map((segments) => segments.map((segment) => `/${segment}`).join(""));

export const anyUrl = fc
  .tuple(fc.constantFrom("http", "https"), fc.domain(), anyPath)
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`);
