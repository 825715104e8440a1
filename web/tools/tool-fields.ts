import type { JsonSchema } from "#api/openapi/document.ts";
import { inputSchema } from "#api/openapi/schemas.ts";
import type { Tool } from "#tools/define-tool.ts";
import { wordsOf } from "./labels.ts";

/** A field of a tool's form, derived from the tool's schema in the OpenAPI document. */
export type ToolField = {
  name: string;
  /**
   * `text` has several lines or is a file, `line` has one, `secret` is hidden while it is typed. `json` is written as JSON, such as a
   * list, and `body` is the whole body.
   */
  kind: "text" | "line" | "secret" | "color" | "choice" | "number" | "switch" | "json" | "body";
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

/** The name of the field of kind `body`, the only one of its form. */
export const BODY_FIELD = "body";

export function fieldsOf(tool: Tool<unknown>): ToolField[] {
  const { properties, required = [] } = inputSchema(tool);
  if (properties === undefined) return [bodyField(tool)];
  const controls = tool.page?.controls ?? {};
  return Object.entries(properties)
    .filter(([name]) => controls[name] !== "none")
    .map(([name, property]) => {
      // A main field for which the API takes another one too is required here, because the form has only this one.
      const isRequired = required.includes(name) || name === tool.rawBody?.field;
      const kind = controls[name] === "color" ? "color" : kindOf(tool, name, property, isRequired);
      return {
        ...{ name, kind, required: isRequired },
        ...shownWords(tool, name, property.description ?? ""),
        fallback: property.default === undefined ? undefined : shownIn(kind, property.default),
        choices: (property.enum ?? []) as FieldValue[],
        bytesMax: tool.fieldBytesMax[name],
        range: rangeOf(property),
      };
    });
}

/** The value of a field as its control shows it. */
const shownIn = (kind: ToolField["kind"], value: unknown): FieldValue =>
  kind === "json" ? JSON.stringify(value, null, 2) : (value as FieldValue);

function shownWords(tool: Tool<unknown>, name: string, description: string) {
  const { choices: choiceNames, ...words } = wordsOf(tool, name, description);
  return { ...words, choiceNames };
}

const bodyField = (tool: Tool<unknown>): ToolField => ({
  name: BODY_FIELD,
  kind: "body",
  ...shownWords(tool, BODY_FIELD, "The request body, in JSON."),
  required: false,
  fallback: undefined,
  choices: [],
  bytesMax: tool.verbatim?.bytesMax ?? tool.bodyBytesMax,
  range: undefined,
});

function kindOf(
  tool: Tool<unknown>,
  name: string,
  { type, enum: choices, format, pattern, maxLength = Number.POSITIVE_INFINITY }: JsonSchema,
  isRequired: boolean,
): ToolField["kind"] {
  if (choices !== undefined) return "choice";
  if (type === "boolean") return "switch";
  if (type === "integer" || type === "number") return "number";
  if (tool.secretFields?.includes(name)) return "secret";
  if (type !== "string") return "json";
  if (tool.fieldBytesMax[name] !== undefined) return "text";
  // The main input of an own tool need not say how long it is.
  const isLine = format !== undefined || pattern !== undefined || maxLength <= LINE_CHARS_MAX;
  return isRequired && !isLine ? "text" : "line";
}

/** A longer text does not fit in a control of one line. */
const LINE_CHARS_MAX = 200;

const rangeOf = ({ minimum: min, maximum: max }: JsonSchema): ToolField["range"] =>
  min === undefined || max === undefined ? undefined : { min, max };

/** The default values of a form. */
export const emptyValues = (fields: readonly ToolField[]): FieldValues =>
  Object.fromEntries(
    fields.map(({ name, kind, required, fallback }) => [
      name,
      // A switch shows no third state.
      fallback ?? (kind === "switch" && required ? false : ""),
    ]),
  );

/** The initial values of a tool's form. */
export function startValues(tool: Tool<unknown>): FieldValues {
  const sample = tool.page?.sample;
  if (sample === undefined) return valuesFor(tool, tool.examples[0]?.request);
  return { ...emptyValues(fieldsOf(tool)), ...sample };
}

/** The values of a form for the request of an example. */
export function valuesFor(tool: Tool<unknown>, request: unknown): FieldValues {
  const fields = fieldsOf(tool);
  if (isWholeBody(fields))
    return { [BODY_FIELD]: request === undefined ? "" : JSON.stringify(request, null, 2) };
  const kinds = new Map(fields.map(({ name, kind }) => [name, kind]));
  const values = Object.entries((request ?? {}) as object).map(([name, value]) => [
    name,
    shownIn(kinds.get(name) ?? "line", value),
  ]);
  return { ...emptyValues(fields), ...Object.fromEntries(values) };
}

/** Whether the form has one field for the whole body, because its schema names no fields. */
export const isWholeBody = ([first]: readonly ToolField[]): boolean => first?.kind === "body";

/** The field that a file fills; undefined for a tool that takes none. */
export const mainFieldOf = (
  tool: Tool<unknown>,
  fields: readonly ToolField[],
): string | undefined => (isWholeBody(fields) ? BODY_FIELD : tool.rawBody?.field);
