import * as z from "zod/mini";
import { PRICE_CREDITS_MAX } from "#limits.ts";

/**
 * A tool is one folder: `tool.ts` has a `Tool` as its default export, and the engine is beside it. The route, the
 * price, the OpenAPI description, the documentation, the browser form and the shared tests are all derived from this
 * value.
 *
 * A tool runs unchanged in Node, workerd and browsers, so everything that depends on the runtime is passed in.
 */

export type HashAlgorithm = "sha1" | "sha256" | "sha384" | "sha512";

/** Everything that a tool gets besides its input. */
export type ToolContext = {
  /** When the request was received, in milliseconds since 1970 UTC. */
  receivedAt: number;
  /** Cryptographically random bytes. A replay passes in the bytes of the first run and gets the same result. */
  random(count: number): Uint8Array;
  digest(algorithm: HashAlgorithm, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
};

/** A request body and the exact response to it. The tests run it with the context `fixedToolContext`. */
export type Example = {
  name: string;
  request: unknown;
  response: unknown;
};

export type Tool<Input = unknown, Output = unknown> = {
  /** The name in the URL. The tool's folder, test, documentation page and browser page have the same name. */
  name: string;
  title: string;
  summary: string;
  description: string;
  /** The cost of a successful call in credits: a whole number from 0 to PRICE_CREDITS_MAX. */
  price: number;
  /** Checks the parsed body. It must be strict: an unknown field is an error. */
  input: z.ZodMiniType<Input>;
  /** Describes the response. Fields are in the order in which they are sent. */
  output: z.ZodMiniType<Output>;
  /** `"optional"`: a call without a body gets the input `{}` (`null` for a verbatim tool). */
  body: "required" | "optional";
  /** A verbatim tool gets the JSON text as the client sent it, up to `bytesMax` bytes, instead of the parsed value. */
  verbatim?: { bytesMax: number };
  /** The server reads at most this many bytes of a raw body. */
  bodyBytesMax: number;
  /** The most UTF-8 bytes in each text field. Longer text is `too_large`, not `invalid_request`. */
  fieldBytesMax: Record<string, number>;
  /** A body of at least this many bytes runs off the main thread (measurements: docs/decisions/0005). */
  heavyFromBytes: number;
  examples: Example[];
  /** How the browser tool starts. By default, its form contains the first example, and each change runs the tool. */
  page?: ToolPage;
  run(input: Input, context: ToolContext): Output | Promise<Output>;
  /** Writes the response as JSON text. Only for a tool whose output contains verbatim JSON. */
  encode?(output: Output): string;
};

export type ToolPage = {
  /**
   * The initial content of the form; an omitted field has its default. The form of a verbatim tool has the field
   * `body`.
   */
  sample?: Record<string, string | number | boolean>;
  /** The label of a button that runs the tool, for a tool that returns something new each time. */
  button?: string;
};

/**
 * Returns the tool unchanged; it exists so that TypeScript infers the input and output types. Throws a RangeError if
 * the ledger cannot charge the price.
 */
export function defineTool<Input, Output>(tool: Tool<Input, Output>): Tool<Input, Output> {
  if (!Number.isInteger(tool.price) || tool.price < 0 || tool.price > PRICE_CREDITS_MAX) {
    throw new RangeError(
      `The price of ${tool.name} must be a whole number of credits from 0 to ${PRICE_CREDITS_MAX}; got ${tool.price}.`,
    );
  }
  return tool;
}

/** Attaches the field's description, and its JSON Schema `format`, for OpenAPI and the browser form. */
export const about = <Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  format?: string,
): Schema => {
  z.globalRegistry.add(schema, { ...(format === undefined ? {} : { format }), description });
  return schema;
};

/** The nearest number from `min` to `max`. */
export const clamp = (value: number, min: number, max: number) =>
  Math.min(Math.max(value, min), max);
