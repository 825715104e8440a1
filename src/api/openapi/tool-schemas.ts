import type { FileRule, RawBody, Tool } from "#tools/define-tool.ts";
import { FIELDS_TYPE, FORM_TYPE, OCTETS_TYPE } from "#tools/media-type.ts";
import type { JsonSchema, MediaType, NamedExample } from "./document.ts";
import {
  inCode,
  inputSchema,
  mapValues,
  openToAdditions,
  outputSchema,
  takesFields,
} from "./schemas.ts";

/**
 * The schemas of a tool in the form that suits generators of clients, which differs from the tool's own schemas in two
 * points. A request has no `default`, which would make generated fields required. A response is open to members and
 * values that later releases add.
 */

type Names = { operation: string; quote: string; input: string; result: string };

/**
 * `hash` has the operation `hashText` and the schemas `HashTextInput` and `HashTextResult`. Their names do not end in
 * Request or Response, because generators give such names to types of their own.
 */
export function namesOf({ name, operation = `call${pascalCase(name)}` }: Tool<unknown>): Names {
  const stem = pascalCase(operation);
  const quote = `quote${pascalCase(name)}`;
  return { operation, quote, input: `${stem}Input`, result: `${stem}Result` };
}

const pascalCase = (name: string) =>
  name.replace(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase());

/** The components of a tool. */
export function toolSchemas(tool: Tool<unknown>): Record<string, JsonSchema> {
  const { input, result } = namesOf(tool);
  const { [input]: body, ...parts } = requestSchemas(tool);
  return {
    // Without a body of JSON nothing refers to it.
    ...(tool.file === undefined && { [input]: body as JsonSchema }),
    ...parts,
    ...mapValues(components(result, outputSchema(tool)), openToAdditions),
  };
}

/**
 * A schema with this name, and each that it has within itself (`$defs`), as one that contains itself has. References are from the root of
 * the whole description.
 */
function components(
  name: string,
  { $defs = {}, ...schema }: JsonSchema,
): Record<string, JsonSchema> {
  const nameOf = (id: string) => name + pascalCase(id.replaceAll(/[^A-Za-z0-9]+/g, "-"));
  const pathOf = (reference: string) => {
    const [, id, rest = ""] = /^#\/\$defs\/([^/]+)(.*)$/.exec(reference) ?? [];
    return `#/components/schemas/${id === undefined ? name + reference.slice(1) : nameOf(id) + rest}`;
  };
  const own = Object.entries($defs as Record<string, JsonSchema>);
  const all = {
    [name]: schema,
    ...Object.fromEntries(own.map(([id, each]) => [nameOf(id), each])),
  };
  return mapValues(all, (each) => withReferences(each, pathOf) as JsonSchema);
}

function withReferences(value: unknown, pathOf: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, pathOf));
  if (typeof value !== "object" || value === null) return value;
  const own = mapValues(value as JsonSchema, (each) => withReferences(each, pathOf)) as JsonSchema;
  const { $ref: reference } = own;
  return typeof reference === "string" ? { ...own, $ref: pathOf(reference) } : own;
}

const requestSchemas = (tool: Tool<unknown>) => components(namesOf(tool).input, bodySchema(tool));
const requestSchema = (tool: Tool<unknown>) =>
  requestSchemas(tool)[namesOf(tool).input] as JsonSchema;

/**
 * Importers that fill in a body take one that works: Postman by default the `default` of the whole schema, because it would invent
 * a value for each field otherwise; with another setting, and other importers, the `example`.
 */
function bodySchema(tool: Tool<unknown>): JsonSchema {
  const { properties, ...schema } = inputSchema(tool);
  if (properties === undefined) return schema;
  const example = tool.examples.length > 0 && shortestRequest(tool, schema.required);
  return {
    ...schema,
    properties: mapValues(properties, withoutDefault),
    // Not `examples`, which Postman ignores here.
    ...(example && { example, default: example }),
  };
}

/** The required fields of the first example. */
function shortestRequest({ examples, rawBody }: Tool<unknown>, required: string[] = []): object {
  const names = new Set([...required, rawBody?.field]);
  const fields = Object.entries((examples[0]?.request ?? {}) as object);
  return Object.fromEntries(fields.filter(([name]) => names.has(name)));
}

/** The default as a sentence, as an example, and as `x-default` for programs. */
function withoutDefault({ default: fallback, ...schema }: JsonSchema): JsonSchema {
  if (fallback === undefined) return schema;
  const { description = "" } = schema;
  return {
    ...schema,
    description: `${description} Default: ${inCode(fallback)}.`.trimStart(),
    examples: [fallback],
    "x-default": fallback,
  };
}

/** The fields that a call can have beside a file. */
function besideMainField(tool: Tool<unknown>): Record<string, JsonSchema> {
  const { field, standIns = [] } = tool.rawBody ?? {};
  const fields = Object.entries(requestSchema(tool).properties ?? {});
  return Object.fromEntries(fields.filter(([name]) => name !== field && !standIns.includes(name)));
}

/** The bodies of a tool that are not JSON, by their media type. A verbatim tool has no fields for a form. */
export function otherBodies(tool: Tool<unknown>): Record<string, MediaType> {
  if (tool.verbatim !== undefined) return {};
  if (tool.file !== undefined) return fileBodies(tool, tool.file);
  if (!takesFields(inputSchema(tool))) return {};
  const fields: JsonSchema = { $ref: `#/components/schemas/${namesOf(tool).input}` };
  const { rawBody } = tool;
  const parts = rawBody === undefined ? fields : { oneOf: [fileForm(tool, rawBody), fields] };
  return {
    ...rawBodies(tool),
    [FIELDS_TYPE]: { schema: fields },
    [FORM_TYPE]: { schema: parts },
  };
}

function rawBodies({ rawBody }: Tool<unknown>): Record<string, MediaType> {
  if (rawBody === undefined) return {};
  const { field, types, octets, octetsField } = rawBody;
  return Object.fromEntries(
    types.map((type) => {
      const isBytes = octets || (octetsField !== undefined && type === OCTETS_TYPE);
      const what = octets || !isBytes ? `The \`${field}\`` : `In place of the \`${field}\``;
      const description = `${what}: ${isBytes ? "any bytes" : "a text in UTF-8"}. The other fields are parameters of the query.`;
      const schema: JsonSchema = isBytes
        ? { ...BYTES, description }
        : { type: "string", description };
      return [type, { schema }];
    }),
  );
}

function fileBodies(tool: Tool<unknown>, { types }: FileRule): Record<string, MediaType> {
  const { properties = {}, required = [] } = requestSchema(tool);
  const description = "The file. The other fields are parameters of the query.";
  const raw = types.map((type) => [
    type,
    { schema: { ...BYTES, contentMediaType: type, description } },
  ]);
  const schema: JsonSchema = {
    type: "object",
    description: "A form with the file; its other parts are fields.",
    properties: {
      file: {
        ...BYTES,
        description: `The file, as a part of the type ${types.join(" or ")}. The part may have any name that is not that of a field.`,
      },
      ...properties,
    },
    required: ["file", ...required],
  };
  return { ...Object.fromEntries(raw), [FORM_TYPE]: { schema } };
}

const fileForm = (tool: Tool<unknown>, { field }: RawBody): JsonSchema => ({
  type: "object",
  description: "A form with one file; its other parts are fields.",
  properties: {
    file: {
      ...BYTES,
      description: `The \`${field}\` as a file. The part may have any name.`,
    },
    ...besideMainField(tool),
  },
  required: ["file"],
});

/** `type` and `format` are what OpenAPI 3.0 had for bytes. Without them, generators type a body as anything. */
const BYTES: JsonSchema = {
  type: "string",
  format: "binary",
  contentMediaType: "application/octet-stream",
};

/** The responses of a tool that are not JSON, by their media type. */
export const bareResponses = (tool: Tool<unknown>): Record<string, MediaType> =>
  tool.passThrough === true
    ? { "*/*": { schema: BYTES } }
    : Object.fromEntries(
        (tool.representations ?? []).map(({ type }) => [
          type,
          {
            schema:
              type === "image/png" ? { ...BYTES, contentMediaType: type } : { type: "string" },
          },
        ]),
      );

/** The requests and responses of a tool's examples, under the same names. */
export function toolExamples(
  tool: Tool<unknown>,
): [requests: Record<string, NamedExample>, responses: Record<string, NamedExample>] {
  const named = (member: "request" | "response") =>
    Object.fromEntries(
      tool.examples.map((example) => [
        example.name
          .toLowerCase()
          .replaceAll(/[^a-z0-9]+/g, "-")
          .replaceAll(/^-|-$/g, ""),
        {
          summary: example.name.replace(/^./, (first) => first.toUpperCase()),
          value: example[member],
        },
      ]),
    );
  return [named("request"), named("response")];
}
