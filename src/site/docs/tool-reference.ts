import type { JsonSchema } from "#api/openapi/document.ts";
import { QUOTE_EXAMPLE, sampleCharge } from "#api/openapi/quote.ts";
import { inputSchema, outputSchema, takesFields } from "#api/openapi/schemas.ts";
import { creditsText, priceText, sizeInWords } from "#api/openapi/words.ts";
import { counted } from "#counted.ts";
import type { Tool } from "#tools/define-tool.ts";
import { FIELDS_TYPE, FORM_TYPE, OCTETS_TYPE } from "#tools/media-type.ts";
import { withFullStop } from "#tools/text.ts";
import { requestOf } from "../first-call.ts";
import { layOutJson } from "../json-layout.ts";
import type { PageOptions } from "../page-options.ts";
import {
  bareCurlCode,
  type CallShown,
  curlCode,
  LANGUAGES,
  traitsOf,
  urlOf,
} from "../request-code.ts";
import { fence, formatCount, inlineCode, sentence, table } from "./markdown.ts";

/**
 * The reference of a tool as Markdown: endpoint, price, fields of request and response, and its examples. All of it comes from
 * the tool's definition.
 */
export function toolReference(name: string, options: PageOptions): string {
  const tool = findTool(name, options.tools);
  const callWith = (body: unknown): CallShown => ({
    ...{ url: `${options.publicUrl}/api/v1/${name}`, body },
    ...traitsOf(tool),
  });
  return [
    ...ownDescription(tool),
    fence("http", `POST ${options.publicUrl}/api/v1/${name}`),
    `A successful call costs ${priceText(tool)}.${tool.effect === "act" ? ` ${NEEDS_KEY}` : ""}\n`,
    bareCalls(tool, options.publicUrl),
    ...(tool.priceOf === undefined ? [] : [quoteOf(tool, options)]),
    "## Request\n",
    bodyTypes(tool),
    fieldsOf(inputSchema(tool), "request", tool.fieldBytesMax),
    "## Response\n",
    responseTypes(tool),
    fieldsOf(outputSchema(tool), "response"),
    ...(isOpen(outputSchema(tool)) ? ["The other fields are what the tool returns.\n"] : []),
    "## Examples\n",
    ...(tool.examples.length === 0 ? [samples(callWith(requestOf(tool)))] : []),
    ...tool.examples.flatMap(({ name: title, request, response }, index) => {
      const call = callWith(request);
      return [
        `### ${sentence(capitalized(title))}\n`,
        index === 0 ? samples(call) : fence("sh", curlCode(call)),
        responseOf(response),
      ];
    }),
  ].join("\n");
}

/** What an author says besides the summary, which the page has already. The tools that come with Toolbooth have pages of their own. */
const ownDescription = ({ isOwn, summary, description }: Tool): string[] =>
  isOwn === true && description !== withFullStop(summary) ? [`${description}\n`] : [];

const NEEDS_KEY =
  "It changes something, so each call needs its own `Idempotency-Key`, and never runs twice under it ([safe retries](calls.md#safe-retries)).";

/** How to learn the price of an input. */
function quoteOf(tool: Tool, { publicUrl }: PageOptions): string {
  const [example] = tool.examples;
  const body = example === undefined ? requestOf(tool) : example.request;
  const base = `${publicUrl}/api/v1/${tool.name}/quote`;
  const call =
    tool.file === undefined
      ? { url: base, body }
      : { url: urlOf({ url: base, body, ...traitsOf(tool) }) };
  // The function that knows the price is not here: an own tool runs in its own threads.
  const credits = sampleCharge(tool);
  return [
    "## Price\n",
    `The same request to \`/quote\`${tool.file === undefined ? "" : ", with the file or without it,"} shows the price of a call, and costs nothing ([quotes](credits.md#quotes)):\n`,
    fence("sh", curlCode(call)),
    `For a call that costs ${creditsText(credits)}, the response is:\n`,
    fence("json", layOutJson({ ...QUOTE_EXAMPLE, credits })),
  ].join("\n");
}

/** One line of curl for each type of the response besides JSON. */
const bareCalls = (tool: Tool, publicUrl: string): string =>
  (tool.representations ?? [])
    .map(({ type }) => fence("sh", bareCurlCode(tool, publicUrl, type)))
    .join("\n");

/** How the body may be sent (`calls/body-types.ts`). */
function bodyTypes(tool: Tool): string {
  const { rawBody, verbatim, bodyBytesMax, fieldBytesMax, file } = tool;
  if (file !== undefined) return fileTypes(file);
  const json = `The body is JSON in UTF-8, at most ${sizeInWords(verbatim?.bytesMax ?? bodyBytesMax)}${
    tool.body === "optional" ? ", and may be left out" : ""
  }.`;
  if (verbatim !== undefined) return `${json}\n`;
  if (!takesFields(inputSchema(tool))) return `${json}\n`;
  if (rawBody === undefined) {
    return `${json} Fields can also be a form (${code(FIELDS_TYPE)} or ${code(FORM_TYPE)}) or parameters of the query.\n`;
  }
  const { field, types } = rawBody;
  const bytesMax = fieldBytesMax[field] ?? bodyBytesMax;
  const isBytes = (type: string) =>
    rawBody.octets || (rawBody.octetsField !== undefined && type === OCTETS_TYPE);
  const raw = [true, false].flatMap((bytes) => {
    const ofKind = types.filter((type) => isBytes(type) === bytes).map(code);
    const what = `${bytes ? "Any bytes" : "UTF-8 text"}, in place of \`${field}\`, up to ${sizeInWords(bytesMax)}`;
    return ofKind.length === 0
      ? []
      : [[ofKind.join(", "), `${what}. The other fields are parameters of the query`]];
  });
  return [
    table(
      ["Content-Type", "Body"],
      [
        ["`application/json`, or none", json.replace("The body is ", "").replace(/\.$/, "")],
        ...raw,
        [
          code(FORM_TYPE),
          `A file with ${rawBody.octets ? "these bytes" : "this text"}, or \`${field}\` as text; and the other fields as text`,
        ],
        [code(FIELDS_TYPE), "The fields, percent-encoded; JSON where it begins with `{` or `[`"],
      ],
    ),
    "[Request bodies](calls.md#request-bodies) explains the types and the query.\n",
  ].join("\n");
}

const fileTypes = ({ types, bytesMax }: NonNullable<Tool["file"]>): string =>
  [
    table(
      ["Content-Type", "Body"],
      [
        [
          types.map(code).join(", "),
          `The file, up to ${sizeInWords(bytesMax)}. The other fields are parameters of the query`,
        ],
        [
          code(FORM_TYPE),
          "A form with the file, in a part of one of these types, and the other fields as text",
        ],
      ],
    ),
    "[Files](calls.md#files) explains both.\n",
  ].join("\n");

/** What `Accept` can ask for. */
function responseTypes({ representations }: Tool): string {
  if (representations === undefined) return "";
  const rows = representations.map(({ type, fields }) => {
    const set = Object.entries(fields ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [`\`${name}\` is ${code(value)}`],
    );
    return [code(type), ["The bare result", ...set].join("; ")];
  });
  return [
    table(
      ["Accept", "Response"],
      [["`application/json`, or none", "JSON with these fields"], ...rows],
    ),
    "[Response types](calls.md#response-types) explains the choice.\n",
  ].join("\n");
}

/** Code blocks that follow each other directly are shown as tabs (`render-page.ts`). */
export const samples = (call: CallShown): string =>
  LANGUAGES.map(({ id, write }) => fence(id, write(call))).join("\n");

export function responseOf(value: unknown): string {
  const shown = shorten(value);
  return `${shown.isCut ? "Response (long values shortened):" : "Response:"}\n\n${fence("json", layOutJson(shown.value))}`;
}

function findTool(name: string, tools: readonly Tool[]): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`The docs know no tool "${name}"`);
  return tool;
}

type Kind = "request" | "response";

/** The fields of a schema as a table, and those of the objects within it. A schema without fields is a sentence. */
function fieldsOf(schema: JsonSchema, kind: Kind, bytesMax: Record<string, number> = {}): string {
  if (hasFields(schema))
    return [fieldTable(schema, kind, bytesMax), ...withinFields(schema, kind, [])].join("\n");
  const type = [typeName(schema), ...bounds(schema, undefined)].join("; ");
  const hasType = type !== "object" && (schema.items !== undefined || formsOf(schema).length > 0);
  const own = `${sentence(schema.description ?? "")}${hasType ? ` Its type: ${type}.` : ""}\n`;
  return [own, ...within(schema, kind, [])].join("\n");
}

const hasFields = ({ properties = {} }: JsonSchema): boolean => Object.keys(properties).length > 0;

const formsOf = ({ anyOf = [], oneOf = anyOf }: JsonSchema): JsonSchema[] => oneOf;

const withinFields = ({ properties = {} }: JsonSchema, kind: Kind, path: string[]): string[] =>
  path.length === DEPTH_MAX
    ? []
    : Object.entries(properties).flatMap(([name, field]) => within(field, kind, [...path, name]));

/** Deeper objects are in the OpenAPI description. */
const DEPTH_MAX = 3;

/** Tables of the objects that a value is, has as its items, or may be. `path`: of the value in the body. */
function within(schema: JsonSchema, kind: Kind, path: string[]): string[] {
  const objects = objectsIn(schema);
  if (objects.length === 0) return [];
  const whole = path.length === 0 ? `the ${kind}` : inlineCode(path.join("."));
  const what = schema.items === undefined ? whole : `each item of ${whole}`;
  return [
    `${capitalized(what)} has ${objects.length === 1 ? "these fields" : "one of these forms"}:\n`,
    ...objects.flatMap((each) => [fieldTable(each, kind), ...withinFields(each, kind, path)]),
  ];
}

const objectsIn = (schema: JsonSchema): JsonSchema[] =>
  hasFields(schema)
    ? [schema]
    : schema.items === undefined
      ? formsOf(schema).flatMap(objectsIn)
      : objectsIn(schema.items);

function fieldTable(schema: JsonSchema, kind: Kind, bytesMax: Record<string, number> = {}): string {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const hasDefaults = fields.some(([, field]) => field.default !== undefined);
  const hasDescriptions = fields.some(([, { description = "" }]) => description !== "");
  const rows = fields.map(([name, field]) => [
    `${inlineCode(name)}${presence(kind, required.has(name))}`,
    [typeName(field), ...bounds(field, bytesMax[name])].join("; "),
    ...(hasDefaults ? [field.default === undefined ? "none" : code(field.default)] : []),
    ...(hasDescriptions ? [sentence(field.description ?? "")] : []),
  ]);
  const heads = ["Field", "Type", ...(hasDefaults ? ["Default"] : [])];
  return table(hasDescriptions ? [...heads, "Description"] : heads, rows);
}

/** Whether the schema has named fields and allows others. */
const isOpen = ({ properties, additionalProperties = false }: JsonSchema): boolean =>
  properties !== undefined && additionalProperties !== false;

/** A response requires nothing of its reader, so only fields that may be missing are marked. */
function presence(kind: Kind, isRequired: boolean): string {
  if (kind === "request") return isRequired ? " (required)" : "";
  return isRequired ? "" : " (not always present)";
}

function typeName(schema: JsonSchema): string {
  const { type, items } = schema;
  const forms = formsOf(schema);
  if (forms.length > 0) return [...new Set(forms.map(typeName))].join(" or ");
  if (type === "array") return `array of ${items === undefined ? "any values" : typeName(items)}`;
  if (type === undefined) return "any JSON value";
  return Array.isArray(type) ? type.join(" or ") : type;
}

/** What a value must be besides its type, each bound a phrase. Of a value that may be null, what it must be otherwise. */
function bounds(given: JsonSchema, bytesMax: number | undefined): string[] {
  const [form, ...others] = formsOf(given).filter(({ type }) => type !== "null");
  const schema = form !== undefined && others.length === 0 ? form : given;
  const found: string[] = [];
  const { minimum, maximum, minLength, maxLength, exclusiveMinimum, exclusiveMaximum } = schema;
  if (schema.const !== undefined) found.push(`always ${code(schema.const)}`);
  if (schema.enum !== undefined) found.push(schema.enum.map(code).join(", "));
  if (minimum !== undefined && maximum !== undefined) found.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) found.push(`${minimum} or more`);
  else if (maximum !== undefined) found.push(`up to ${maximum}`);
  if (exclusiveMinimum !== undefined) found.push(`more than ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined) found.push(`less than ${exclusiveMaximum}`);
  if (minLength === 1) found.push("not empty");
  else if (minLength !== undefined && minLength > 1) found.push(`${minLength} characters or more`);
  if (bytesMax !== undefined) found.push(`up to ${formatCount(bytesMax)} bytes`);
  else if (maxLength !== undefined) found.push(`up to ${maxLength} characters`);
  const { minItems = 0, maxItems } = schema as { minItems?: number; maxItems?: number };
  if (maxItems !== undefined) found.push(`${minItems} to ${maxItems} items`);
  else if (minItems > 0) found.push(`${counted(minItems, "item")} or more`);
  const format = schema.format ?? schema.items?.format;
  if (format !== undefined) found.push(FORMAT_NAMES[format] ?? format);
  return found;
}

const FORMAT_NAMES: Record<string, string> = {
  uuid: "UUID",
  "date-time": "date and time",
  uri: "URL",
};

const code = (value: unknown): string =>
  inlineCode(typeof value === "string" ? value : JSON.stringify(value));

const capitalized = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

const VALUE_CHARS_MAX = 120;

/** The same value with long texts cut: the base64 of an image says nothing to a reader. */
export function shorten(value: unknown): { value: unknown; isCut: boolean } {
  let isCut = false;
  const walk = (part: unknown): unknown => {
    if (typeof part === "string" && part.length > VALUE_CHARS_MAX) {
      isCut = true;
      return `${part.slice(0, VALUE_CHARS_MAX).replace(/[\ud800-\udbff]$/, "")}…`;
    }
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, walk(member)]));
  };
  return { value: walk(value), isCut };
}
