import type { JsonSchema } from "#api/openapi/document.ts";
import { inputSchema } from "#api/openapi/schemas.ts";
import type { Tool } from "#tools/define-tool.ts";
import { wordsOf } from "./labels.ts";

/** A field of a tool's form, derived from the tool's schema in the OpenAPI document. */
export type ToolField = {
  name: string;
  /** `text` has several lines or is a file, `line` has one, `secret` is hidden while it is typed. */
  kind: "text" | "line" | "secret" | "color" | "choice" | "number" | "switch";
  label: string;
  help: string;
  placeholder: string;
  /** What a choice is called on the page; a choice without a name is shown as it is. */
  choiceNames: Record<string, string>;
  required: boolean;
  fallback: FieldValue | undefined;
  choices: FieldValue[];
  /** The limit of a text, in UTF-8 bytes. */
  bytesMax: number | undefined;
  range: { min: number; max: number } | undefined;
};

export type FieldValue = string | number | boolean;
export type FieldValues = Record<string, FieldValue>;

/** The name of the only field of a tool that accepts any JSON body. */
export const BODY_FIELD = "body";

export function fieldsOf(tool: Tool<unknown>): ToolField[] {
  if (tool.verbatim !== undefined) return [bodyField(tool, tool.verbatim.bytesMax)];
  const schema = inputSchema(tool);
  const controls = tool.page?.controls ?? {};
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => controls[name] !== "none")
    .map(([name, property]) => ({
      name,
      kind: controls[name] === "color" ? "color" : kindOf(tool, name, property),
      ...shownWords(tool, name, property.description ?? ""),
      // A main field for which the API takes another one too is required here, because the form has only this one.
      required: (schema.required?.includes(name) ?? false) || name === tool.rawBody?.field,
      fallback: property.default as FieldValue | undefined,
      choices: (property.enum ?? []) as FieldValue[],
      bytesMax: tool.fieldBytesMax[name],
      range: rangeOf(property),
    }));
}

function shownWords(tool: Tool<unknown>, name: string, description: string) {
  const { choices: choiceNames, ...words } = wordsOf(tool.name, name, description);
  return { ...words, choiceNames };
}

const bodyField = (tool: Tool<unknown>, bytesMax: number): ToolField => ({
  name: BODY_FIELD,
  kind: "text",
  ...shownWords(tool, BODY_FIELD, "The request body: any JSON value, or nothing."),
  required: false,
  fallback: undefined,
  choices: [],
  bytesMax,
  range: undefined,
});

function kindOf(
  tool: Tool<unknown>,
  name: string,
  { type, enum: choices }: JsonSchema,
): ToolField["kind"] {
  if (choices !== undefined) return "choice";
  if (type === "boolean") return "switch";
  if (type === "integer" || type === "number") return "number";
  if (tool.secretFields?.includes(name)) return "secret";
  return tool.fieldBytesMax[name] === undefined ? "line" : "text";
}

const rangeOf = ({ minimum: min, maximum: max }: JsonSchema): ToolField["range"] =>
  min === undefined || max === undefined ? undefined : { min, max };

/** The default values of a form. */
export const emptyValues = (fields: readonly ToolField[]): FieldValues =>
  Object.fromEntries(fields.map(({ name, fallback }) => [name, fallback ?? ""]));

/** The initial values of a tool's form. */
export function startValues(tool: Tool<unknown>): FieldValues {
  const sample = tool.page?.sample;
  if (sample === undefined) return valuesFor(tool, tool.examples[0]?.request);
  return { ...emptyValues(fieldsOf(tool)), ...sample };
}

/** The values of a form for the request of an example. */
export function valuesFor(tool: Tool<unknown>, request: unknown): FieldValues {
  const fields = fieldsOf(tool);
  if (tool.verbatim !== undefined) return { [BODY_FIELD]: JSON.stringify(request, null, 2) };
  return { ...emptyValues(fields), ...(request as FieldValues) };
}

/** The field that a file fills; undefined for a tool that takes none. */
export const mainFieldOf = (tool: Tool<unknown>): string | undefined =>
  tool.verbatim === undefined ? tool.rawBody?.field : BODY_FIELD;
