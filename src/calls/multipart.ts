import { ApiError } from "#errors.ts";
import { FORM_PART_HEADER_BYTES_MAX, FORM_PARTS_MAX } from "#limits.ts";

/**
 * Reads a body of type `multipart/form-data` (RFC 7578). The runtimes' own `formData()` replaces bytes that are not UTF-8
 * and differs between them in what else it accepts, and a hash of replaced bytes would be wrong.
 */
export type FormPart = {
  name: string;
  /** The part has a file name, so its bytes are a file and not the text of a field. */
  isFile: boolean;
  bytes: Uint8Array;
};

/** Throws an ApiError `invalid_request` for a form that is malformed or has too many parts. */
export function readForm(body: Uint8Array, contentType: string): FormPart[] {
  const found = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) throw malformed("its Content-Type has no `boundary`");
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  // The first delimiter may stand at the very start, without the line break.
  let at = startsWith(body, 0, delimiter.subarray(2))
    ? delimiter.length - 2
    : afterNext(body, 0, delimiter);
  const parts: FormPart[] = [];
  while (!startsWith(body, at, DASHES)) {
    if (parts.length === FORM_PARTS_MAX) {
      throw malformed(`it has more than ${FORM_PARTS_MAX} parts`);
    }
    const head = afterPadding(body, at);
    // An empty head ends with the line break that begins it.
    const headEnd = indexOf(body, BLANK_LINE, head - 2);
    if (headEnd === -1 || headEnd - head > FORM_PART_HEADER_BYTES_MAX) {
      throw malformed("the headers of a part have no end");
    }
    const start = headEnd + BLANK_LINE.length;
    // An empty part: its delimiter shares the line break of the blank line.
    const end = indexOf(body, delimiter, start - 2);
    if (end === -1) throw malformed("its last boundary is missing");
    const headers = decoder.decode(body.subarray(head, Math.max(head, headEnd)));
    parts.push({ ...readDisposition(headers), bytes: body.subarray(start, Math.max(start, end)) });
    at = end + delimiter.length;
  }
  return parts;
}

function readDisposition(headers: string): { name: string; isFile: boolean } {
  const disposition = headerValue(headers, "content-disposition");
  if (disposition === undefined || !/^form-data\s*(?:;|$)/i.test(disposition)) {
    throw malformed("a part has no header `Content-Disposition: form-data`");
  }
  const encoding = headerValue(headers, "content-transfer-encoding");
  if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding)) {
    throw malformed("a part has a Content-Transfer-Encoding; send its bytes as they are");
  }
  let name: string | undefined;
  let isFile = false;
  for (const [, parameter = "", quoted, bare] of disposition.matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(["\\])/g, "$1").replaceAll("%22", '"') ?? bare ?? "";
    if (/^name$/i.test(parameter)) name ??= value;
    // A browser sends an empty file name for a field of a form in which no file was chosen.
    if (/^filename\*?$/i.test(parameter) && value !== "") isFile = true;
  }
  if (name === undefined) throw malformed("a part has no name");
  return { name, isFile };
}

const PARAMETER = /;\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

function headerValue(headers: string, name: string): string | undefined {
  for (const line of headers.split("\r\n")) {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return undefined;
}

/** Skips the white space that RFC 2046 allows after a boundary, and the line break. */
function afterPadding(body: Uint8Array, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  if (!startsWith(body, at, BLANK_LINE.subarray(2))) {
    throw malformed("a boundary is not followed by a line break");
  }
  return at + 2;
}

function afterNext(body: Uint8Array, from: number, sequence: Uint8Array): number {
  const found = indexOf(body, sequence, from);
  if (found === -1) throw malformed("its boundary does not occur in the body");
  return found + sequence.length;
}

function indexOf(body: Uint8Array, sequence: Uint8Array, from: number): number {
  const first = sequence[0] as number;
  for (let at = body.indexOf(first, from); at !== -1; at = body.indexOf(first, at + 1)) {
    if (startsWith(body, at, sequence)) return at;
  }
  return -1;
}

function startsWith(body: Uint8Array, at: number, sequence: Uint8Array): boolean {
  for (let i = 0; i < sequence.length; i += 1) if (body[at + i] !== sequence[i]) return false;
  return true;
}

function malformed(reason: string): ApiError {
  const detail = `is not a valid multipart/form-data body: ${reason}`;
  return new ApiError("invalid_request", `The form ${detail}.`, {
    errors: [{ pointer: "", detail }],
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const DASHES = encoder.encode("--");
const BLANK_LINE = encoder.encode("\r\n\r\n");
