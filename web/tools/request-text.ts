import type { Tool } from "#tools/define-tool.ts";
import { BODY_FIELD, type FieldValue, type FieldValues, type ToolField } from "./tool-fields.ts";

/**
 * The request body for the values of a form. Values equal to their default are omitted, because the API fills them in, and so
 * are optional fields that are left empty.
 */
export function requestText(
  tool: Tool<unknown>,
  fields: readonly ToolField[],
  values: FieldValues,
): string {
  if (tool.verbatim !== undefined) return String(values[BODY_FIELD] ?? "");
  return JSON.stringify(sentValues(fields, values));
}

/** The values of a form that a request names. */
export function sentValues(fields: readonly ToolField[], values: FieldValues): FieldValues {
  const sent = fields.flatMap(({ name, required, fallback }): [string, FieldValue][] => {
    const value = values[name];
    const isOmitted = !required && (value === fallback || value === "");
    return isOmitted || value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(sent);
}

/** Stands for the value of a secret field in a command, which the shell would keep in its history. */
export const SECRET_PLACEHOLDER = "YOUR_SECRET";

/** The values without secrets, and whether there was one. */
export function withoutSecrets(
  fields: readonly ToolField[],
  values: FieldValues,
): { values: FieldValues; hasSecret: boolean } {
  const secrets = fields.filter(({ name, kind }) => kind === "secret" && values[name]);
  const hidden = secrets.map(({ name }) => [name, SECRET_PLACEHOLDER]);
  return { values: { ...values, ...Object.fromEntries(hidden) }, hasSecret: secrets.length > 0 };
}
