import * as z from "zod/mini";
import { ECHO_VALUE_BYTES_MAX, SPACE_BYTES } from "#limits.ts";
import { defineTool } from "../define-tool.ts";
import { about } from "../fields.ts";

/**
 * Returns the JSON text exactly as it was sent. Parsing it would lose large numbers, the order of keys, duplicate keys
 * and escapes. The caller has already checked that the text is JSON.
 */
const input = about(z.string(), "The JSON text of the body, as it was sent.");

const output = z.strictObject({
  ok: about(z.literal(true), "Always true on success."),
  receivedAt: about(
    z.string(),
    "When the request was received: ISO 8601 in UTC, with milliseconds.",
    "date-time",
  ),
  // Inside the tool, this is the JSON text, which `encode` inserts into the response.
  body: about(
    z.any(),
    "The body exactly as it was sent: any JSON value; `null` if there was no body.",
  ),
});

export default defineTool({
  name: "echo",
  operation: "echoJson",
  title: "Echo",
  summary: "Returns the JSON body it received.",
  description:
    "Returns the JSON body exactly as it was received, and the time of receipt. Use it to test clients, latency and credit accounting. The body can be any JSON value. You can omit it.",
  agents: {
    description:
      "Returns the JSON value in `body` exactly as it was sent, and the time of receipt.",
  },
  price: 1,
  effect: "none",
  input,
  output,
  body: "optional",
  verbatim: { bytesMax: ECHO_VALUE_BYTES_MAX },
  bodyBytesMax: ECHO_VALUE_BYTES_MAX + SPACE_BYTES,
  fieldBytesMax: {},
  // Checking text that consists only of brackets takes 0.8 ms at this size and 14 ms at 1 MB.
  heavyFromBytes: 64 * 1024,
  browser: true,
  examples: [
    {
      name: "an object",
      request: { hello: "world", list: [1, 2.5, true, null] },
      response: {
        ok: true,
        receivedAt: "2026-03-04T05:06:07.089Z",
        body: { hello: "world", list: [1, 2.5, true, null] },
      },
    },
    {
      name: "a string",
      request: "ping",
      response: { ok: true, receivedAt: "2026-03-04T05:06:07.089Z", body: "ping" },
    },
    {
      name: "null, the value of a missing body",
      request: null,
      response: { ok: true, receivedAt: "2026-03-04T05:06:07.089Z", body: null },
    },
  ],
  page: { sample: { body: '{\n  "hello": "world",\n  "big": 12345678901234567890\n}' } },
  run: (json, context) => ({
    ok: true as const,
    receivedAt: new Date(context.receivedAt).toISOString(),
    body: json,
  }),
  encode: ({ receivedAt, body }) => `{"ok":true,"receivedAt":"${receivedAt}","body":${body}}`,
});
