import type { Tool } from "#tools/define-tool.ts";
import { BODY_FIELD, type FieldValues, type ToolField } from "./tool-fields.ts";

/**
 * The request body for the values of a form. Values equal to their default are omitted, because the API fills them in,
 * and so are optional fields that are empty.
 */
export function requestText(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  values: FieldValues,
): string {
  if (tool.verbatim !== undefined) return String(values[BODY_FIELD] ?? "");
  const sent = fields.flatMap(({ name, required, fallback }) => {
    const value = values[name];
    const isOmitted = !required && (value === fallback || value === "");
    return isOmitted || value === undefined ? [] : [[name, value]];
  });
  return JSON.stringify(Object.fromEntries(sent));
}
