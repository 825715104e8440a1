import type { JsonSchema } from "#api/openapi/document.ts";
import { inputSchema } from "#api/openapi/schemas.ts";
import type { Tool } from "#tools/define-tool.ts";

/** The call that a service shows first: at its start, on its front page, in its documentation and on its dashboard. */
export type FirstCall = { tool: Tool; request: unknown };

/** The first tool with its first example. A service has at least one tool. */
export function firstCall(tools: readonly Tool[]): FirstCall {
  const [tool] = tools;
  if (tool === undefined) throw new RangeError("A service needs at least one tool");
  return { tool, request: requestOf(tool) };
}

/** A request that the tool takes: that of its first example, else one made of its schema. Undefined for a call without a body. */
export function requestOf(tool: Tool): unknown {
  const [example] = tool.examples;
  if (example !== undefined) return example.request;
  return tool.body === "optional" ? undefined : sampleOf(inputSchema(tool));
}

/** A value with the required fields of the schema. Rules that a schema does not state may reject it. */
function sampleOf(schema: JsonSchema): unknown {
  const { type, properties = {}, required = [], minimum = 1, minLength = 0, anyOf } = schema;
  const { additionalProperties = {}, prefixItems = [], items = {}, minItems = 0 } = schema as More;
  if (schema.const !== undefined) return schema.const;
  const [known = schema.default] = schema.examples ?? schema.enum ?? [];
  if (known !== undefined) return known;
  if (anyOf?.[0] !== undefined) return sampleOf(anyOf[0]);
  if (type === "array")
    return Array.from({ length: minItems }, (_, at) => sampleOf(prefixItems[at] ?? items));
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return Math.max(minimum, 1);
  if (type === "string") return "text".padEnd(minLength, "t");
  return Object.fromEntries(
    // A record requires names that it has no properties for.
    required.map((name) => [name, sampleOf(properties[name] ?? additionalProperties)]),
  );
}

/** Keywords whose values `JsonSchema` leaves open. */
type More = {
  additionalProperties?: JsonSchema;
  prefixItems?: JsonSchema[];
  items?: JsonSchema;
  minItems?: number;
};
