import * as z from "zod/mini";
import { ApiError } from "#errors.ts";
import { base64ByteLength, base64Fault, fromBase64 } from "./base64.ts";
import { about } from "./define-tool.ts";

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
