import * as z from "zod/mini";
import { ApiError } from "#errors.ts";
import { base64ByteLength, base64Fault, fromBase64 } from "./base64.ts";

/** The schemas of the fields that several tools have. */

/** Attaches the field's description, and its JSON Schema `format`, for OpenAPI and the browser form. */
export const about = <Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  format?: string,
): Schema => {
  z.globalRegistry.add(schema, { ...(format === undefined ? {} : { format }), description });
  return schema;
};

/** One of `values` in any case. The output has the case of `values`. */
export const anyCase = <const Values extends readonly string[]>(
  values: Values,
  fallback: Values[number],
  // Not `_default`, which JSON Schema leaves out before a `transform`.
) => z.prefault(inAnyCase(values), fallback as never);

/** One of `values` in any case, without a default. */
export const inAnyCase = <const Values extends readonly string[]>(values: Values) => {
  const canonical = new Map<unknown, string>(values.map((value) => [value.toLowerCase(), value]));
  const find = (value: unknown) =>
    (typeof value === "string" && canonical.get(value.toLowerCase())) || value;
  return z.pipe(z.transform(find), z.enum(values));
};

/**
 * A field that the response repeats only if the client sent it. The input has it only then, so the tool itself applies
 * `fallback`.
 */
export const option = <Schema extends z.ZodMiniType>(
  schema: Schema,
  fallback: string | number | boolean,
  description: string,
) => {
  const field = z.optional(schema);
  z.globalRegistry.add(field, { default: fallback, description });
  return field;
};

/** One of `values` in any case, as an `option`. */
export const anyCaseOption = <const Values extends readonly string[]>(
  values: Values,
  fallback: Values[number],
  description: string,
) => option(inAnyCase(values), fallback, description);

const NO_UTF8_FORM = "contains a lone surrogate (half of a UTF-16 pair), which has no UTF-8 form";

/**
 * The schema of a text field of at most `bytesMax` UTF-8 bytes. `checkInput` counts the bytes; the maximum length in
 * characters follows from the bytes and is for the description.
 */
export const textField = (bytesMax: number, description: string, charsMin = 0) =>
  about(
    z.string().check(
      z.maxLength(bytesMax),
      z.refine((text) => text.isWellFormed(), { error: NO_UTF8_FORM }),
      ...(charsMin > 0 ? [z.minLength(charsMin)] : []),
    ),
    description,
  );

/** Bytes as `base64` in place of a tool's `text`. */
type Source = { text?: string | undefined; base64?: string | undefined };

export const base64Field = (description: string, charsMin = 0) =>
  z.optional(
    about(
      z.string().check(
        z.refine((text) => base64Fault(text) === undefined, { error: inWords }),
        ...(charsMin > 0 ? [z.minLength(charsMin)] : []),
      ),
      description,
    ),
  );

function inWords({ input }: { input?: unknown }): string {
  return base64Fault(String(input)) ?? "";
}

/** For `checkTogether`. A raw body stands for one of the two, which is then empty or holds the bytes. */
export function findSourceFaults({ text, base64 }: Source): Record<string, string> {
  if (text === undefined && base64 === undefined) {
    return { text: "is required, or `base64` in its place" };
  }
  return text === undefined || base64 === undefined
    ? {}
    : { base64: "must not be combined with `text` or with a raw body" };
}

/** The bytes of a valid base64 text. Throws an ApiError if there are more than `bytesMax`. */
export function readBase64(base64: string, bytesMax: number): Uint8Array {
  const size = base64ByteLength(base64);
  if (size <= bytesMax) return fromBase64(base64);
  const detail = `decodes to ${size} bytes; the limit is ${bytesMax}`;
  throw new ApiError("too_large", `\`base64\` ${detail}.`, {
    members: { limit: bytesMax, size },
    errors: [{ pointer: "/base64", detail }],
  });
}

/**
 * Checks fields against each other. The check runs where each of `fields` is valid by itself, whatever is wrong with other
 * fields, so that one response lists every fault. `find` returns the faults by field, in words that follow its name.
 */
export const checkTogether = <Input extends object>(
  fields: readonly (keyof Input & string)[],
  find: (input: Input) => Record<string, string>,
) =>
  z.check<Input>(
    ({ value, issues }) => {
      for (const [field, message] of Object.entries(find(value))) {
        issues.push({ code: "custom", path: [field], message, input: value, continue: true });
      }
    },
    {
      when: ({ value, issues }) =>
        typeof value === "object" &&
        value !== null &&
        !Array.isArray(value) &&
        !issues.some(({ path }) => (fields as readonly unknown[]).includes(path?.[0])),
    },
  );

/** The nearest number from `min` to `max`. */
export const clamp = (value: number, min: number, max: number) =>
  Math.min(Math.max(value, min), max);
