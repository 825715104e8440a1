import type { JsonSchema } from "#api/openapi/document.ts";
import { scrollTable } from "./guide-blocks.ts";
import { type Html, type HtmlPart, html, prose } from "./html.ts";

/** Words for a field that must be there and for one that need not: an answer requires nothing of its reader. */
const PRESENCE = {
  request: [html`<small class="must">required</small>`, html`<small>optional</small>`],
  response: [null, html`<small>not always</small>`],
};

/** The fields of a request or an answer as a table; a schema without fields as a sentence. */
export function schemaTable(
  label: string,
  kind: keyof typeof PRESENCE,
  schema: JsonSchema,
  bytesMax: Record<string, number> = {},
): Html {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return html`<p>${prose(schema.description ?? "")}</p>`;
  const required = new Set(schema.required ?? []);
  // Only requests have defaults; an answer's table needs no empty column for them.
  const hasDefaults = fields.some(([, field]) => field.default !== undefined);
  const rows = fields.map(([name, field]) => [
    html`<code>${name}</code>${PRESENCE[kind][required.has(name) ? 0 : 1]}`,
    [typeName(field), bounds(field, bytesMax[name]).map((bound) => html`<small>${bound}</small>`)],
    ...(hasDefaults ? [field.default === undefined ? "none" : code(field.default)] : []),
    prose(field.description ?? ""),
  ]);
  const head = ["Field", "Type", ...(hasDefaults ? ["Default"] : []), "Description"];
  return scrollTable(label, head, rows, "fields");
}

function typeName({ type, items }: JsonSchema): string {
  if (type === "array") return `array of ${items === undefined ? "any values" : typeName(items)}`;
  if (type === undefined) return "any JSON value";
  return Array.isArray(type) ? type.join(" or ") : type;
}

/** What a value must be besides its type, each bound a phrase. */
function bounds(schema: JsonSchema, bytesMax: number | undefined): HtmlPart[] {
  const found: HtmlPart[] = [];
  const { minimum, maximum, minLength, maxLength } = schema;
  if (schema.const !== undefined) found.push(["always ", code(schema.const)]);
  if (schema.enum !== undefined) found.push(join(schema.enum.map(code)));
  if (minimum !== undefined && maximum !== undefined) found.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) found.push(`${minimum} or more`);
  else if (maximum !== undefined) found.push(`up to ${maximum}`);
  if (minLength !== undefined && minLength > 0) found.push("not empty");
  if (bytesMax !== undefined) found.push(`up to ${bytesMax.toLocaleString("en-US")} bytes`);
  else if (maxLength !== undefined) found.push(`up to ${maxLength} characters`);
  const format = schema.format ?? schema.items?.format;
  if (format !== undefined) found.push(FORMAT_NAMES[format] ?? format);
  return found;
}

const FORMAT_NAMES: Record<string, string> = {
  uuid: "UUID",
  "date-time": "date and time",
  uri: "URL",
};

const code = (value: unknown): Html =>
  html`<code>${typeof value === "string" ? value : JSON.stringify(value)}</code>`;

const join = (parts: Html[]): HtmlPart => parts.map((part, index) => [index > 0 && ", ", part]);
