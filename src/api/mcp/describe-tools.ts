import { counted } from "#counted.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { JsonSchema } from "../openapi/document.ts";
import { convert, convertOutput, mapValues } from "../openapi/schemas.ts";
import type { ResponseKind } from "./tool-result.ts";

/**
 * The tools as `tools/list` describes them. A host puts this text into every prompt, so it has only what a model needs
 * to choose a tool and fill in its arguments: first sentences, types, bounds and defaults. The documentation has the rest.
 */
type ToolDescription = {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  outputSchema?: JsonSchema & { type: "object" };
  annotations: {
    readOnlyHint: boolean;
    openWorldHint: boolean;
    /** Only of tools that change something. */
    destructiveHint?: boolean;
    idempotentHint?: boolean;
  };
};

/**
 * The one argument of a tool whose body is not an object, such as a list, has one of several forms, or may be any JSON value. Arguments are
 * always an object, and the APIs of models refuse every request with a tool whose arguments have one of several forms.
 */
export const BODY_ARGUMENT = "body";

export const hasBodyArgument = ({ verbatim, input }: Tool): boolean =>
  verbatim !== undefined || !takesObjects(convert(input, "input"));

const takesObjects = ({ type = "object", anyOf, oneOf, allOf }: JsonSchema): boolean =>
  (anyOf ?? oneOf ?? allOf) === undefined && [type].flat().includes("object");

export function describeTool(tool: Tool): ToolDescription {
  const { name, title } = tool;
  const description = tool.agents?.description ?? firstSentence(tool.description);
  const output = convertOutput(tool);
  return {
    name,
    title,
    description: `${description} Costs ${tool.priceOf === undefined ? "" : "up to "}${counted(tool.price, "credit")}.${tool.effect === "act" ? ` ${ACTS}` : ""}`,
    inputSchema: inputSchema(tool),
    // Clients require structured content of every result of a tool that has a schema for it.
    ...(responseKindOf(tool) === "object"
      ? { outputSchema: { ...typesOf(output), type: "object" } }
      : {}),
    // A call of a pure tool changes nothing but the balance, and reaches nothing outside of the service.
    annotations: {
      readOnlyHint: tool.effect !== "act",
      openWorldHint: tool.effect !== "none",
      ...(tool.effect === "act" ? { destructiveHint: true, idempotentHint: false } : {}),
    },
  };
}

const ACTS =
  "It changes something, and does so again in each call. If a call ends without a result, find out what it has done before you repeat it.";

/** A picture has its media type beside it. */
export function responseKindOf(tool: Tool): ResponseKind {
  if (tool.passThrough === true) return "passed";
  if (tool.verbatim !== undefined) return "verbatim";
  const { mimeType, output: picture } = convertOutput(tool).properties ?? {};
  return mimeType?.type === "string" && picture?.type === "string" ? "picture" : "object";
}

function inputSchema(tool: Tool): ToolDescription["inputSchema"] {
  if (tool.verbatim) return bodyAlone({ description: "Any JSON value." });
  const converted = convert(tool.input, "input");
  const schema = shorten(converted);
  if (!takesObjects(converted))
    return { ...bodyAlone(asArgument(schema)), required: [BODY_ARGUMENT] };
  for (const [name, description] of Object.entries(tool.agents?.fields ?? {})) {
    const field = schema.properties?.[name];
    if (field !== undefined) field.description = description;
  }
  return { ...schema, type: "object" };
}

const bodyAlone = (body: JsonSchema): ToolDescription["inputSchema"] => ({
  ...{ type: "object", properties: { [BODY_ARGUMENT]: body }, additionalProperties: false },
});

/** References of a schema begin at its root, which is now the argument. */
const asArgument = (schema: JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"#/properties/${BODY_ARGUMENT}`),
  );

/** Drops what a model does not need: second sentences, examples, formats, and lengths, which the descriptions state in bytes. */
function shorten(schema: JsonSchema): JsonSchema {
  const { description, properties, maxLength, format, pattern, examples, ...rest } = schema;
  return {
    ...rest,
    ...(description === undefined ? {} : { description: firstSentence(description) }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, shorten) }),
  };
}

/**
 * Keeps the types alone: responses may get new members and new values of enumerations within v1. After `prefixItems`, `items` is not of all items;
 * many clients check by draft 7, which knows no `prefixItems` and would refuse the first ones.
 */
function typesOf({ type, properties, items, prefixItems, required }: JsonSchema): JsonSchema {
  return {
    ...(type === undefined ? {} : { type }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, typesOf) }),
    ...(items === undefined || prefixItems !== undefined ? {} : { items: typesOf(items) }),
    ...(required === undefined ? {} : { required }),
  };
}

const firstSentence = (text: string) => /^.*?\.(?= [A-Z`]|$)/s.exec(text)?.[0] ?? text;
