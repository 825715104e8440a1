import * as z from "zod/mini";
import { UUID_BODY_BYTES_MAX, UUID_COUNT_MAX } from "#limits.ts";
import { about, defineTool } from "../define-tool.ts";

/**
 * Random UUIDs, version 4 (RFC 9562, section 5.4), with 122 random bits each. All bytes come from one call of `random`,
 * so that a replay can repeat it.
 */
const input = z.strictObject({
  count: about(
    z._default(z.int().check(z.minimum(1), z.maximum(UUID_COUNT_MAX)), 1),
    "How many UUIDs to generate.",
  ),
  uppercase: about(z._default(z.boolean(), false), "Return uppercase hex digits."),
});

const output = z.strictObject({
  ok: about(z.literal(true), "True on success."),
  count: about(z.int(), "Number of UUIDs returned."),
  uppercase: about(z.boolean(), "Whether the hex digits are in uppercase."),
  uuids: about(
    z.array(z.string().register(z.globalRegistry, { format: "uuid" })),
    "UUIDs in canonical 8-4-4-4-12 form.",
  ),
});

export default defineTool({
  name: "uuid",
  title: "UUID",
  summary: "Up to 500 random UUIDs at once.",
  description:
    "Returns a batch of cryptographically random UUIDs (RFC 9562, version 4). A call without a body returns one.",
  price: 1,
  input,
  output,
  body: "optional",
  bodyBytesMax: UUID_BODY_BYTES_MAX,
  fieldBytesMax: {},
  representations: [{ type: "text/plain", write: ({ uuids }) => `${uuids.join("\n")}\n` }],
  heavyFromBytes: Number.POSITIVE_INFINITY,
  examples: [
    {
      name: "one, the default",
      request: {},
      response: {
        ok: true,
        count: 1,
        uppercase: false,
        uuids: ["0d46edf9-942f-40da-b5ce-619fb43363a7"],
      },
    },
    {
      name: "three in uppercase",
      request: { count: 3, uppercase: true },
      response: {
        ok: true,
        count: 3,
        uppercase: true,
        uuids: [
          "0D46EDF9-942F-40DA-B5CE-619FB43363A7",
          "6DA30EA8-CA08-46BA-B7AB-FC11A5A14EC4",
          "7095DF27-082D-4A1E-8BCD-275F9159CEE2",
        ],
      },
    },
  ],
  page: { sample: { count: 5 }, button: "Generate" },
  run({ count, uppercase }, context) {
    const uuids = formatUuids(context.random(16 * count), uppercase ? UPPER : LOWER);
    return { ok: true as const, count, uppercase, uuids };
  },
});

/** Makes one UUID from every 16 bytes. Sets the version and variant bits without changing `random`. */
function formatUuids(random: Uint8Array, hex: readonly string[]): string[] {
  const pair = (at: number) => hex[random[at] as number] as string;
  const uuids: string[] = [];
  for (let at = 0; at < random.length; at += 16) {
    // Section 4.2: the version, 4, in the high half of octet 6. Section 4.1: the variant, binary 10, in octet 8.
    const version = hex[((random[at + 6] as number) & 0x0f) | 0x40] as string;
    const variant = hex[((random[at + 8] as number) & 0x3f) | 0x80] as string;
    uuids.push(
      `${pair(at)}${pair(at + 1)}${pair(at + 2)}${pair(at + 3)}-${pair(at + 4)}${pair(at + 5)}-` +
        `${version}${pair(at + 7)}-${variant}${pair(at + 9)}-` +
        `${pair(at + 10)}${pair(at + 11)}${pair(at + 12)}${pair(at + 13)}${pair(at + 14)}${pair(at + 15)}`,
    );
  }
  return uuids;
}

const LOWER = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const UPPER = LOWER.map((pair) => pair.toUpperCase());
