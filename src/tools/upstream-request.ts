import { UpstreamFault } from "./upstream-fault.ts";

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
  /** Where all others go; `field`: this one is the whole body. */
  others: "query" | "json" | "form" | { field: string };
};

export type UpstreamRequest = { url: string; headers: Headers; body: string | null };

/** Throws an `UpstreamFault` of the kind `unsendable` for a value that a path or a header cannot have. */
export function requestTo(
  { url: template, places, others }: UpstreamOperation,
  input: Readonly<Record<string, unknown>>,
): UpstreamRequest {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  const inBody: [string, unknown][] = [];
  const query = new URLSearchParams();
  const headers = new Headers();
  const cookies: string[] = [];
  let url = template;
  for (const [field, value] of fields) {
    const place = places[field] ?? placeIn(template, field, others);
    if (place === undefined) inBody.push([field, value]);
    else if (place.in === "path")
      url = url.replaceAll(`{${place.name}}`, () => pathText(field, listed(value, place)));
    else if (place.in === "query") addToQuery(query, place, value);
    else if (place.in === "header")
      headers.set(place.name, headerText(field, listed(value, place)));
    else cookies.push(`${place.name}=${encodeURIComponent(listed(value, place))}`);
  }
  const [open] = /\{[^{}]*\}/.exec(url) ?? [];
  if (open !== undefined)
    throw new UpstreamFault("unsendable", `\`${open.slice(1, -1)}\` is required`);
  if (cookies.length > 0) headers.set("Cookie", cookies.join("; "));
  const body = bodyOf(others, inBody);
  if (body !== null) headers.set("Content-Type", body.type);
  const sent = new URL(url);
  for (const [name, value] of query) sent.searchParams.append(name, value);
  return { url: sent.href, headers, body: body?.text ?? null };
}

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
  others: UpstreamOperation["others"],
  fields: readonly [string, unknown][],
): { type: string; text: string } | null {
  if (others === "query") return null;
  if (others === "form") {
    const form = new URLSearchParams();
    for (const [name, value] of fields) addToForm(form, name, value);
    return { type: "application/x-www-form-urlencoded", text: form.toString() };
  }
  if (others === "json")
    return { type: "application/json", text: JSON.stringify(Object.fromEntries(fields)) };
  const whole = fields.find(([name]) => name === others.field);
  return whole === undefined ? null : { type: "application/json", text: JSON.stringify(whole[1]) };
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

/** Parsers of URLs take `..` for the folder above, in any spelling, and an empty part for the list of all. */
function pathText(field: string, text: string): string {
  if (text === "" || text === "." || text === "..")
    throw new UpstreamFault(
      "unsendable",
      `\`${field}\` is a part of a path, so it must not be ${text === "" ? "empty" : `"${text}"`}`,
    );
  return encodeURIComponent(text);
}

function headerText(field: string, text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text))
    throw new UpstreamFault(
      "unsendable",
      `\`${field}\` is sent as a header, so it must have visible ASCII characters only`,
    );
  return text;
}
