import type * as z from "zod/mini";
import { counted } from "#counted.ts";
import { ApiError, type FieldError } from "#errors.ts";
import { FINDINGS_MAX } from "#limits.ts";
import { type BodySchema, besidesNull, constraintsOf, type FieldSchema } from "./constraints.ts";
import type { Tool } from "./define-tool.ts";
import { nestsTooDeep } from "./json-depth.ts";
import { nearestName } from "./nearest-name.ts";
import { utf8LengthOver } from "./text.ts";

/** What a client sent as a tool's input, decoded and not yet checked. */
export type SentInput = {
  /** How the body was read; `fields` is a form whose type is `application/x-www-form-urlencoded`. */
  kind: "json" | "raw" | "fields" | "form";
  /** The fields, or any other JSON value; undefined for an empty body where one is required. */
  value: unknown;
  /** The bytes that the client sent in place of the main field of a tool that takes octets. */
  octets: Uint8Array | null;
  /** The names of the fields that are parameters of the URL's query. */
  parameters: ReadonlySet<string>;
  /** What may explain a field that resembles none of the tool's, as a sentence with a space before it. */
  hint?: string;
};

/**
 * Checks an input against the schema of a tool. The messages are derived from the schema, so they agree with the
 * OpenAPI description. Throws an ApiError: `too_large` for a text field that exceeds its limit in UTF-8, otherwise
 * `invalid_request` with every fault. `parameters` names the fields that came in the URL; `hint` ends the
 * message where an unknown field resembles none of the tool's.
 */
export function checkInput<Input>(
  tool: Tool<Input>,
  value: unknown,
  parameters: ReadonlySet<string> = NO_PARAMETERS,
  hint = "",
): { input: Input } {
  rejectLargeFields(tool, value, parameters);
  const result = tool.input.safeParse(value, tool.inWords);
  if (result.success) return { input: result.data };
  const { issues } = result.error;
  const end = hint !== "" && hasStrangeField(tool, issues) ? hint : "";
  throw inputProblem(describeFaults(tool, value, parameters, issues), end);
}

/** Whether an unknown field resembles none of the tool's. */
function hasStrangeField(tool: Tool<unknown>, issues: readonly z.core.$ZodIssue[]): boolean {
  const known = Object.keys(describedSchema(tool).properties ?? {});
  return issues.some(
    (issue) =>
      issue.code === "unrecognized_keys" &&
      issue.keys.some((name) => nearestName(name, known) === undefined),
  );
}

const fieldOf = (tool: Tool<unknown>, name: string): BodySchema | undefined =>
  memberOf(describedSchema(tool), name);

/** The schema of a member of an object; undefined for an unknown one. */
function memberOf({ properties = {} }: BodySchema, name: string): BodySchema | undefined {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return schema && besidesNull(schema);
}

const itemsOf = ({ items }: BodySchema): BodySchema | undefined => items && besidesNull(items);

/** The JSON type of a field; undefined for an unknown field. */
export const fieldTypeOf = (tool: Tool<unknown>, name: string): string | undefined =>
  fieldOf(tool, name)?.type;

/**
 * The value of a field that was sent as text: in a form or in the query. That of a list is one item of it. A text that does not
 * fit the type stays, and the check of the input says so. `True` is what Python writes.
 */
export function typedValue(tool: Tool<unknown>, name: string, text: string): unknown {
  const field = fieldOf(tool, name);
  return valueOfText(field?.type === "array" ? itemsOf(field) : field, text);
}

function valueOfText({ type, oneOf, anyOf = oneOf }: BodySchema = {}, text: string): unknown {
  switch (type) {
    case "integer":
    case "number":
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text;
    case "object":
    case "array":
      return jsonOr(text);
    case undefined:
      return anyOf?.every((each) => each.type !== undefined && each.type !== "string")
        ? jsonOr(text)
        : text;
    default:
      return text;
  }
}

/**
 * The fields as a model means them: it writes numbers and booleans as strings, as in a query, and `null` for an optional field
 * that it leaves out, also within objects and lists. A verbatim tool has no fields.
 */
export function typedArguments(tool: Tool<unknown>, value: unknown): unknown {
  return tool.verbatim === undefined ? asMeant(value, describedSchema(tool)) : value;
}

function asMeant(value: unknown, schema: BodySchema = {}): unknown {
  const typed = typeof value === "string" ? valueOfText(schema, value) : value;
  if (Array.isArray(typed)) {
    const items = itemsOf(schema);
    return typed.map((each) => asMeant(each, items));
  }
  if (typeof typed !== "object" || typed === null) return typed;
  const members = Object.entries(typed).map(
    ([name, each]) => [name, each, memberOf(schema, name)] as const,
  );
  const isLeftOut = (name: string, member: BodySchema | undefined) =>
    member !== undefined && member.isNullable !== true && !schema.required?.includes(name);
  return Object.fromEntries(
    members
      .filter(([name, each, member]) => each !== null || !isLeftOut(name, member))
      .map(([name, each, member]) => [name, asMeant(each, member)]),
  );
}

/** An object is JSON in a form or in the query, as OpenAPI has it, and so is a list within a list, and what may have one of several types. */
function jsonOr(text: string): unknown {
  if (nestsTooDeep(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function rejectLargeFields(
  tool: Tool<unknown>,
  value: unknown,
  parameters: ReadonlySet<string>,
): void {
  if (typeof value !== "object" || value === null) return;
  for (const name in tool.fieldBytesMax) {
    const text = (value as Record<string, unknown>)[name];
    const max = tool.fieldBytesMax[name];
    if (typeof text !== "string" || max === undefined) continue;
    const bytes = utf8LengthOver(text, max);
    if (bytes === undefined) continue;
    const detail = `is ${bytes} bytes of UTF-8; the limit is ${max}`;
    throw new ApiError("too_large", `\`${name}\` ${detail}.`, {
      members: { limit: max, size: bytes },
      errors: [{ ...placeOf([name], parameters), detail }],
    });
  }
}

/** A fault for the list `errors`, and as a sentence for `detail`. */
export type Finding = { fault: FieldError; sentence: string };

/** A fault in a parameter of the query, or else in a field of the body. */
export function fieldFinding(name: string, isParameter: boolean, detail: string): Finding {
  const place = placeOf([name], isParameter ? new Set([name]) : NO_PARAMETERS);
  return { fault: { ...place, detail }, sentence: sentenceOf(`\`${cut(name)}\``, detail) };
}

/** What an author has written may be a sentence of its own. `verb`: what a detail that is none needs to be one. */
const sentenceOf = (what: string, detail: string, verb = ""): string =>
  `${what}${/^\p{Lu}/u.test(detail) ? ":" : verb} ${detail}${/[.!?]$/.test(detail) ? "" : "."}`;

export const NO_PARAMETERS: ReadonlySet<string> = new Set();

/** A truncated pointer would be useless, so a fault in a field with a longer name is one of the body. */
function placeOf(path: readonly PropertyKey[], parameters: ReadonlySet<string>) {
  if (path.some((part) => String(part).length > KEY_CHARS_MAX)) return { pointer: "" };
  const [name] = path.map(String);
  return name !== undefined && parameters.has(name)
    ? { parameter: name }
    : { pointer: pointerTo(path) };
}

const KEY_CHARS_MAX = 200;

const shownPath = (path: readonly PropertyKey[]): string =>
  path.map((part) => cut(String(part))).join(".");

export function inputProblem(findings: readonly Finding[], hint = ""): ApiError {
  const detail = findings.map(({ sentence }) => sentence).join(" ");
  return new ApiError("invalid_request", detail + hint, {
    errors: findings.map(({ fault }) => fault),
  });
}

function describeFaults(
  tool: Tool<unknown>,
  value: unknown,
  parameters: ReadonlySet<string>,
  issues: readonly z.core.$ZodIssue[],
): Finding[] {
  if (value === undefined) return describeMissingBody(tool);
  const schema = describedSchema(tool);
  const findings: Finding[] = [];
  const seen = new Set<string>();
  let more = 0;
  for (const issue of issues) {
    const left = FINDINGS_MAX - findings.length;
    if (issue.code === "unrecognized_keys") {
      more += Math.max(0, issue.keys.length - left);
      if (left === 0) continue;
      const known = Object.keys(schemaAt(schema, issue.path)?.properties ?? {});
      findings.push(...unknownFields(issue.path, issue.keys.slice(0, left), known, parameters));
      continue;
    }
    if (issue.path.length > 0) {
      // Only one fault per field, because its message names all bounds of the field.
      const field = issue.path.map(String).join("\0");
      if (seen.has(field)) continue;
      seen.add(field);
    }
    if (left === 0) {
      more += 1;
      continue;
    }
    const isSecret = tool.secretFields?.includes(String(issue.path[0])) ?? false;
    const place = schemaAt(schema, issue.path);
    const detail = fieldDetail(issue, valueAt(value, issue.path), place, isSecret);
    const what = issue.path.length === 0 ? "The body" : `\`${shownPath(issue.path)}\``;
    const fault = { ...placeOf(issue.path, parameters), detail };
    findings.push({ fault, sentence: sentenceOf(what, detail) });
  }
  if (more > 0) findings.push(ofBody(`has ${counted(more, "more fault")}`));
  return findings;
}

const ofBody = (detail: string): Finding => ({
  fault: { pointer: "", detail },
  sentence: sentenceOf("The body", detail),
});

/** Where fields are wanted, the faults of an empty object, introduced by what is wrong with the request as a whole. */
function describeMissingBody(tool: Tool<unknown>): Finding[] {
  const schema = besidesNull(describedSchema(tool));
  const result = tool.input.safeParse({}, tool.inWords);
  const isOther = schema.type !== undefined && schema.type !== "object";
  const findings: Finding[] =
    isOther || result.success
      ? [ofBody(`must be ${expectation(isOther ? schema : { type: "object" })}`)]
      : describeFaults(tool, {}, NO_PARAMETERS, result.error.issues);
  return findings.map(({ fault, sentence }, index) => {
    if (index > 0) return { fault, sentence };
    const isOfBody = fault.pointer === "";
    const empty = "The body is empty";
    return {
      fault,
      sentence: isOfBody ? sentenceOf(empty, fault.detail, "; it") : `${empty}: ${sentence}`,
    };
  });
}

function fieldDetail(
  issue: z.core.$ZodIssue,
  value: unknown,
  schema: FieldSchema | undefined,
  isSecret: boolean,
): string {
  if (issue.code === "custom") return issue.message;
  if (value === undefined) return "is required";
  if (!isExplained(issue, schema)) return issue.message;
  if (value === "" && (schema?.minLength ?? 0) > 0) return "must not be empty";
  // Error messages are logged.
  return `must be ${expectation(schema)}${isSecret ? "" : `; got ${show(value)}`}`;
}

/** Whether `expectation` says what the value must be. Bounds of texts and formats, which only own tools have, are told by the issue (`Tool.inWords`). */
const isExplained = (issue: z.core.$ZodIssue, schema: FieldSchema | undefined): boolean =>
  schema?.type !== undefined &&
  (issue.code === "invalid_type" ||
    (issue.code === "invalid_value" && schema.enum !== undefined) ||
    (issue.code === "too_small" && issue.origin === "string" && schema.minLength === 1) ||
    ((issue.code === "too_small" || issue.code === "too_big") &&
      schema.minimum !== undefined &&
      schema.maximum !== undefined));

function unknownFields(
  path: readonly PropertyKey[],
  names: readonly string[],
  known: readonly string[],
  parameters: ReadonlySet<string>,
): Finding[] {
  return names.map((name) => {
    const nearest = nearestName(name, known);
    const all = known.length === 0 ? "" : `; the fields are ${list(known)}`;
    const advice = nearest === undefined ? all : `; did you mean \`${nearest}\`?`;
    const isParameter = path.length === 0 && parameters.has(name);
    const detail = `unknown ${isParameter ? "parameter" : "field"}${advice}`;
    const fault = { ...placeOf([...path, name], parameters), detail };
    return { fault, sentence: sentenceOf(`\`${shownPath([...path, name])}\`:`, detail) };
  });
}

const described = new WeakMap<Tool<unknown>["input"], BodySchema>();

/** The constraints of the input, derived on the first error and cached. */
function describedSchema(tool: Tool<unknown>): BodySchema {
  let schema = described.get(tool.input);
  if (schema === undefined) {
    schema = constraintsOf(tool.input);
    described.set(tool.input, schema);
  }
  return schema;
}

function expectation(schema: FieldSchema | undefined): string {
  if (schema?.enum !== undefined) {
    return `${schema.enum.length > 1 ? "one of " : ""}${list(schema.enum)}`;
  }
  switch (schema?.type) {
    case "integer":
      return `a whole number${range(schema)}`;
    case "number":
      return `a number${range(schema)}`;
    case "boolean":
      return "true or false";
    case "object":
      return "a JSON object";
    case "array":
      return "an array";
    case "string":
      return "a string";
    case "null":
      return "null";
    default:
      return "of another type";
  }
}

function range({ minimum, maximum }: FieldSchema): string {
  if (minimum === undefined || maximum === undefined) return "";
  return ` from ${minimum} to ${maximum}`;
}

const list = (values: readonly unknown[]) => values.map((value) => `\`${value}\``).join(", ");

/** Formats a value for a message, on one line. */
function show(value: unknown): string {
  if (typeof value === "string") return `"${cut(value)}"`;
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  // JSON has no infinity, but 1e400 parses as infinity.
  if (value === Number.POSITIVE_INFINITY) return "a number too large";
  if (value === Number.NEGATIVE_INFINITY) return "a number too small";
  return String(value);
}

const SHOWN_CHARS_MAX = 40;

/**
 * Returns the beginning of a text, with control characters and lone surrogates escaped so that a message stays on one
 * line.
 */
function cut(text: string): string {
  const shown = text.length > SHOWN_CHARS_MAX ? text.slice(0, SHOWN_CHARS_MAX) : text;
  // The cut may split a surrogate pair.
  const whole = shown === text ? shown : `${shown.replace(/[\ud800-\udbff]$/, "")}…`;
  return JSON.stringify(whole).slice(1, -1);
}

/** RFC 6901, section 3: `~` becomes `~0` and `/` becomes `~1`. */
function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The schema of the field at `path`, which may be within another. */
const schemaAt = (schema: BodySchema, path: readonly PropertyKey[]): BodySchema | undefined =>
  path.reduce<BodySchema | undefined>(
    (found, name) => (typeof name === "number" ? found?.items : found?.properties?.[String(name)]),
    schema,
  );

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) found = (found as Record<PropertyKey, unknown> | undefined)?.[key];
  return found;
}
