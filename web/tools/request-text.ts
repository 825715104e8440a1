import type { Tool } from "#tools/define-tool.ts";
import { BODY_FIELD, type FieldValues, type ToolField } from "./tool-fields.ts";

/** The request body for the values of a form. Values equal to their default are omitted, because the API fills them in. */
export function requestText(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  values: FieldValues,
): string {
  if (tool.verbatim !== undefined) return String(values[BODY_FIELD] ?? "");
  const sent = fields.flatMap(({ name, kind, required, fallback }) => {
    const value = values[name];
    // A cleared number field is omitted too.
    const isOmitted = !required && (value === fallback || (kind === "number" && value === ""));
    return isOmitted || value === undefined ? [] : [[name, value]];
  });
  return JSON.stringify(Object.fromEntries(sent));
}
