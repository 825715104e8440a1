import * as z from "zod/mini";
import type { Tool } from "#tools/define-tool.ts";
import type { JsonSchema, NamedExample } from "./document.ts";

/** The schemas and examples of a tool, for the OpenAPI description, the documentation and the browser form. */

/** What a tool reads, as JSON Schema with the default of each field. */
export function inputSchema(tool: Tool<unknown>): JsonSchema {
  // A verbatim tool gets the text of the body, so its own schema does not describe the allowed values.
  if (tool.verbatim) {
    return { description: "Any JSON value: an object, array, string, number, boolean or null." };
  }
  return { description: `The body of a call to ${tool.name}.`, ...convert(tool.input, "input") };
}

/** What a tool returns, with exactly its fields and values. */
export const outputSchema = (tool: Tool<unknown>): JsonSchema => ({
  description: `The response of ${tool.name}.`,
  ...convert(tool.output, "output"),
});

/** The JSON Schema (2020-12) of what a tool reads or returns. */
export function convert(schema: z.ZodMiniType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: complete });
  return rest as JsonSchema;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** Adds the default and the examples of preprocessed fields, which Zod leaves out, and drops the bounds that it gives every integer. */
const complete: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === "default") jsonSchema.default ??= (def as z.core.$ZodDefaultDef).defaultValue;
  const { default: fallback, examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (fallback !== undefined) jsonSchema.default ??= fallback as typeof jsonSchema.default;
  if (Array.isArray(examples)) jsonSchema.examples ??= examples;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** The requests and responses of a tool's examples, under the same names. */
export function toolExamples(tool: Tool<unknown>): {
  requests: Record<string, NamedExample>;
  responses: Record<string, NamedExample>;
} {
  const requests: Record<string, NamedExample> = {};
  const responses: Record<string, NamedExample> = {};
  for (const { name, request, response } of tool.examples) {
    const summary = name.charAt(0).toUpperCase() + name.slice(1);
    const key = exampleKey(name);
    requests[key] = { summary, value: request };
    responses[key] = { summary, value: response };
  }
  return { requests, responses };
}

const exampleKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
