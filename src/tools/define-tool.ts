import * as z from "zod/mini";
import { PRICE_CREDITS_MAX } from "#limits.ts";

/**
 * What a tool is: one pure function with the schema that checks its input, its limits and its examples.
 * A tool runs the same in Node, workerd and a browser. What a runtime must supply is handed in.
 */

export type HashAlgorithm = "sha1" | "sha256" | "sha384" | "sha512";

/** What the door hands to a tool: the time of the call, random bytes, a digest. Nothing else comes from outside. */
export type ToolContext = {
  /** When the request was received, in milliseconds since 1970 UTC. */
  receivedAt: number;
  /** Cryptographically random bytes. A recorded supply gives the same bytes again, so a call can be repeated exactly. */
  random(count: number): Uint8Array;
  digest(algorithm: HashAlgorithm, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
};

/** A request body and, word for word, what the service answers to it (with `supply` as in `examples.test.ts`). */
export type Example = {
  name: string;
  request: unknown;
  response: unknown;
};

export type Tool<Input = unknown, Output = unknown> = {
  /** The name on the wire: also the file, the test, the anchor in the documentation. */
  name: string;
  title: string;
  summary: string;
  description: string;
  /** What a successful call costs in credits: a whole number from 0 to PRICE_CREDITS_MAX. */
  price: number;
  /** Checks the parsed body. Unknown fields are refused. */
  input: z.ZodMiniType<Input>;
  /** Describes the answer, fields in the specification's order. */
  output: z.ZodMiniType<Output>;
  /** `"optional"`: may be called without a body, then with the input `{}` (`null` for a verbatim tool). */
  body: "required" | "optional";
  /** A verbatim tool gets the JSON text as it was sent, within a bound, instead of the parsed value. */
  verbatim?: { bytesMax: number };
  /** Raw body bytes that are read at the most. */
  bodyBytesMax: number;
  /** UTF-8 bytes allowed in text fields: over it the refusal is `too_large`, not `invalid_request`. */
  fieldBytesMax: Record<string, number>;
  /** From this many body bytes on, the call runs off the main thread (figures: docs/decisions/0005). */
  heavyFromBytes: number;
  examples: Example[];
  run(input: Input, context: ToolContext): Output | Promise<Output>;
  /** Writes the answer as JSON text; only for a tool whose answer holds verbatim JSON. */
  encode?(output: Output): string;
};

/**
 * Keeps the types of input and output together while a tool is written down.
 * Throws a RangeError where the price is not one that the ledger can charge.
 */
export function defineTool<Input, Output>(tool: Tool<Input, Output>): Tool<Input, Output> {
  if (!Number.isInteger(tool.price) || tool.price < 0 || tool.price > PRICE_CREDITS_MAX) {
    throw new RangeError(
      `The price of ${tool.name} must be a whole number of credits from 0 to ${PRICE_CREDITS_MAX}; got ${tool.price}.`,
    );
  }
  return tool;
}

/** What the description of the API says of a field; `format`: as JSON Schema names it. */
export const about = <Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  format?: string,
): Schema => {
  z.globalRegistry.add(schema, { ...(format === undefined ? {} : { format }), description });
  return schema;
};

/** The clamp of an out-of-range number, where the contract asks for one. */
export const clamp = (value: number, min: number, max: number) =>
  Math.min(Math.max(value, min), max);
