import * as z from "zod";
import { IN_WORDS } from "#issue-text.ts";
import type { InputSchema } from "./input-schema.ts";

/** The schemas of an OpenAPI document as JSON Schema (2020-12) of their own, without references, and the checks of values that follow. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns what references within the document lead to. Throws a TypeError for a reference that leads elsewhere. */
export function resolve(document: Json, value: unknown): Json {
  const found = followed(document, value, 0);
  return isObject(found) ? found : {};
}

const followed = (document: Json, value: unknown, hops: number): unknown =>
  isObject(value) && typeof value["$ref"] === "string"
    ? followed(document, valueAt(document, value["$ref"], hops), hops + 1)
    : value;

/** What is at a reference, which may be another one. */
function valueAt(document: Json, reference: string, hops = 0): unknown {
  if (!reference.startsWith("#/"))
    throw new TypeError(
      `refers to ${reference}, which is not in the document; bundle both into one, for example with \`npx @redocly/cli bundle\``,
    );
  if (hops > HOPS_MAX) throw new TypeError(`refers to ${reference}, which refers to itself`);
  let found: unknown = document;
  // What is on the way may be a reference too.
  for (const part of reference.slice(2).split("/"))
    found = (followed(document, found, hops + 1) as Json | undefined)?.[nameIn(part)];
  if (found === undefined)
    throw new TypeError(`refers to ${reference}, which the document does not have`);
  return found;
}

const HOPS_MAX = 50;

/** RFC 6901 within a URI fragment. */
const nameIn = (part: string) =>
  decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");

/** What a schema may have before the rest becomes any value: descriptions go into every prompt of an agent. */
const PARTS_MAX = 2_000;

/** `use`: a request has no member that only responses have, and the other way round. */
export function ownSchema(document: Json, schema: unknown, use: "request" | "response"): Json {
  const ofOthers = use === "request" ? "readOnly" : "writeOnly";
  let parts = 0;
  return inline(schema, []);

  function inline(value: unknown, stack: readonly string[]): Json {
    if (value === false) return { not: {} };
    if (!isObject(value)) return {};
    const { $ref: reference, ...beside } = value;
    if (typeof reference === "string") return referred(reference, known(beside), stack);
    parts += 1;
    if (parts > PARTS_MAX) return {};
    const own = withParts(known(value), (part) => inline(part, stack));
    return ofToday(ofAny(ofOne(withoutMembers(own, ofOthers))));
  }

  /** `beside`: what the schema has beside its reference. OpenAPI 3.0 ignores it, but the document's author meant it. */
  function referred(reference: string, beside: Json, stack: readonly string[]): Json {
    if (Object.keys(beside).some((keyword) => !ABOUT.includes(keyword))) {
      const { allOf = [], ...rest } = beside;
      return inline({ ...rest, allOf: [...(allOf as unknown[]), { $ref: reference }] }, stack);
    }
    // Throws if it leads nowhere.
    resolve(document, { $ref: reference });
    // Within itself it is any value.
    const found = stack.includes(reference)
      ? {}
      : inline(valueAt(document, reference), [...stack, reference]);
    return { ...found, ...ofToday(beside) };
  }
}

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => typeof value === "number";
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isList: Check = (value) => Array.isArray(value) && value.length > 0;
const isType: Check = (value) => TYPES.includes(value as string);
const TYPES = ["null", "boolean", "object", "array", "number", "integer", "string"];

/**
 * The keywords that schemas have here, and what their values must be. Documents have others too, and a host of agents may reject all tools
 * because of one schema that is not valid.
 */
const KEYWORDS: ReadonlyMap<string, Check> = new Map(
  (
    [
      ["title description format pattern contentEncoding contentMediaType", isText],
      ["minimum maximum", isNumber],
      // The flags are those of OpenAPI 3.0.
      ["exclusiveMinimum exclusiveMaximum", (value) => isNumber(value) || isFlag(value)],
      ["multipleOf", (value) => isNumber(value) && (value as number) > 0],
      ["minLength maxLength minItems maxItems minProperties maxProperties", isCount],
      ["minContains maxContains", isCount],
      ["uniqueItems readOnly writeOnly nullable", isFlag],
      ["enum allOf anyOf oneOf prefixItems", isList],
      ["required", (value) => Array.isArray(value) && value.every(isText)],
      ["properties patternProperties dependentSchemas dependentRequired", isObject],
      ["items additionalProperties not if then else", (value) => isObject(value) || isFlag(value)],
      ["contains propertyNames", isObject],
      ["unevaluatedItems unevaluatedProperties", (value) => isObject(value) || isFlag(value)],
      ["examples", Array.isArray],
      ["default const example", () => true],
      ["type", (value) => (isList(value) ? (value as unknown[]).every(isType) : isType(value))],
    ] satisfies [names: string, isValid: Check][]
  ).flatMap(([names, isValid]) => names.split(" ").map((name) => [name, isValid] as const)),
);

const known = (schema: Json): Json =>
  Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => KEYWORDS.get(keyword)?.(value)),
  );

/** Keywords that say nothing of values, or of where they occur alone. */
const ABOUT = ["title", "description", "default", "example", "examples", "readOnly", "writeOnly"];

/** The schema with another one in place of each that is in it. */
const withParts = (schema: Json, replace: (part: unknown) => Json): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, member]) => {
      if (OF_SCHEMAS.has(keyword)) return [keyword, mapped(member as Json, replace)];
      if (LISTS.has(keyword)) return [keyword, (member as unknown[]).map(replace)];
      return [keyword, SCHEMAS.has(keyword) && isObject(member) ? replace(member) : member];
    }),
  );

const mapped = (schemas: Json, replace: (part: unknown) => Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, replace(each)]));

const OF_SCHEMAS = new Set(["properties", "patternProperties", "dependentSchemas"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMAS = new Set([
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains"],
  ...["propertyNames", "unevaluatedItems", "unevaluatedProperties"],
]);

function withoutMembers(schema: Json, ofOthers: "readOnly" | "writeOnly"): Json {
  const { properties, required } = schema;
  if (!isObject(properties)) return schema;
  const kept = Object.entries(properties).filter(
    ([, member]) => (member as Json)[ofOthers] !== true,
  );
  const names = new Set(kept.map(([name]) => name));
  const left: Json = { ...schema, properties: Object.fromEntries(kept) };
  if (Array.isArray(required))
    left["required"] = required.filter(
      (name) => names.has(name) || !Object.hasOwn(properties, name),
    );
  return left;
}

/** What has no rules beside `allOf` of one schema is that schema: authors write it so, because beside `$ref` they may not. */
function ofOne(schema: Json): Json {
  const { allOf, nullable, ...about } = schema;
  if (!Array.isArray(allOf) || allOf.length > 1) return schema;
  if (Object.keys(about).some((keyword) => !ABOUT.includes(keyword))) return schema;
  const one = { ...(allOf[0] as Json), ...about };
  return nullable === true ? { allOf: [one], nullable } : one;
}

/**
 * That only one of several fits is left to the service: one that is any value here, such as a schema within itself, fits all others, and
 * documents tell them apart by a `discriminator`.
 */
function ofAny({ oneOf, ...schema }: Json): Json {
  if (oneOf === undefined) return schema;
  const { anyOf, allOf = [] } = schema;
  return anyOf === undefined
    ? { ...schema, anyOf: oneOf }
    : { ...schema, allOf: [...(allOf as unknown[]), { anyOf: oneOf }] };
}

/** The keywords of OpenAPI 3.0 as those of JSON Schema, and types that are not named by the keywords that imply them. */
function ofToday({ nullable, example, ...schema }: Json): Json {
  if (example !== undefined) schema["examples"] ??= [example];
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[exclusive] !== "boolean") continue;
    const isExclusive = schema[exclusive] && schema[bound] !== undefined;
    delete schema[exclusive];
    if (!isExclusive) continue;
    schema[exclusive] = schema[bound];
    delete schema[bound];
  }
  if (schema["type"] === undefined && isObject(schema["properties"])) schema["type"] = "object";
  if (schema["type"] === undefined && isObject(schema["items"])) schema["type"] = "array";
  const types = Array.isArray(schema["type"]) ? schema["type"] : null;
  if (types === null && nullable !== true) return schema;
  const { type: _, ...others } = schema;
  const isAbout = ([keyword]: [string, unknown]) => ABOUT.includes(keyword);
  const rest = Object.fromEntries(Object.entries(others).filter((member) => !isAbout(member)));
  const each = types === null ? [schema["type"], "null"] : types;
  return {
    ...Object.fromEntries(Object.entries(others).filter(isAbout)),
    anyOf: [...new Set(each)].map((type) =>
      type === "null" ? { type } : { ...rest, ...(type !== undefined && { type }) },
    ),
  };
}

/** The schema of an input with these fields. A field whose schema cannot be checked here is left to the service. */
export function inputOfFields(
  fields: Readonly<Record<string, Json>>,
  required: readonly string[],
): InputSchema {
  const checks = Object.entries(fields).map(([name, schema]) => [name, checkOf(schema)] as const);
  const names = Object.keys(fields);
  const schema = {
    type: "object",
    properties: fields,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  const validate = (value: unknown) => {
    if (!isObject(value)) return { issues: [{ message: "must be a JSON object" }] };
    const missing = required
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => ({ message: "is required", path: [name] }));
    const keys = Object.keys(value).filter((name) => !names.includes(name));
    // As Zod has it, so that the message is that of every other tool.
    const unknown =
      keys.length === 0 ? [] : [{ code: "unrecognized_keys", keys, message: "unknown fields" }];
    const wrong = checks.flatMap(([name, check]) => {
      if (!Object.hasOwn(value, name)) return [];
      const issues = check?.safeParse(value[name], IN_WORDS).error?.issues ?? [];
      return issues.map(({ message, path }) => ({ message, path: [name, ...path] }));
    });
    const issues = [...missing, ...unknown, ...wrong];
    // As it was sent: the service has its own defaults.
    return issues.length === 0 ? { value } : { issues };
  };
  return {
    "~standard": { validate, jsonSchema: { input: () => schema } },
  };
}

/** Null where Zod has no check for a keyword, such as `if`. */
function checkOf(schema: Json): z.ZodType | null {
  try {
    return z.fromJSONSchema(checkable(schema) as never, { registry: z.registry() as never });
  } catch {
    return null;
  }
}

/**
 * Without what would reject values that the document allows: Zod reads patterns as JavaScript without `u` does, and has formats of its own.
 * A pattern may also take long, and the tool's calls share a thread.
 */
function checkable(schema: unknown): Json {
  const { format: _, pattern: __, ...rest } = schema as Json;
  const { patternProperties, additionalProperties, ...others } = rest;
  const isOpen = patternProperties !== undefined || additionalProperties === undefined;
  return withParts(isOpen ? others : { ...others, additionalProperties }, checkable);
}
