import type { Tool } from "#tools/define-tool.ts";
import { BODY_FIELD, type FieldValues, type ToolField } from "./tool-fields.ts";

/** The body of the call that a form stands for: what is left at its default is left out, as the API would fill it in. */
export function requestText(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  values: FieldValues,
): string {
  if (tool.verbatim !== undefined) return String(values[BODY_FIELD] ?? "");
  const sent = fields.flatMap(({ name, kind, required, fallback }) => {
    const value = values[name];
    // An emptied number is no number: the API would be sent none.
    const left = !required && (value === fallback || (kind === "number" && value === ""));
    return left || value === undefined ? [] : [[name, value]];
  });
  return JSON.stringify(Object.fromEntries(sent));
}
