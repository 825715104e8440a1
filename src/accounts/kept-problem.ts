import type { FieldError, ProblemError } from "#errors.ts";
import type { RequestEntry } from "./request-chunk.ts";

/**
 * What the request log keeps of a problem. Bodies and query strings are not kept, but the sentences may quote a value: of that the beginning
 * stays, which shows a typing error, and of a key nothing.
 */
const DETAIL_CHARS_MAX = 300;
const ERRORS_MAX = 3;
const ERROR_CHARS_MAX = 120;
const NAME_CHARS_MAX = 60;
const QUOTED_CHARS_MAX = 20;

export type KeptProblem = Pick<RequestEntry, "detail" | "errors">;

/** Of a call that succeeded. */
export const NO_PROBLEM: KeptProblem = { detail: null, errors: null };

export function keptProblem({
  message,
  details,
}: Pick<ProblemError, "message" | "details">): KeptProblem {
  const errors = details.errors?.slice(0, ERRORS_MAX).map(keptError) ?? null;
  return { detail: cut(message, DETAIL_CHARS_MAX), errors };
}

function keptError({ pointer, parameter, header, detail }: FieldError): FieldError {
  return {
    ...(pointer !== undefined && { pointer: cut(pointer, NAME_CHARS_MAX) }),
    ...(parameter !== undefined && { parameter: cut(parameter, NAME_CHARS_MAX) }),
    ...(header !== undefined && { header: cut(header, NAME_CHARS_MAX) }),
    detail: cut(detail, ERROR_CHARS_MAX),
  };
}

/** Control characters and halves of characters are replaced: PostgreSQL's JSON cannot hold some of them. */
function cut(text: string, max: number): string {
  const plain = text
    .replace(KEY, (key) => `${key.slice(0, key.indexOf("_") + 1)}…`)
    .replace(LONG_QUOTE, (_, quoted: string) => `"${quoted.slice(0, QUOTED_CHARS_MAX)}…"`);
  const short = plain.length > max ? `${plain.slice(0, max - 1)}…` : plain;
  return short.replace(/[\p{Cc}\p{Cs}]/gu, "\ufffd");
}

const LONG_QUOTE = new RegExp(`"([^"]{${QUOTED_CHARS_MAX + 1},})"`, "g");
/** A client may have sent its key in a field. The ids that a sentence of ours names are kept. */
const KEY = /\b(?!acc_|key_|call_|req_)[a-z]{2,8}_[0-9A-Za-z]{12,}/g;
