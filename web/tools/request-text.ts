import { BODY_FIELD, type FieldValues, isWholeBody, type ToolField } from "./tool-fields.ts";

/**
 * The request body for the values of a form. Values equal to their default are omitted, because the API fills them in, and so
 * are optional fields that are left empty.
 */
export function requestText(fields: readonly ToolField[], values: FieldValues): string {
  if (isWholeBody(fields)) return String(values[BODY_FIELD] ?? "");
  return JSON.stringify(sentValues(fields, values));
}

/** The values of a form that a request names. */
export function sentValues(
  fields: readonly ToolField[],
  values: FieldValues,
): Record<string, unknown> {
  const sent = fields.flatMap(({ name, kind, required, fallback }): [string, unknown][] => {
    const typed = values[name];
    const value = kind === "number" && typeof typed === "string" ? numberIn(typed) : typed;
    const isOmitted = !required && (value === fallback || value === "");
    if (isOmitted || value === undefined) return [];
    return [[name, kind === "json" ? valueOfText(String(value)) : value]];
  });
  return Object.fromEntries(sent);
}

/** The number that was typed; what is none, or too large for one, is sent as the text that it is. */
export function numberIn(text: string): number | string {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : text;
}

/** What a number of JSON looks like, but that it may begin with zeros. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** What is not JSON is sent as the text that it is, and the API says what it must be. */
function valueOfText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
