import { ApiError } from "#errors.ts";
import { FINDINGS_MAX, FORM_PARTS_MAX } from "#limits.ts";
import {
  type Finding,
  fieldFinding,
  fieldTypeOf,
  inputProblem,
  NO_PARAMETERS,
  type SentInput,
  typedValue,
} from "#tools/check-input.ts";
import type { Tool } from "#tools/define-tool.ts";
import { FIELDS_TYPE } from "#tools/media-type.ts";
import { decodeUtf8, otherWays, quotesAdvice, requireUtf8 } from "./body-types.ts";
import type { FormPart } from "./multipart.ts";

/**
 * Reads fields that are sent as texts: in the query and in both kinds of forms. The schema says which type a text stands for.
 * No field is taken twice, except for a list, whose items are sent one by one.
 */

/** Adds the query's parameters to the fields of the body. */
export function addQuery(tool: Tool<unknown>, sent: SentInput, query: string): SentInput {
  const fields: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const pair of pairsOf(query)) {
    if (findings.length >= FINDINGS_MAX) break;
    const name = decodeText(pair.name);
    const text = decodeText(pair.value);
    if (name === undefined || text === undefined) {
      findings.push(fieldFinding(name ?? pair.name, true, BADLY_ENCODED));
      continue;
    }
    const fault = queryFault(tool, name, fields, sent.value);
    if (fault === undefined) addField(tool, fields, name, text);
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
  return isTaken(tool, fields, name) || hasField(body, name) ? GIVEN_TWICE : undefined;
}

/** Reads a form of the type that `curl -d` and HTML send by default. */
export function readFields(tool: Tool<unknown>, body: Uint8Array, contentType: string): SentInput {
  requireUtf8(tool, contentType);
  const form = decodeUtf8(body, () => otherWays(tool));
  const hint = explainFields(tool, form);
  const value: Record<string, unknown> = {};
  const findings: Finding[] = [];
  let count = 0;
  for (const pair of pairsOf(form)) {
    count += 1;
    if (count > FORM_PARTS_MAX) throw tooManyFields(hint);
    const name = decodeText(pair.name);
    const text = decodeText(pair.value);
    if (name === undefined || text === undefined) {
      findings.push(badlyEncoded(name ?? pair.name, pair));
    } else if (isTaken(tool, value, name)) findings.push(fieldFinding(name, false, GIVEN_TWICE));
    else addField(tool, value, name, text);
  }
  if (findings.length > 0) throw inputProblem(findings);
  return { kind: "fields", value, octets: null, parameters: NO_PARAMETERS, hint };
}

/** For a client that sent something else and left the type to curl. */
const explainFields = (tool: Tool<unknown>, form: string): string =>
  quotesAdvice(form) ||
  ` The body was read as a form, because its Content-Type is \`${FIELDS_TYPE}\`, which \`curl -d\` sends by default. In a form, \`&\`, \`+\` and \`%\` have a meaning; \`curl --data-urlencode\` encodes them.${tool.rawBody === undefined ? "" : otherWays(tool)}`;

function tooManyFields(hint: string): ApiError {
  const detail = `has more than ${FORM_PARTS_MAX} fields`;
  return new ApiError("invalid_request", `The form ${detail}.${hint}`, {
    errors: [{ pointer: "", detail }],
  });
}

/** Throws an ApiError `invalid_utf8` where the percent signs stand for bytes that are not UTF-8. */
function badlyEncoded(name: string, pair: Pair): Finding {
  if (BAD_ESCAPE.test(pair.name) || BAD_ESCAPE.test(pair.value)) {
    return fieldFinding(
      name,
      false,
      "has a percent sign that does not start a byte: write it as `%25`",
    );
  }
  const { fault } = fieldFinding(name, false, "stands for bytes that are not UTF-8");
  throw new ApiError(
    "invalid_utf8",
    "The form has percent-encoded bytes that are not valid UTF-8. Encode its texts as UTF-8 and send it again.",
    { errors: [fault] },
  );
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** The fields in a form of parts. A file among them is the main field or the file of the call, and its bytes are returned as they are. */
export function valueOfParts(
  tool: Tool<unknown>,
  parts: readonly FormPart[],
): { value: Record<string, unknown>; file: FormPart | undefined } {
  const files = parts.filter(({ isFile }) => isFile);
  const file = files[0];
  if (files.length > 1 && tool.rawBody !== undefined) {
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
    else if (!isFile) {
      const text = decodeUtf8(bytes, undefined, "A text of the form");
      addField(tool, value, name, text);
    }
  }
  if (findings.length > 0) throw inputProblem(findings);
  return { value, file };
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
  if (isFile) {
    if (field === undefined && tool.file === undefined) {
      return `is a file, and ${tool.name} takes none. curl sends the text of a file with \`<\` in place of \`@\``;
    }
    // Read as the main field, a file that was meant as an HMAC key would be hashed.
    return isOtherField(name)
      ? `must be text: a file is ${field === undefined ? "not a field" : "always the main field"}. curl sends the text of a file with \`<\` in place of \`@\``
      : undefined;
  }
  if (name === "file" && filePart === undefined && field !== undefined) {
    return "has no file name, so it is not a file. curl sends a file with `@` before its path";
  }
  const isFilled = name === field && filePart !== undefined && !isOtherField(filePart);
  return isFilled || isTaken(tool, value, name) ? GIVEN_TWICE : undefined;
}

type Pair = { name: string; value: string };

/** The pairs of the form of URLs, still encoded. A pair without `=` has an empty value. */
function* pairsOf(text: string): Generator<Pair> {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("&", start);
    const end = next === -1 ? text.length : next;
    if (end > start) {
      const pair = text.slice(start, end);
      const equals = pair.indexOf("=");
      yield equals === -1
        ? { name: pair, value: "" }
        : { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
    }
    start = end + 1;
  }
}

/**
 * The form of URLs in which a space is a plus (URL standard, "application/x-www-form-urlencoded parsing"). Undefined for what
 * the standard's parser would replace, because the tool would work on another text than the client meant.
 */
function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const GIVEN_TWICE = "is given more than once";
const BADLY_ENCODED =
  "must be percent-encoded UTF-8: a percent sign does not start a byte, or the bytes are not UTF-8";

/** Any other value is an error, and the check of the input says so. */
const takesFields = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));

export const hasField = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name);

const isList = (tool: Tool<unknown>, name: string): boolean => fieldTypeOf(tool, name) === "array";

/** Whether the field was given before and takes no further value. */
const isTaken = (tool: Tool<unknown>, fields: Record<string, unknown>, name: string): boolean =>
  hasField(fields, name) && !isList(tool, name);

/** Sets a field that was sent as text, or adds an item to a list. */
function addField(
  tool: Tool<unknown>,
  fields: Record<string, unknown>,
  name: string,
  text: string,
): void {
  const value = typedValue(tool, name, text);
  if (!isList(tool, name)) setField(fields, name, value);
  else if (hasField(fields, name)) (fields[name] as unknown[]).push(value);
  else setField(fields, name, [value]);
}

/** Also sets a field named `__proto__`, which an assignment would not. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
