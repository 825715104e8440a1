import type { JsonSchema } from "#api/openapi/document.ts";
import { inputSchema } from "#api/openapi/schemas.ts";
import type { Tool } from "#tools/define-tool.ts";

/** The call that a service shows first: at its start, on its front page, in its documentation and on its dashboard. */
export type FirstCall = { tool: Tool; request: unknown };

/**
 * The first tool with its first example. Preferably it changes nothing, because people copy and paste the call with its sample data, and
 * needs no file. A service has at least one tool.
 */
export function firstCall(tools: readonly Tool[]): FirstCall {
  const harmless = tools.filter(({ effect }) => effect !== "act");
  const tool = harmless.find(({ file }) => file === undefined) ?? harmless[0] ?? tools[0];
  if (tool === undefined) throw new RangeError("A service needs at least one tool");
  return { tool, request: requestOf(tool) };
}

/** A request that the tool takes: that of its first example, else one made of its schema. Undefined for a call without a body. */
export function requestOf(tool: Tool): unknown {
  const [example] = tool.examples;
  if (example !== undefined) return example.request;
  if (tool.body === "optional") return undefined;
  const schema = inputSchema(tool);
  return sampleOf(schema, (schema as More).$defs);
}

/** A value with the required fields of the schema. Rules that a schema does not state may reject it. */
function sampleOf(schema: JsonSchema, definitions: More["$defs"] = {}): unknown {
  const { [schema.$ref?.slice("#/$defs/".length) ?? ""]: referred, ...others } = definitions;
  // Within itself it is empty.
  if (referred !== undefined) return sampleOf(referred, others);
  const { properties = {}, required = [], minLength = 0, anyOf, oneOf } = schema;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const { additionalProperties = {}, prefixItems = [], items = {}, minItems = 0 } = schema as More;
  const { format, maxLength } = schema;
  const { contentEncoding } = schema as More;
  if (schema.const !== undefined) return schema.const;
  const [known = schema.default] = schema.examples ?? schema.enum ?? [];
  if (known !== undefined) return known;
  const { allOf, ...beside } = schema as More & JsonSchema;
  if (allOf !== undefined) return sampleOfAll([...allOf, beside], definitions);
  const [form] = anyOf ?? oneOf ?? [];
  if (form !== undefined) return sampleOf(form, definitions);
  if (type === "array")
    return Array.from({ length: minItems }, (_, at) =>
      sampleOf(prefixItems[at] ?? items, definitions),
    );
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return sampleNumber(schema);
  if (type === "string" && contentEncoding === "base64") return TEXT_IN_BASE64;
  if (type === "string")
    return FORMATS[format ?? ""] ?? TEXT.padEnd(minLength, "!").slice(0, maxLength);
  return Object.fromEntries(
    // A record requires names that it has no properties for.
    required.map((name) => [name, sampleOf(properties[name] ?? additionalProperties, definitions)]),
  );
}

/** A value that is each of these. */
function sampleOfAll(parts: readonly JsonSchema[], definitions: More["$defs"]): unknown {
  const names = parts.flatMap(({ required = [] }) => required);
  const samples = parts.map((part) => {
    // One part may require what another one describes.
    const required = names.filter((name) => Object.hasOwn(part.properties ?? {}, name));
    return sampleOf({ ...part, required }, definitions);
  });
  const isPlain = (each: unknown) => typeof each !== "object" || Array.isArray(each);
  return (
    samples.find(isPlain) ??
    Object.assign(Object.fromEntries(names.map((name) => [name, {}])), ...samples)
  );
}

function sampleNumber({
  minimum = 1,
  exclusiveMinimum = 0,
  maximum = Number.POSITIVE_INFINITY,
  exclusiveMaximum = Number.POSITIVE_INFINITY,
}: JsonSchema): number {
  const least = Math.max(1, minimum, exclusiveMinimum + 1);
  return Math.min(least, maximum, exclusiveMaximum - 1);
}

const TEXT = "hello world";
const TEXT_IN_BASE64 = "aGVsbG8gd29ybGQ=";

/** By the formats of JSON Schema that Zod writes. */
const FORMATS: Readonly<Record<string, string>> = {
  email: "you@example.com",
  uri: "https://example.com",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00",
  duration: "PT1H",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

/** Keywords whose values `JsonSchema` leaves open. */
type More = {
  $defs?: Record<string, JsonSchema>;
  allOf?: JsonSchema[];
  contentEncoding?: string;
  additionalProperties?: JsonSchema;
  prefixItems?: JsonSchema[];
  items?: JsonSchema;
  minItems?: number;
};
