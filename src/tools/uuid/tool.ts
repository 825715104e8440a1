import * as z from "zod/mini";
import { UUID_BODY_BYTES_MAX, UUID_COUNT_MAX } from "#limits.ts";
import { defineTool, type ToolContext } from "../define-tool.ts";
import { about, option } from "../fields.ts";

/**
 * UUIDs of version 4 (RFC 9562, section 5.4), with 122 random bits each, or of version 7 (section 5.7), which sort by time.
 * All bytes come from one call of `random`, so that a replay can repeat it.
 */
const VERSIONS = [4, 7] as const;

const input = z.strictObject({
  count: about(
    z._default(z.int().check(z.minimum(1), z.maximum(UUID_COUNT_MAX)), 1),
    "How many UUIDs to generate.",
  ),
  uppercase: about(z._default(z.boolean(), false), "Return uppercase hex digits."),
  version: option(
    z.literal(VERSIONS).register(z.globalRegistry, { type: "integer" }),
    4,
    "`4` is random. `7` begins with the time in milliseconds, and the UUIDs of a response are in ascending order.",
  ),
});

const output = z.strictObject({
  ok: about(z.literal(true), "True on success."),
  count: about(z.int(), "Number of UUIDs returned."),
  uppercase: about(z.boolean(), "Whether the hex digits are in uppercase."),
  uuids: about(
    z.array(z.string().register(z.globalRegistry, { format: "uuid" })),
    "UUIDs in canonical 8-4-4-4-12 form.",
  ),
  version: about(
    z.optional(z.literal(VERSIONS).register(z.globalRegistry, { type: "integer" })),
    "Version of the UUIDs; only if the request named one.",
  ),
});

export default defineTool({
  name: "uuid",
  operation: "generateUuids",
  title: "UUID",
  summary: "Up to 500 random or time-ordered UUIDs at once.",
  description:
    "Returns a batch of cryptographically random UUIDs (RFC 9562, version 4), or of UUIDs that sort by time (version 7). A call without a body returns one.",
  agents: {
    fields: { version: "`4` is random; `7` begins with the time, so that the UUIDs sort." },
  },
  price: 1,
  effect: "none",
  input,
  output,
  body: "optional",
  bodyBytesMax: UUID_BODY_BYTES_MAX,
  fieldBytesMax: {},
  representations: [{ type: "text/plain", write: ({ uuids }) => `${uuids.join("\n")}\n` }],
  heavyFromBytes: Number.POSITIVE_INFINITY,
  browser: true,
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
    {
      name: "two of version 7",
      request: { count: 2, version: 7 },
      response: {
        ok: true,
        count: 2,
        uppercase: false,
        uuids: ["019cb73d-3271-7546-adf9-942fb0da75ce", "019cb73d-3271-7547-a19f-b43363a76da3"],
        version: 7,
      },
    },
  ],
  page: { sample: { count: 5 }, button: "Generate" },
  run({ count, uppercase, version }, context) {
    const bytes = version === 7 ? drawVersion7(count, context) : context.random(16 * count);
    const uuids = formatUuids(bytes, version ?? 4, uppercase ? UPPER : LOWER);
    return {
      ok: true as const,
      count,
      uppercase,
      uuids,
      ...(version !== undefined && { version }),
    };
  },
});

/**
 * The time, a counter of 12 bits in `rand_a`, and 62 random bits in `rand_b`. The counter begins at random and with its
 * highest bit 0 (RFC 9562, section 6.2), so the 500 UUIDs of a response do not exhaust it.
 */
function drawVersion7(count: number, { receivedAt, random }: ToolContext): Uint8Array {
  const drawn = random(2 + 8 * count);
  const start = new DataView(drawn.buffer, drawn.byteOffset).getUint16(0) & 0x7ff;
  const bytes = new Uint8Array(16 * count);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    view.setUint16(16 * i, Math.floor(receivedAt / 2 ** 32));
    view.setUint32(16 * i + 2, receivedAt % 2 ** 32);
    view.setUint16(16 * i + 6, start + i);
    bytes.set(drawn.subarray(2 + 8 * i, 10 + 8 * i), 16 * i + 8);
  }
  return bytes;
}

/** Makes one UUID from every 16 bytes. Sets the version and variant bits without changing `bytes`. */
function formatUuids(bytes: Uint8Array, version: number, hex: readonly string[]): string[] {
  const pair = (at: number) => hex[bytes[at] as number] as string;
  const uuids: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    // Section 4.2: the version in the high half of octet 6. Section 4.1: the variant, binary 10, in octet 8.
    const versioned = hex[((bytes[at + 6] as number) & 0x0f) | (version << 4)] as string;
    const variant = hex[((bytes[at + 8] as number) & 0x3f) | 0x80] as string;
    uuids.push(
      `${pair(at)}${pair(at + 1)}${pair(at + 2)}${pair(at + 3)}-${pair(at + 4)}${pair(at + 5)}-` +
        `${versioned}${pair(at + 7)}-${variant}${pair(at + 9)}-` +
        `${pair(at + 10)}${pair(at + 11)}${pair(at + 12)}${pair(at + 13)}${pair(at + 14)}${pair(at + 15)}`,
    );
  }
  return uuids;
}

const LOWER = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const UPPER = LOWER.map((pair) => pair.toUpperCase());
