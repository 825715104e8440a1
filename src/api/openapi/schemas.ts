import * as z from "zod/mini";
import type { Tool } from "#tools/define-tool.ts";
import type { JsonSchema, MediaType, NamedExample, Parameter } from "./document.ts";

/** The schemas and examples of a tool in the OpenAPI description. */

export function toolSchemas(tool: Tool<unknown>): Record<string, JsonSchema> {
  const { request, response: result } = schemaNames(tool);
  return { [request]: requestSchema(tool), [result]: responseSchema(tool) };
}

/** `markdown-render` has `MarkdownRenderRequest`, `MarkdownRenderResponse` and the operation `markdownRender`. */
export function schemaNames(tool: Tool<unknown>): {
  operation: string;
  request: string;
  response: string;
} {
  const operation = tool.name.replace(/-(\w)/g, (_, first: string) => first.toUpperCase());
  const pascal = operation.charAt(0).toUpperCase() + operation.slice(1);
  return { operation, request: `${pascal}Request`, response: `${pascal}Response` };
}

function requestSchema(tool: Tool<unknown>): JsonSchema {
  // A verbatim tool gets the text of the body, so its own schema does not describe the allowed values.
  if (tool.verbatim) {
    return { description: "Any JSON value: an object, array, string, number, boolean or null." };
  }
  return { description: `The body of a call to ${tool.name}.`, ...convert(tool.input, "input") };
}

const responseSchema = (tool: Tool<unknown>): JsonSchema => ({
  description: `The response of ${tool.name}.`,
  ...convert(tool.output, "output"),
});

/** The JSON Schema (2020-12) of what a tool reads or returns. */
export function convert(schema: z.ZodMiniType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: complete });
  return rest as JsonSchema;
}

/** The parameters of the query: every field that may be in a URL. The body may hold them instead, so none is required. */
export function queryParameters(tool: Tool<unknown>): Parameter[] {
  const fields = Object.entries(requestSchema(tool).properties ?? {});
  return fields
    .filter(([name]) => name !== tool.rawBody?.field && !tool.secretFields?.includes(name))
    .map(([name, { description = "", ...schema }]) => ({ name, in: "query", description, schema }));
}

/** The bodies of a tool that are not JSON, by their media type. */
export function rawBodies(tool: Tool<unknown>): Record<string, MediaType> {
  const { rawBody } = tool;
  if (rawBody === undefined) return {};
  const { [rawBody.field]: field, ...others } = requestSchema(tool).properties ?? {};
  const description = `The \`${rawBody.field}\`: ${
    rawBody.octets ? "any bytes" : "a text in UTF-8"
  }. The other fields are parameters of the query.`;
  const schema: JsonSchema = rawBody.octets
    ? { description, contentMediaType: "application/octet-stream" }
    : { type: "string", description };
  return {
    ...Object.fromEntries(rawBody.types.map((type) => [type, { schema }])),
    "multipart/form-data": {
      schema: {
        type: "object",
        description: "A form with one file; its other parts are fields.",
        properties: {
          file: {
            description: `The \`${rawBody.field}\` as a file. The part may have any name.`,
            contentMediaType: "application/octet-stream",
          },
          ...(field !== undefined && { [rawBody.field]: field }),
          ...others,
        },
      },
    },
  };
}

/** The responses of a tool that are not JSON, by their media type. */
export const bareResponses = (tool: Tool<unknown>): Record<string, MediaType> =>
  Object.fromEntries(
    (tool.representations ?? []).map(({ type }) => [
      type,
      {
        schema: type === "image/png" ? { contentMediaType: type } : { type: "string" },
      },
    ]),
  );

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** Adds the default of preprocessed fields, which Zod leaves out, and drops the bounds that it gives every integer. */
const complete: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === "default") jsonSchema.default ??= (def as z.core.$ZodDefaultDef).defaultValue;
  const fallback = z.globalRegistry.get(zodSchema)?.["default"];
  if (fallback !== undefined) jsonSchema.default ??= fallback as typeof jsonSchema.default;
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
