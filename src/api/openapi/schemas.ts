import * as z from "zod/mini";
import type { Tool } from "#tools/define-tool.ts";
import type { JsonSchema } from "./document.ts";

/** JSON Schema (2020-12) from the Zod schemas that requests and responses have, for the description, the documentation and the browser form. */

/** What a tool reads, with the default of each field. */
export function inputSchema(tool: Tool<unknown>): JsonSchema {
  // A verbatim tool gets the text of the body, so its own schema does not describe the allowed values.
  if (tool.verbatim) {
    return { description: "Any JSON value: an object, array, string, number, boolean or null." };
  }
  return { description: `The body of a call to ${tool.name}.`, ...convert(tool.input, "input") };
}

/** Whether the body may be an object, whose fields may then be sent as a form or in the query. */
export const takesFields = ({ type = "object", anyOf, oneOf = anyOf }: JsonSchema): boolean =>
  oneOf === undefined ? [type].flat().includes("object") : oneOf.some(takesFields);

/** What a tool returns, with exactly its fields and values. */
export const outputSchema = (tool: Tool<unknown>): JsonSchema => ({
  description: `The response of ${tool.name}.`,
  ...convertOutput(tool),
});

/** The JSON Schema of what a tool returns. JSON has no member for undefined, but what a verbatim tool returns is JSON already. */
export const convertOutput = ({ output, verbatim }: Tool<unknown>): JsonSchema =>
  convert(output, "output", verbatim === undefined ? withAbsent : complete);

/** An object that the description names: other schemas refer to it. */
export const component = <Shape extends z.core.$ZodShape>(
  id: string,
  description: string,
  shape: Shape,
) => z.object(shape).register(z.globalRegistry, { id, description });

/** The components of a response: its own, and those that it refers to. */
export function responseComponents(response: z.ZodMiniType): Record<string, JsonSchema> {
  const { $defs } = jsonSchemaOf(response, "output");
  const text = JSON.stringify($defs).replaceAll('"#/$defs/', '"#/components/schemas/');
  return mapValues(JSON.parse(text) as Record<string, JsonSchema>, openToAdditions);
}

/** The schema without what would reject members and values of enumerations that later releases add. */
export function openToAdditions(schema: JsonSchema): JsonSchema {
  const { additionalProperties: _, enum: values, properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(values && extensible(values, schema.description)),
    ...(properties && { properties: mapValues(properties, openToAdditions) }),
    ...(items && { items: openToAdditions(items) }),
  };
}

/** `x-extensible-enum` is Zalando's keyword, which some generators read. */
const extensible = (values: readonly unknown[], description = ""): JsonSchema => ({
  description:
    `${description} One of ${values.map(inCode).join(", ")}; later versions may add others.`.trimStart(),
  "x-extensible-enum": [...values],
});

/** The JSON Schema of what a tool reads or returns. */
export const convert = (
  schema: z.ZodMiniType,
  io: "input" | "output",
  override: Override = complete,
): JsonSchema => jsonSchemaOf(schema, io, WITHOUT_IDS, override);

/** Zod describes a schema with an id by a reference. A tool's has references only to what contains itself. */
const WITHOUT_IDS = {
  get(schema: z.core.$ZodType) {
    const { id: _, ...about } = z.globalRegistry.get(schema) ?? {};
    return about;
  },
} as unknown as typeof z.globalRegistry;

function jsonSchemaOf(
  schema: z.ZodMiniType,
  io: "input" | "output",
  metadata = z.globalRegistry,
  override: Override = complete,
): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, metadata, override });
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

/** Zod requires a member of any value, and takes undefined for it. */
const withAbsent: Override = (given) => {
  complete(given);
  const { zodSchema, jsonSchema } = given;
  const { def } = zodSchema._zod;
  if (def.type !== "object" || jsonSchema.required === undefined) return;
  const { shape } = def as z.core.$ZodObjectDef;
  const required = jsonSchema.required.filter((name) => !mayBeUndefined(shape[name]));
  if (required.length > 0) jsonSchema.required = required;
  else delete jsonSchema.required;
};

function mayBeUndefined(schema: z.core.$ZodType | undefined): boolean {
  try {
    const result = schema && z.safeParse(schema, undefined);
    return result?.success === true && result.data === undefined;
  } catch {
    // A check of the author's fails on undefined, and so does the call.
    return false;
  }
}

export const inCode = (value: unknown): string =>
  `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

export const mapValues = <In, Out>(values: Record<string, In>, map: (value: In) => Out) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
