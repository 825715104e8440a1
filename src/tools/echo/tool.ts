import * as z from "zod/mini";
import { ECHO_VALUE_BYTES_MAX, SPACE_BYTES } from "#limits.ts";
import { about, defineTool } from "../define-tool.ts";

/**
 * Returns the JSON text it was sent, letter for letter: numbers beyond a double, key order, duplicate keys
 * and escapes would not survive a parse. That the text is JSON was checked by whoever read the body.
 */
const input = about(z.string(), "The JSON text of the body, as it was sent.");

const output = z.strictObject({
  ok: about(z.literal(true), "Always true on success."),
  receivedAt: about(
    z.string(),
    "When the request was received: ISO 8601 in UTC, with milliseconds.",
    "date-time",
  ),
  // For the tool itself this is the JSON text, which `encode` puts into the answer.
  body: about(
    z.any(),
    "The original body, verbatim: any JSON value; `null` where there was no body.",
  ),
});

export default defineTool({
  name: "echo",
  title: "Echo",
  summary: "Returns the JSON body it received.",
  description:
    "Returns the JSON body it received, letter for letter, and the time of receipt. For testing client setup, latency and credit accounting. The body may be any JSON value, or absent.",
  price: 1,
  input,
  output,
  body: "optional",
  verbatim: { bytesMax: ECHO_VALUE_BYTES_MAX },
  bodyBytesMax: ECHO_VALUE_BYTES_MAX + SPACE_BYTES,
  fieldBytesMax: {},
  // Checking that the text is JSON takes 0.8 ms at this size when it is all brackets, 14 ms at 1 MB.
  heavyFromBytes: 64 * 1024,
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
      name: "null, which an absent body counts as",
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
