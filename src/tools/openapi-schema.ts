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

function followed(document: Json, value: unknown, hops: number): unknown {
  if (!isObject(value) || typeof value["$ref"] !== "string") return value;
  const reference = value["$ref"];
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
  return followed(document, found, hops + 1);
}

const HOPS_MAX = 50;

/** RFC 6901 within a URI fragment. */
const nameIn = (part: string) =>
  decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");

/** What a schema may have before the rest becomes any value: descriptions go into every prompt of an agent. */
const PARTS_MAX = 2_000;

/** `use`: a request has no member that only responses have, and the other way round. */
export function ownSchema(document: Json, schema: unknown, use: "request" | "response"): Json {
  let parts = 0;
  return inline(schema, []);

  function inline(value: unknown, stack: readonly string[]): Json {
    if (value === false) return { not: {} };
    if (!isObject(value)) return {};
    const { $ref: reference } = value;
    if (typeof reference === "string") {
      // Within itself it is any value.
      if (stack.includes(reference)) return {};
      const { description } = value;
      const found = inline(resolve(document, value), [...stack, reference]);
      return typeof description === "string" ? { ...found, description } : found;
    }
    parts += 1;
    if (parts > PARTS_MAX) return {};
    const own: Json = {};
    for (const [keyword, member] of Object.entries(value)) {
      if (LEFT_OUT.has(keyword) || keyword.startsWith("x-")) continue;
      if (OF_SCHEMAS.has(keyword) && isObject(member))
        own[keyword] = Object.fromEntries(
          Object.entries(member).map(([name, each]) => [name, inline(each, stack)]),
        );
      else if (LISTS.has(keyword) && Array.isArray(member))
        own[keyword] = member.map((each) => inline(each, stack));
      else if (SCHEMAS.has(keyword) && typeof member !== "boolean")
        own[keyword] = inline(member, stack);
      else own[keyword] = member;
    }
    return withoutOthers(ofToday(own), use === "request" ? "readOnly" : "writeOnly");
  }
}

const OF_SCHEMAS = new Set(["properties", "patternProperties", "dependentSchemas"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMAS = new Set([
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains"],
  ...["propertyNames", "unevaluatedItems", "unevaluatedProperties"],
]);
/** What says nothing of values, or has a meaning only in its own document. */
const LEFT_OUT = new Set([
  ...["discriminator", "xml", "externalDocs", "$schema", "$id", "id", "$anchor", "$comment"],
  ...["$dynamicRef", "$dynamicAnchor", "$defs", "definitions", "deprecated"],
]);

/** The keywords of OpenAPI 3.0 as those of JSON Schema, and types that are not named by the keywords that imply them. */
function ofToday({ nullable, example, ...schema }: Json): Json {
  if (example !== undefined) schema["examples"] ??= [example];
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[exclusive] !== "boolean") continue;
    if (schema[exclusive] === true) {
      schema[exclusive] = schema[bound];
      delete schema[bound];
    } else delete schema[exclusive];
  }
  if (schema["type"] === undefined && isObject(schema["properties"])) schema["type"] = "object";
  if (schema["type"] === undefined && isObject(schema["items"])) schema["type"] = "array";
  const types = Array.isArray(schema["type"]) ? schema["type"] : null;
  if (types === null && nullable !== true) return schema;
  const { description, default: fallback, examples, type: _, ...rest } = schema;
  const each = types === null ? [schema["type"], "null"] : types;
  const about = { description, default: fallback, examples };
  return {
    ...Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined)),
    anyOf: [...new Set(each)].map((type) =>
      type === "null" ? { type } : { ...rest, ...(type !== undefined && { type }) },
    ),
  };
}

function withoutOthers(schema: Json, others: "readOnly" | "writeOnly"): Json {
  const { properties, required } = schema;
  if (!isObject(properties)) return schema;
  const kept = Object.entries(properties).filter(([, member]) => (member as Json)[others] !== true);
  const names = new Set(kept.map(([name]) => name));
  const left: Json = { ...schema, properties: Object.fromEntries(kept) };
  if (Array.isArray(required))
    left["required"] = required.filter((name) => names.has(name) || !(name in properties));
  return left;
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

/** Null where Zod has no check for a keyword, such as `if`, or a pattern is not one of JavaScript. */
function checkOf(schema: Json): z.ZodType | null {
  try {
    return z.fromJSONSchema(schema as never, { registry: z.registry() as never });
  } catch {
    return null;
  }
}
