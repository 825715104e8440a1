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
  /** How fields of a form without parts are written. */
  encoding?: Readonly<Record<string, Pick<Place, "style" | "explode">>>;
  /** Without a field there is no body. */
  isOptional?: boolean;
};

type Body = string | Uint8Array<ArrayBuffer> | FormData;
/** A name, and the text that has it with a value. */
export type QueryPair = readonly [name: string, text: string];
export type UpstreamRequest = {
  url: URL;
  query: readonly QueryPair[];
  headers: Headers;
  body: Body | null;
};

export const namesInBraces = (url: string): string[] =>
  [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string);

/** Throws an `InvalidInput` for a value that cannot be sent where it belongs. */
export function requestTo(operation: UpstreamOperation, input: unknown = {}): UpstreamRequest {
  const { url: template, places, others } = operation;
  if (!isObject(input) && others !== "query" && namesInBraces(template).length === 0)
    return requestWith(template, input);
  const fields = fieldsIn(input);
  const inBody: [string, unknown][] = [];
  const query: QueryPair[] = [];
  const headers = new Headers();
  const cookies: string[] = [];
  let url = template;
  for (const [field, value] of fields) {
    const place = Object.hasOwn(places, field)
      ? (places[field] as Place)
      : placeIn(template, field, others);
    if (place === undefined) inBody.push([field, value]);
    // Only JSON has it.
    else if (value === null && place.isJson !== true) continue;
    else if (place.in === "path")
      url = url.replaceAll(`{${place.name}}`, () => pathText(field, listed(value, place, encoded)));
    else if (place.in === "query") addToQuery(query, place, value);
    else if (place.in === "header")
      headers.set(place.name, headerText(field, listed(value, place, String)));
    else cookies.push(`${place.name}=${encoded(listed(value, place, String))}`);
  }
  const [open] = namesInBraces(url);
  if (open !== undefined) throw unsendable(open, "is required");
  if (cookies.length > 0) headers.set("Cookie", cookies.join("; "));
  const body = others === "query" ? null : bodyOf(others, inBody);
  // `fetch` writes the type of a form with parts, because it has their boundary.
  if (others !== "query" && body !== null && !(body instanceof FormData))
    headers.set("Content-Type", others.type);
  return { url: new URL(url), query, headers, body };
}

export const queryText = (pairs: readonly QueryPair[]): string =>
  pairs.map(([, text]) => text).join("&");

export const queryPair = (name: string, value: unknown): QueryPair => [
  name,
  `${encoded(name)}=${encoded(textOf(value))}`,
];

/** With `%20` for a space, which services read everywhere, and `%2C` for a comma that does not separate values. */
const encoded = (text: string): string => encodeURIComponent(wellFormed(text));

/** Null has no fields. Throws an `InvalidInput` for what else is no object. */
function fieldsIn(input: unknown): [name: string, value: unknown][] {
  if (input !== null && !isObject(input)) throw new InvalidInput("The body must be a JSON object.");
  return Object.entries(input ?? {}).filter(([, value]) => value !== undefined);
}

/** An input that is no object has no fields, so it is the body. */
const requestWith = (url: string, input: unknown): UpstreamRequest => ({
  url: new URL(url),
  query: [],
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
  { type: given, field, files = [], encoding = {}, isOptional = false }: UpstreamBody,
  fields: readonly [string, unknown][],
): Body | null {
  if (isOptional && fields.length === 0) return null;
  const value =
    field === undefined ? Object.fromEntries(fields) : fields.find(([name]) => name === field)?.[1];
  if (value === undefined) return null;
  const type = mediaType(given);
  if (isJsonType(type)) return JSON.stringify(value);
  if (type === FIELDS_TYPE) {
    const form: QueryPair[] = [];
    for (const [name, each] of Object.entries(Object(value)))
      addToQuery(form, { in: "query", name, ...formStyle(each, Object(encoding[name])) }, each);
    return queryText(form);
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

/** By default lists as in a query, and what is nested as most services read it. */
const formStyle = (value: unknown, { style, explode }: Pick<Place, "style" | "explode">) => ({
  style: style ?? ([value].flat().some(isObject) ? "deepObject" : "form"),
  explode,
});

function addPart(form: FormData, name: string, value: unknown, isFile: boolean): void {
  if (value === null) return;
  // Services take a part for a file if it has the name of one.
  if (isFile) form.append(name, new Blob([bytesIn(name, value)]), name);
  else if (isObject(value))
    form.append(name, new Blob([JSON.stringify(value)], { type: "application/json" }));
  else form.append(name, textOf(value));
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
  wellFormed(typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));

/** Throws an `InvalidInput` for half of a surrogate pair. Only JSON has an escape for it. */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw new InvalidInput("A text has half of a surrogate pair, which has no UTF-8 form.");
}

/** The style `simple`, which paths and headers have: `a,b`, and `name,a` or `name=a` for an object. */
function listed(
  value: unknown,
  { explode = false, isJson = false }: Place,
  encode: (text: string) => string,
  separator = ",",
): string {
  if (isJson) return encode(JSON.stringify(value));
  const each = (one: unknown) => encode(textOf(one));
  if (typeof value !== "object" || value === null) return each(value);
  const members = membersOf(value).map((pair) =>
    Array.isArray(value) ? each(pair[1]) : pair.map(each).join(explode ? "=" : separator),
  );
  return members.join(separator);
}

/** The items of a list or the members of an object, without null: only JSON has it. */
const membersOf = (value: object): [name: string, value: unknown][] =>
  Object.entries(value).filter(([, each]) => each !== null);

/** The styles of a query; by default `form`, exploded: `ids=1&ids=2`. */
function addToQuery(query: QueryPair[], place: Place, value: unknown): void {
  const { name, style = "form", explode = style === "form", isJson = false } = place;
  if (value === null && !isJson) return;
  if (style === "deepObject" && !isJson) addNested(query, name, value);
  else if (explode && !isJson && typeof value === "object")
    for (const [member, each] of membersOf(value as object))
      query.push(queryPair(Array.isArray(value) ? name : member, each));
  else query.push([name, `${encoded(name)}=${listed(value, place, encoded, SEPARATORS[style])}`]);
}

const SEPARATORS: Readonly<Record<string, string>> = {
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
};

/** `address[city]=Oslo&tags[0]=a`. */
function addNested(query: QueryPair[], name: string, value: unknown): void {
  if (typeof value !== "object" || value === null) query.push(queryPair(name, value));
  else for (const [member, each] of membersOf(value)) addNested(query, `${name}[${member}]`, each);
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
  return text;
}

function headerText(field: string, text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text))
    throw unsendable(field, "is sent as a header, so it must have visible ASCII characters only");
  return text;
}
