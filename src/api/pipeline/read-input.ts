import { ApiError } from "#errors.ts";
import { FORM_SPACE_BYTES, JSON_DEPTH_MAX } from "#limits.ts";
import {
  type Finding,
  fieldFinding,
  fieldTypeOf,
  inputProblem,
  NO_PARAMETERS,
  type SentInput,
} from "#tools/check-input.ts";
import type { Tool } from "#tools/define-tool.ts";
import { utf8LengthOver } from "#tools/text.ts";
import { findJsonFault, nestsTooDeep } from "./json-fault.ts";
import { bodyKindOf, bodyTypesOf, isJsonType, namesOtherCharset } from "./media-types.ts";
import { readForm } from "./multipart.ts";

/** A request as the tool's input is read from it. Plain data, so that another thread can read it. */
export type SentRequest = {
  body: Uint8Array;
  contentType: string | null;
  /** The query of the URL, without its question mark. */
  query: string;
};

/**
 * Decodes the body and the query of a call. Throws an ApiError `invalid_utf8`, `invalid_json`, `invalid_request`,
 * `unsupported_media_type` or `too_large`.
 */
export function readInput(tool: Tool<unknown>, request: SentRequest): SentInput {
  const sent = readBodyInput(tool, request);
  return request.query === "" ? sent : addQuery(tool, sent, request.query);
}

/** The most bytes that a body of this type may have. */
export function bodyBytesMaxOf(tool: Tool<unknown>, contentType: string | null): number {
  const { rawBody } = tool;
  const kind = contentType === null || rawBody === undefined ? null : bodyKindOf(tool, contentType);
  if (rawBody === undefined || kind === null || kind === "json" || kind === "text") {
    return tool.bodyBytesMax;
  }
  const fieldBytesMax = tool.fieldBytesMax[rawBody.field] ?? tool.bodyBytesMax;
  return kind === "raw" ? fieldBytesMax : fieldBytesMax + FORM_SPACE_BYTES;
}

/** Throws an ApiError `unsupported_media_type` where the tool takes no body of this type. */
export function requireBodyType(tool: Tool<unknown>, contentType: string | null): void {
  if (bodyKindOf(tool, contentType) === null) throw otherType(tool, contentType as string);
}

function readBodyInput(tool: Tool<unknown>, { body, contentType }: SentRequest): SentInput {
  const kind = bodyKindOf(tool, contentType);
  // A client may name a type on every request, with an empty body too.
  if (kind === null && body.byteLength > 0) throw otherType(tool, contentType as string);
  if (kind === "raw") return readRaw(tool, body, contentType as string);
  if (kind === "form") return readFormInput(tool, body, contentType as string);
  if (kind === "text" && !isBlankBytes(body)) {
    const value = readObjectWithMainField(tool, body);
    return value === undefined
      ? readRaw(tool, body, contentType as string)
      : { kind: "json", value, octets: null, parameters: NO_PARAMETERS };
  }
  return {
    kind: "json",
    value: readJson(tool, body, contentType),
    octets: null,
    parameters: NO_PARAMETERS,
  };
}

function readRaw(tool: Tool<unknown>, body: Uint8Array, contentType: string): SentInput {
  const { field, octets } = tool.rawBody as NonNullable<Tool["rawBody"]>;
  return {
    kind: "raw",
    ...fillField(tool, field, octets, body, contentType),
    parameters: NO_PARAMETERS,
  };
}

/** The value of the main field from bytes. A tool that takes octets gets the bytes, and its field is empty. */
function fillField(
  tool: Tool<unknown>,
  field: string,
  octets: boolean,
  bytes: Uint8Array,
  contentType: string,
): { value: Record<string, unknown>; octets: Uint8Array | null } {
  if (!octets) {
    if (namesOtherCharset(contentType)) {
      throw unsupportedType(
        tool,
        `The Content-Type "${shorten(contentType)}" names another encoding than UTF-8. Convert the text to UTF-8.`,
      );
    }
    return { value: { [field]: decodeUtf8(bytes) }, octets: null };
  }
  const bytesMax = tool.fieldBytesMax[field] ?? tool.bodyBytesMax;
  if (bytes.byteLength > bytesMax) {
    const detail = `is ${bytes.byteLength} bytes; the limit is ${bytesMax}`;
    throw new ApiError("too_large", `The body ${detail}.`, {
      members: { limit: bytesMax, size: bytes.byteLength },
      errors: [{ pointer: "", detail }],
    });
  }
  return { value: { [field]: "" }, octets: bytes };
}

/** The file of a form is the main field; the other parts are fields. */
function readFormInput(tool: Tool<unknown>, body: Uint8Array, contentType: string): SentInput {
  const { field, octets } = tool.rawBody as NonNullable<Tool["rawBody"]>;
  const parts = readForm(body, contentType);
  const files = parts.filter(({ isFile }) => isFile);
  const file = files[0];
  if (files.length > 1) {
    const detail = `has ${files.length} files; send one`;
    throw new ApiError("invalid_request", `The form ${detail}.`, {
      errors: [{ pointer: "", detail }],
    });
  }
  const value: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const { name, isFile, bytes } of parts) {
    const fault = partFault(tool, name, isFile, file?.name, value);
    if (fault !== undefined) findings.push(fieldFinding(name, false, fault));
    else if (!isFile)
      setField(
        value,
        name,
        typedValue(tool, name, decodeUtf8(bytes, undefined, "A text of the form")),
      );
  }
  if (findings.length > 0) throw inputProblem(findings);
  const filled = file && fillField(tool, field, octets, file.bytes, "");
  return {
    kind: "form",
    value: { ...filled?.value, ...value },
    octets: filled?.octets ?? null,
    parameters: NO_PARAMETERS,
  };
}

/** `filePart` is the name of the part that has the file. */
function partFault(
  tool: Tool<unknown>,
  name: string,
  isFile: boolean,
  filePart: string | undefined,
  value: Record<string, unknown>,
): string | undefined {
  const field = tool.rawBody?.field;
  const isOtherField = (part: string) => part !== field && fieldTypeOf(tool, part) !== undefined;
  // Read as the main field, a file that was meant as an HMAC key would be hashed.
  if (isFile) {
    return isOtherField(name)
      ? "must be text: a file is always the main field. curl sends the text of a file with `<` in place of `@`"
      : undefined;
  }
  if (name === "file" && filePart === undefined) {
    return "has no file name, so it is not a file. curl sends a file with `@` before its path";
  }
  const isFilled = name === field && filePart !== undefined && !isOtherField(filePart);
  return isFilled || hasField(value, name) ? GIVEN_TWICE : undefined;
}

/** Adds the query's parameters to the fields of the body. */
function addQuery(tool: Tool<unknown>, sent: SentInput, query: string): SentInput {
  const fields: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const pair of query.split("&")) {
    if (pair === "" || findings.length >= FINDINGS_MAX) continue;
    const equals = pair.indexOf("=");
    const encodedName = equals === -1 ? pair : pair.slice(0, equals);
    const name = decodeQuery(encodedName);
    const text = equals === -1 ? "" : decodeQuery(pair.slice(equals + 1));
    if (name === undefined || text === undefined) {
      findings.push(fieldFinding(name ?? encodedName, true, BADLY_ENCODED));
      continue;
    }
    const fault = queryFault(tool, name, fields, sent.value);
    if (fault === undefined) setField(fields, name, typedValue(tool, name, text));
    else findings.push(fieldFinding(name, true, fault));
  }
  if (findings.length > 0) throw inputProblem(findings);
  const parameters = new Set(Object.keys(fields));
  if (parameters.size === 0 || !takesFields(sent.value)) return sent;
  return { ...sent, value: { ...(sent.value as object | undefined), ...fields }, parameters };
}

function queryFault(
  tool: Tool<unknown>,
  name: string,
  fields: Record<string, unknown>,
  body: unknown,
): string | undefined {
  // Any JSON value may be the body of such a tool, so it has no fields that a query could fill.
  if (tool.verbatim !== undefined) return "is unknown: this tool takes no query parameters";
  if (tool.secretFields?.includes(name)) {
    return "must not be in the URL, because URLs are logged; send it in the body";
  }
  return hasField(fields, name) || hasField(body, name) ? GIVEN_TWICE : undefined;
}

const GIVEN_TWICE = "is given more than once";
const BADLY_ENCODED =
  "must be percent-encoded UTF-8: a percent sign does not start a byte, or the bytes are not UTF-8";
const FINDINGS_MAX = 20;

/** Any other value is an error, and the check of the input says so. */
const takesFields = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));

const hasField = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name);

/** Also sets a field named `__proto__`, which an assignment would not. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** The value of a field that is sent as text. A text that does not fit its type stays, and the check of the input says so. */
function typedValue(tool: Tool<unknown>, name: string, text: string): unknown {
  switch (fieldTypeOf(tool, name)) {
    case "integer":
    case "number":
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    default:
      return text;
  }
}

/**
 * The form of URLs in which a space is a plus (URL standard, "application/x-www-form-urlencoded parsing"). Undefined for what
 * the standard's parser would replace, because the tool would work on another text than the client meant.
 */
function decodeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The JSON value; for a verbatim tool the JSON text itself, without the white space around it. Undefined for no body. */
function readJson(tool: Tool<unknown>, body: Uint8Array, contentType: string | null): unknown {
  const text = decodeUtf8(body, () => otherWays(tool));
  if (isBlank(text)) {
    if (tool.body === "required") return undefined;
    return tool.verbatim ? "null" : {};
  }
  if (nestsTooDeep(text)) throw notJson(tool, text, contentType);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notJson(tool, text, contentType, cause);
  }
  if (tool.verbatim) return readVerbatim(text, tool.verbatim.bytesMax);
  // PHP writes an empty object as an empty array.
  return tool.body === "optional" && Array.isArray(value) && value.length === 0 ? {} : value;
}

/** Undefined where the body is anything but a JSON object that has the tool's main field. */
function readObjectWithMainField(tool: Tool<unknown>, body: Uint8Array): unknown {
  const first = body.find((byte) => !isSpace(byte) && !BYTE_ORDER_MARK.includes(byte));
  if (first !== OPEN_BRACE) return undefined;
  try {
    const text = strictUtf8.decode(body);
    if (nestsTooDeep(text)) return undefined;
    const value: unknown = JSON.parse(text);
    return hasField(value, tool.rawBody?.field ?? "") ? value : undefined;
  } catch {
    return undefined;
  }
}

function readVerbatim(text: string, bytesMax: number): string {
  const json = trimJson(text);
  const bytes = utf8LengthOver(json, bytesMax);
  if (bytes === undefined) return json;
  const detail = `is ${bytes} bytes of JSON; the limit is ${bytesMax} bytes`;
  throw new ApiError("too_large", `The body ${detail}.`, {
    members: { limit: bytesMax, size: bytes },
    errors: [{ pointer: "", detail }],
  });
}

// Drops a byte order mark, and throws on invalid bytes instead of replacing them.
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** `advise`: makes the advice for a client that did not mean to send text. */
function decodeUtf8(body: Uint8Array, advise = () => "", what = "The body"): string {
  try {
    return strictUtf8.decode(body);
  } catch (cause) {
    // Windows PowerShell writes files like this.
    const isUtf16 =
      (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
    throw new ApiError(
      "invalid_utf8",
      isUtf16
        ? `${what} is UTF-16, not UTF-8. Save it as UTF-8 and send it again.`
        : `${what} is not valid UTF-8. Encode it as UTF-8 and send it again.${advise()}`,
      { cause },
    );
  }
}

/** The form type, which `curl -d` sends by default, says nothing about the body: only what begins like JSON is meant as JSON. */
function notJson(
  tool: Tool<unknown>,
  text: string,
  contentType: string | null,
  cause?: unknown,
): ApiError {
  const isMeantAsJson = contentType === null || contentType === "" || isJsonType(contentType);
  const beginsLikeJson = /^\s*[{["']/.test(text);
  if (!isMeantAsJson && !beginsLikeJson) {
    return unsupportedType(
      tool,
      `The body is not JSON, and the Content-Type "${shorten(contentType)}" means JSON here.`,
    );
  }
  const found = findJsonFault(text);
  const advice = beginsLikeJson ? quotesAdvice(text) : otherWays(tool);
  const detail =
    found === undefined
      ? `The body is not JSON, or nests deeper than ${JSON_DEPTH_MAX} levels.`
      : `The body is not JSON: line ${found.line}, column ${found.column}: ${found.reason}.${advice}`;
  return new ApiError("invalid_json", detail, {
    cause,
    ...(found === undefined ? {} : { members: { line: found.line, column: found.column } }),
  });
}

/** Single quotes are Python's, and cmd passes them on; Windows PowerShell 5 removes double quotes. */
function quotesAdvice(text: string): string {
  if (/^[\s{[]*'/.test(text)) {
    return ' JSON needs double quotes around names and texts, as in {"text":"a"}.';
  }
  return /^\s*\{\s*(?:\\|[\w-]+\s*:)/.test(text)
    ? " If your shell changed the quotes, send the JSON from a file: `curl -d @body.json`."
    : "";
}

const otherType = (tool: Tool<unknown>, contentType: string): ApiError =>
  unsupportedType(tool, `${tool.name} does not take the Content-Type "${shorten(contentType)}".`);

const unsupportedType = (tool: Tool<unknown>, what: string): ApiError =>
  new ApiError(
    "unsupported_media_type",
    `${what} Send JSON with \`Content-Type: application/json\`.${otherWays(tool)}`,
    { headers: { Accept: bodyTypesOf(tool).join(", ") } },
  );

/** The ways to send a tool's input that are not JSON. */
function otherWays({ rawBody, verbatim }: Tool<unknown>): string {
  if (rawBody !== undefined) {
    const types = rawBody.types.map((type) => `\`${type}\``).join(" or ");
    return ` To send ${rawBody.octets ? "a file" : `the \`${rawBody.field}\``} as it is, use the Content-Type ${types}, or a form (\`multipart/form-data\`).`;
  }
  return verbatim === undefined ? " Fields may also be parameters of the URL's query." : "";
}

const shorten = (contentType: string): string => contentType.slice(0, 80);

// The white space of JSON (RFC 8259, section 2). String.trim also removes characters that are errors in JSON.
const isBlank = (text: string) => /^[ \t\n\r]*$/.test(text);
const trimJson = (text: string) =>
  text.slice(leadingSpace(text), text.length - trailingSpace(text));

const OPEN_BRACE = 0x7b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const isBlankBytes = (body: Uint8Array): boolean =>
  body.every((byte, at) => isSpace(byte) || BYTE_ORDER_MARK[at] === byte);

function leadingSpace(text: string): number {
  let count = 0;
  while (isSpace(text.charCodeAt(count))) count += 1;
  return count;
}

function trailingSpace(text: string): number {
  let count = 0;
  while (isSpace(text.charCodeAt(text.length - 1 - count))) count += 1;
  return count;
}
