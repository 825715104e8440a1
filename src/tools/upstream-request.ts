import { base64Fault, fromBase64 } from "./base64.ts";
import { FIELDS_TYPE, FORM_TYPE, isJsonType, mediaType } from "./media-type.ts";
import { InvalidInput } from "./run-fault.ts";

/** Makes the request to a service of the fields of a call. */

/** Where a field is in the request, and under which name. `style` and `explode` are those of OpenAPI. */
export type Place = {
  in: "path" | "query" | "header" | "cookie";
  name: string;
  style?: string | undefined;
  explode?: boolean | undefined;
  /** The value is JSON text. */
  isJson?: boolean;
};

export type UpstreamOperation = {
  method: string;
  /** Without a query. `{petId}` is where the field of that name goes; a host has none. */
  url: string;
  /** The fields that have a place of their own. Those in braces of the URL need none. */
  places: Readonly<Record<string, Place>>;
  /** Where all others go. */
  others: "query" | UpstreamBody;
};

export type UpstreamBody = {
  /** The media type: JSON, one of the two forms, a text, or any other, whose bytes are a field in base64. */
  type: string;
  /** This field is the whole body. Left out: the fields are its members. */
  field?: string;
  /** Fields of a form with parts whose values are files in base64, or lists of them. */
  files?: readonly string[];
};

type Body = string | Uint8Array<ArrayBuffer> | FormData;
export type UpstreamRequest = { url: URL; headers: Headers; body: Body | null };

export const namesInBraces = (url: string): string[] =>
  [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string);

/** Throws an `InvalidInput` for a value that a path or a header cannot have. */
export function requestTo(operation: UpstreamOperation, input: unknown = {}): UpstreamRequest {
  const { url: template, places, others } = operation;
  if (!isObject(input)) return requestWith(template, input);
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  const inBody: [string, unknown][] = [];
  const query = new URLSearchParams();
  const headers = new Headers();
  const cookies: string[] = [];
  let url = template;
  for (const [field, value] of fields) {
    const place = Object.hasOwn(places, field)
      ? (places[field] as Place)
      : placeIn(template, field, others);
    if (place === undefined) inBody.push([field, value]);
    else if (place.in === "path")
      url = url.replaceAll(`{${place.name}}`, () => pathText(field, listed(value, place)));
    else if (place.in === "query") addToQuery(query, place, value);
    else if (place.in === "header")
      headers.set(place.name, headerText(field, listed(value, place)));
    else cookies.push(`${place.name}=${encodeURIComponent(listed(value, place))}`);
  }
  const [open] = namesInBraces(url);
  if (open !== undefined) throw unsendable(open, "is required");
  if (cookies.length > 0) headers.set("Cookie", cookies.join("; "));
  const body = others === "query" ? null : bodyOf(others, inBody);
  // `fetch` writes the type of a form with parts, because it has their boundary.
  if (others !== "query" && body !== null && !(body instanceof FormData))
    headers.set("Content-Type", others.type);
  const sent = new URL(url);
  for (const [name, value] of query) sent.searchParams.append(name, value);
  return { url: sent, headers, body };
}

/** An input that is no object has no fields, so it is the body. */
const requestWith = (url: string, input: unknown): UpstreamRequest => ({
  url: new URL(url),
  headers: new Headers({ "Content-Type": "application/json" }),
  body: JSON.stringify(input),
});

const placeIn = (
  template: string,
  field: string,
  others: UpstreamOperation["others"],
): Place | undefined =>
  template.includes(`{${field}}`)
    ? { in: "path", name: field }
    : others === "query"
      ? { in: "query", name: field }
      : undefined;

function bodyOf(
  { type: given, field, files = [] }: UpstreamBody,
  fields: readonly [string, unknown][],
): Body | null {
  const value =
    field === undefined ? Object.fromEntries(fields) : fields.find(([name]) => name === field)?.[1];
  if (value === undefined) return null;
  const type = mediaType(given);
  if (isJsonType(type)) return JSON.stringify(value);
  if (type === FIELDS_TYPE) {
    const form = new URLSearchParams();
    for (const [name, each] of Object.entries(Object(value))) addToForm(form, name, each);
    return form.toString();
  }
  if (type === FORM_TYPE) {
    const form = new FormData();
    for (const [name, each] of Object.entries(Object(value)))
      for (const part of [each].flat()) addPart(form, name, part, files.includes(name));
    return form;
  }
  return isTextType(type) ? textOf(value) : bytesIn(field ?? "", value);
}

/** Whether a body of the type is sent as the text that the field has. */
export const isTextType = (type: string): boolean => /^text\/|[/+](?:xml|yaml)$/.test(type);

function addPart(form: FormData, name: string, value: unknown, isFile: boolean): void {
  // Services take a part for a file if it has the name of one.
  if (isFile) form.append(name, new Blob([bytesIn(name, value)]), name);
  else if (isObject(value))
    form.append(name, new Blob([JSON.stringify(value)], { type: "application/json" }));
  else form.append(name, String(value));
}

function bytesIn(field: string, value: unknown): Uint8Array<ArrayBuffer> {
  const text = textOf(value);
  const fault = base64Fault(text);
  if (fault !== undefined) throw unsendable(field, fault);
  return fromBase64(text);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

/** The style `simple`, which paths and headers have: `a,b`, and `name,a` or `name=a` for an object. */
function listed(value: unknown, { explode = false, isJson = false }: Place): string {
  if (isJson) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (!isObject(value)) return textOf(value);
  const pairs = Object.entries(value).map(([name, each]) => [name, textOf(each)]);
  return pairs.map((pair) => pair.join(explode ? "=" : ",")).join(",");
}

/** The styles of a query; by default `form`, exploded: `ids=1&ids=2`. */
function addToQuery(query: URLSearchParams, place: Place, value: unknown): void {
  const { name, style = "form", explode = style === "form", isJson = false } = place;
  if (isJson) query.append(name, JSON.stringify(value));
  else if (isObject(value) && style === "deepObject")
    for (const [member, each] of Object.entries(value))
      query.append(`${name}[${member}]`, textOf(each));
  else if (isObject(value) && explode)
    for (const [member, each] of Object.entries(value)) query.append(member, textOf(each));
  else if (Array.isArray(value) && explode)
    for (const each of value) query.append(name, textOf(each));
  else if (Array.isArray(value))
    query.append(name, value.map(textOf).join(SEPARATORS[style] ?? ","));
  else query.append(name, listed(value, place));
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: " ", pipeDelimited: "|" };

/** As most services read nested forms: `address[city]=Oslo&tags[0]=a`. */
function addToForm(form: URLSearchParams, name: string, value: unknown): void {
  if (typeof value !== "object" || value === null) form.append(name, textOf(value));
  else
    for (const [member, each] of Object.entries(value)) addToForm(form, `${name}[${member}]`, each);
}

const unsendable = (field: string, detail: string) =>
  new InvalidInput(`\`${field}\` ${detail}.`, field);

/** Parsers of URLs take `..` for the folder above, in any spelling, and an empty part for the list of all. */
function pathText(field: string, text: string): string {
  if (text === "" || text === "." || text === "..")
    throw unsendable(
      field,
      `is a part of a path, so it must not be ${text === "" ? "empty" : `"${text}"`}`,
    );
  return encodeURIComponent(text);
}

function headerText(field: string, text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text))
    throw unsendable(field, "is sent as a header, so it must have visible ASCII characters only");
  return text;
}
