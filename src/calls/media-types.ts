import { ApiError } from "#errors.ts";
import type { Representation, Tool } from "#tools/define-tool.ts";

/** Which types a call is sent in and answered in (RFC 9110, sections 8.3 and 12.5.1). */

/**
 * How a body is read. `text` stands for `text/plain`, the default type of `fetch`: it is raw unless it is a JSON object with
 * the tool's main field. `fields` stands for the default type of `curl -d`: fields, unless it begins like JSON. `form` is a
 * form with parts.
 */
export type BodyKind = "json" | "raw" | "text" | "fields" | "form";

/** Null for a type that the tool does not take. */
export function bodyKindOf(
  { rawBody, verbatim }: Tool<unknown>,
  contentType: string | null,
): BodyKind | null {
  // What most clients send: for them a call pays nothing more.
  if (contentType === "application/json") return "json";
  const type = mediaType(contentType);
  if (JSON_TYPE.test(type) || type === "") return "json";
  // A verbatim tool has no fields that a form could fill.
  if (type === FIELDS_TYPE) return verbatim ? "json" : "fields";
  if (type === FORM_TYPE) return verbatim ? null : "form";
  // A tool without raw bodies has no other use for the default type of `fetch`.
  if (type === "text/plain") return rawBody === undefined ? "json" : "text";
  return rawBody?.types.includes(type) ? "raw" : null;
}

/** The two types of forms (URL standard, section 5; RFC 7578). */
export const FIELDS_TYPE = "application/x-www-form-urlencoded";
export const FORM_TYPE = "multipart/form-data";
/** Bytes that are nothing else (RFC 2046, section 4.5.1). */
export const OCTETS_TYPE = "application/octet-stream";

/** The types of bodies that a tool takes, as they are named to clients. */
export const bodyTypesOf = ({ rawBody, verbatim }: Tool<unknown>): string[] => [
  "application/json",
  ...(rawBody?.types ?? []),
  ...(verbatim === undefined ? [FIELDS_TYPE, FORM_TYPE] : []),
];

/** In lowercase and without parameters; empty for no type. Some runtimes drop a header with an empty value. */
export const mediaType = (contentType: string | null): string =>
  (contentType ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";

const JSON_TYPE = /^(?:application|text)\/(?:[^\s/]+\+)?json$/;

export const isJsonType = (contentType: string | null): boolean =>
  JSON_TYPE.test(mediaType(contentType));

/** Whether the type names a character encoding that is not UTF-8 or a part of it. */
export function namesOtherCharset(contentType: string): boolean {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(contentType)?.[1];
  return charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset);
}

/** JSON is null. It is the default and wins ties. */
export type ResponseForm = Representation | null;

/**
 * Chooses the form of the response. `sent` has the fields that the client sent, after the check of the input. Throws an
 * ApiError `not_acceptable` where `Accept` allows neither JSON nor another form that agrees with those fields.
 */
export function chooseForm(
  tool: Tool<unknown>,
  accept: string,
  sent: Record<string, unknown>,
): ResponseForm {
  const ranges = parseAccept(accept);
  const chosen = findForm(tool, ranges, sent);
  if (chosen === undefined) throw notAcceptable(tool, accept, ranges, sent);
  return chosen;
}

/**
 * The fields of the form that `Accept` asks for, where no field that the client sent contradicts it. They are part of the
 * input before its check: a field may be good with one format only.
 */
export const fieldsOfAccept = (
  tool: Tool<unknown>,
  accept: string,
  sent: Record<string, unknown>,
): object | undefined => findForm(tool, parseAccept(accept), sent)?.fields;

const formsOf = (tool: Tool<unknown>) => (tool.representations ?? []) as readonly Representation[];

function findForm(
  tool: Tool<unknown>,
  ranges: readonly Range[],
  sent: Record<string, unknown>,
): ResponseForm | undefined {
  if (ranges.length === 0) return null;
  let chosen: ResponseForm | undefined;
  let best = 0;
  for (const form of [null, ...formsOf(tool)]) {
    const weight = weightOf(form?.type ?? "application/json", ranges);
    if (weight <= best || (form !== null && conflictOf(form, sent) !== undefined)) continue;
    best = weight;
    chosen = form;
  }
  return chosen;
}

function notAcceptable(
  tool: Tool<unknown>,
  accept: string,
  ranges: readonly Range[],
  sent: Record<string, unknown>,
): ApiError {
  const forms = formsOf(tool);
  for (const form of forms) {
    const conflict = conflictOf(form, sent);
    if (conflict === undefined || weightOf(form.type, ranges) === 0) continue;
    return new ApiError(
      "not_acceptable",
      `Accept asks for ${form.type}, but \`${conflict}\` is \`${sent[conflict]}\`. Leave one of them out.`,
    );
  }
  const types = ["application/json", ...forms.map(({ type }) => type)];
  return new ApiError(
    "not_acceptable",
    `${tool.name} cannot respond with "${accept.slice(0, 100)}". It responds with ${types.join(", ")}.`,
  );
}

/** The first field whose value the form contradicts. */
function conflictOf(form: Representation, sent: Record<string, unknown>): string | undefined {
  const fields = form.fields as Record<string, unknown> | undefined;
  if (fields === undefined) return undefined;
  return Object.keys(fields).find((name) => name in sent && sent[name] !== fields[name]);
}

/** `precision` is 2 for a type, 1 for `text/*`, 0 for everything. */
type Range = { name: string; precision: number; weight: number };

/** Ignores what is malformed, and every parameter but the weight. */
function parseAccept(accept: string): Range[] {
  const ranges: Range[] = [];
  for (const part of accept.toLowerCase().split(",").slice(0, RANGES_MAX)) {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim());
    const match = /^(\*\/\*|[^\s/*]+\/(?:\*|[^\s/*]+))$/.exec(range);
    if (match === null) continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    const precision = range === "*/*" ? 0 : range.endsWith("/*") ? 1 : 2;
    ranges.push({
      name: precision === 2 ? range : range.slice(0, -1),
      precision,
      weight: Number.isNaN(weight) ? 1 : weight,
    });
  }
  return ranges;
}

/** Browsers send about ten. */
const RANGES_MAX = 100;

/** The weight of the most precise range that covers a type; 0 where it is not accepted. */
function weightOf(type: string, ranges: readonly Range[]): number {
  let precision = -1;
  let weight = 0;
  for (const range of ranges) {
    const covers =
      range.precision === 0 ||
      (range.precision === 2 ? range.name === type : type.startsWith(range.name));
    if (!covers || range.precision <= precision) continue;
    precision = range.precision;
    weight = range.weight;
  }
  return weight;
}
