import { toBase64 } from "./base64.ts";
import type { ToolDefinition } from "./define-tool.ts";
import { type ForwardOptions, forwardTo, type UpstreamValues } from "./forward.ts";
import { describedBy } from "./input-schema.ts";
import { FIELDS_TYPE, FORM_TYPE, isJsonType, mediaType } from "./media-type.ts";
import { nearestName } from "./nearest-name.ts";
import { inputOfFields, isObject, type Json, ownSchema, resolve } from "./openapi-schema.ts";
import { nameFault } from "./own-tool.ts";
import { encodeUtf8 } from "./text.ts";
import {
  isTextType,
  namesInBraces,
  type Place,
  type UpstreamBody,
  type UpstreamOperation,
} from "./upstream-request.ts";

/** Makes tools of the operations of an OpenAPI document (3.0 or 3.1): each is a tool of `forward`. */

export type OpenApiOptions = {
  /** Credits for a call, by `"POST /pets"` or by the operation's id. What has no price is no tool. */
  prices: Readonly<Record<string, number>>;
  /** Where the service is, in place of the document's `servers`. */
  url?: string;
  /**
   * For a security scheme of the document, the setting that has its value: the key or token, or `user:password` for HTTP Basic. The
   * settings need not be in `secrets`.
   */
  security?: Readonly<Record<string, string>>;
  /** `"read"` or `"act"`, by what `prices` has too. Default: `"read"` for GET. */
  effects?: Readonly<Record<string, "read" | "act">>;
  /** Headers of every request. With them no security scheme of the document is asked for. */
  headers?: UpstreamValues;
} & Pick<ForwardOptions, "secrets" | "timeLimitMs" | "bodyBytesMax" | "responseBytesMax">;

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Where an operation is in its document. */
type Found = { method: string; path: string; item: Json; operation: Json };

/** Returns the tools by their names. Throws a TypeError with a line for each operation that cannot be a tool, and why. */
export function toolsOf(
  document: unknown,
  options: OpenApiOptions,
): Record<string, ToolDefinition> {
  const found = operationsIn(document);
  const { prices = {}, effects = {} } = options;
  const faults = [...Object.keys(prices), ...Object.keys(effects)].flatMap((name) => {
    if (found.some((each) => namesOf(each).includes(name))) return [];
    const nearest = nearestName(name, found.flatMap(namesOf));
    return `The document has no operation ${name}${nearest === undefined ? "." : `; did you mean ${nearest}?`}`;
  });
  const tools: Record<string, ToolDefinition> = {};
  for (const each of found) {
    const price = ofOperation(prices, each);
    if (price === undefined) continue;
    try {
      const name = [toolNameOf(each), kebab(titleOf(each))].find(
        (one) => !Object.hasOwn(tools, one),
      );
      if (name === undefined)
        throw new TypeError(
          `would have the name of another one, ${kebab(titleOf(each))}; give it an operationId of its own`,
        );
      tools[name] = toolOf(document as Json, each, price, options);
    } catch (error) {
      faults.push(
        `${titleOf(each)} cannot be a tool: it ${(error as Error).message.replace(/\.$/, "")}.`,
      );
    }
  }
  if (faults.length > 0) throw new TypeError(faults.join("\n"));
  if (Object.keys(tools).length === 0)
    throw new TypeError(
      '`prices` must have a price for an operation, such as { "POST /pets": 3 }.',
    );
  return tools;
}

function operationsIn(document: unknown): Found[] {
  if (!isObject(document)) throw new TypeError("The document must be a JSON object.");
  const { openapi, swagger, paths } = document;
  if (typeof openapi !== "string" || !/^3\.[01]\./.test(openapi))
    throw new TypeError(
      `The document must be OpenAPI 3.0 or 3.1; this one is ${swagger === undefined ? `OpenAPI ${openapi}` : `Swagger ${swagger}, which converters turn into OpenAPI`}.`,
    );
  return Object.entries((paths ?? {}) as Json).flatMap(([path, value]) => {
    const item = resolve(document, value);
    return METHODS.filter((method) => isObject(item[method])).map((method) => ({
      ...{ method: method.toUpperCase(), path, item },
      operation: item[method] as Json,
    }));
  });
}

const titleOf = ({ method, path }: Found) => `${method} ${path}`;
const namesOf = (each: Found) => [
  titleOf(each),
  ...[each.operation["operationId"] ?? []].flat().map(String),
];
const ofOperation = <Value>(values: Readonly<Record<string, Value>>, each: Found) =>
  namesOf(each)
    .map((name) => (Object.hasOwn(values, name) ? values[name] : undefined))
    .find((value) => value !== undefined);

/** `createPet` is `create-pet`, and `GET /pets/{petId}` is `get-pets-pet-id`. */
const kebab = (text: string): string =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

function toolNameOf(each: Found): string {
  const named = kebab(String(each.operation["operationId"] ?? ""));
  return named === "" || nameFault(named) !== undefined ? kebab(titleOf(each)) : named;
}

function toolOf(
  document: Json,
  each: Found,
  price: number,
  options: OpenApiOptions,
): ToolDefinition {
  const { security: _, url: __, prices: ___, effects = {}, ...others } = options;
  const { operation, method } = each;
  const credentials = credentialsOf(document, each, options);
  const { fields, required, places, body } = fieldsOf(document, each, credentials.parts);
  if (/[?#]/.test(each.path)) throw new TypeError("has a query or a fragment in its path");
  const url = serverOf(document, each, options.url) + each.path;
  const known = namesInBraces(each.path);
  const missing = namesInBraces(url).find((name) => !known.includes(name));
  if (missing !== undefined)
    throw new TypeError(
      `has {${missing}} in its server, which has no default; set the URL with \`url\``,
    );
  const { headers, query, secrets } = credentials;
  const output = outputOf(document, operation);
  const summary = [operation["summary"], operation["description"], titleOf(each)].find(
    (text): text is string => typeof text === "string" && text.trim() !== "",
  ) as string;
  const { description } = operation;
  const request: UpstreamOperation = { method, url, places, others: body ?? "query" };
  const effect: unknown = ofOperation(effects, each);
  if (effect !== undefined && effect !== "read" && effect !== "act")
    throw new TypeError(
      `has the effect ${JSON.stringify(effect)}; \`effects\` has "read" or "act"`,
    );
  return forwardTo(request, {
    ...others,
    ...{ summary: summary.trim().split("\n")[0] as string, price, headers, query, secrets },
    ...(typeof description === "string" && description.trim() !== "" && { description }),
    ...(effect !== undefined && { effect }),
    input: inputOfFields(fields, required),
    body: required.length === 0 ? "optional" : "required",
    ...(output !== null && { output: describedBy(output) }),
  } as ForwardOptions);
}

/** The base of all paths, without a slash at its end. */
function serverOf(document: Json, { item, operation }: Found, given: string | undefined): string {
  const servers = [operation["servers"], item["servers"], document["servers"]].find(
    (list): list is Json[] => Array.isArray(list) && list.length > 0,
  );
  const [server] = servers ?? [];
  const variables = (server?.["variables"] ?? {}) as Record<string, { default?: unknown }>;
  const url =
    given ??
    String(server?.["url"] ?? "").replaceAll(/\{([^{}]+)\}/g, (whole, name: string) =>
      String(variables[name]?.default ?? whole),
    );
  if (!/^https?:\/\//.test(url))
    throw new TypeError(
      `has no server with an absolute URL (${url === "" ? "there is none" : url}); set it with \`url\``,
    );
  return url.replace(/\/+$/, "");
}

type Fields = {
  fields: Record<string, Json>;
  required: string[];
  places: Record<string, Place>;
  /** Null: the operation has no body. */
  body: UpstreamBody | null;
};

/** OpenAPI ignores parameters of the first three; the others are ours, or those of the connection. */
const OTHER_HEADERS = [
  ...["accept", "content-type", "authorization", "idempotency-key", "accept-encoding", "host"],
  ...["content-length", "transfer-encoding", "connection", "expect"],
];

/** `credentials`: what no client sends. */
function fieldsOf(
  document: Json,
  { path, item, operation }: Found,
  credentials: readonly Part[],
): Fields {
  const found: Fields = { fields: {}, required: [], places: {}, body: null };
  const isCredential = ({ in: where, name }: Json) =>
    credentials.some((part) => part.in === where && sameName(part, name));
  const parameters = new Map<string, Json>();
  for (const list of [item["parameters"], operation["parameters"]])
    for (const each of Array.isArray(list) ? list : []) {
      const parameter = resolve(document, each);
      parameters.set(`${parameter["in"]} ${parameter["name"]}`, parameter);
    }
  // Many documents have a part of a path without its parameter.
  for (const name of namesInBraces(path))
    if (!parameters.has(`path ${name}`))
      parameters.set(`path ${name}`, { name, in: "path", schema: { type: "string" } });
  for (const parameter of parameters.values())
    if (!isCredential(parameter)) addParameter(document, parameter, found);
  addBody(document, operation["requestBody"], found);
  return found;
}

function addParameter(document: Json, parameter: Json, { fields, required, places }: Fields): void {
  const { name, in: where, style, explode, schema, content, description } = parameter;
  if (typeof name !== "string") throw new TypeError("has a parameter without a name");
  if (where !== "path" && where !== "query" && where !== "header" && where !== "cookie")
    throw new TypeError(`has the parameter ${name} in "${where}"`);
  if (where === "header" && OTHER_HEADERS.includes(name.toLowerCase())) return;
  if (where === "path" && style !== undefined && style !== "simple")
    throw new TypeError(
      `has the parameter ${name} in the style "${style}", and a path is only sent in the style "simple"`,
    );
  const [media] = isObject(content) ? Object.values(content) : [];
  const own = ownSchema(
    document,
    media === undefined ? schema : (media as Json)["schema"],
    "request",
  );
  // Parameters of different places may have one name.
  const field = freeName(fields, plainName(name) || where, where);
  fields[field] = typeof description === "string" ? { ...own, description } : own;
  places[field] = {
    ...{ in: where, name, isJson: media !== undefined },
    style: typeof style === "string" ? style : undefined,
    explode: typeof explode === "boolean" ? explode : undefined,
  };
  if (parameter["required"] === true || where === "path") required.push(field);
}

/** Names of headers are the same in any case. */
const sameName = (part: Part, name: unknown): boolean =>
  part.in === "header"
    ? part.name.toLowerCase() === String(name).toLowerCase()
    : part.name === name;

/** Hosts of agents reject all tools because of one whose fields have other names. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;
const plainName = (name: string): string =>
  PLAIN_NAME.test(name)
    ? name
    : name
        .replaceAll(/[^\w.-]+/g, "_")
        .replaceAll(/^_+|_+$/g, "")
        .slice(0, 64);

const freeName = (fields: Json, name: string, prefix: string): string =>
  Object.hasOwn(fields, name) ? freeName(fields, `${prefix}_${name}`, prefix) : name;

function addBody(document: Json, given: unknown, found: Fields): void {
  if (given === undefined) return;
  const { content, required: isRequired } = resolve(document, given);
  const types = Object.keys((content ?? {}) as Json);
  const find = (wanted: string) => types.find((each) => mediaType(each) === wanted);
  const type =
    types.find(isJsonType) ??
    find(FIELDS_TYPE) ??
    find("*/*") ??
    find(FORM_TYPE) ??
    types.find(isTextType) ??
    types[0];
  if (type === undefined) {
    if (isRequired !== true) return;
    throw new TypeError("takes a body, and the document does not say of which type");
  }
  // A range of types stands for JSON.
  const sent = type.includes("*") ? "application/json" : type;
  const media = ((content as Json)[type] ?? {}) as Json;
  const schema = ownSchema(document, media["schema"], "request");
  const { properties, required = [], additionalProperties = false } = schema;
  const hasParts = mediaType(sent) === FORM_TYPE;
  const isFlat =
    isObject(properties) &&
    (isFormType(sent) || (isJsonType(sent) && additionalProperties === false)) &&
    !["allOf", "anyOf", "oneOf"].some((keyword) => keyword in schema) &&
    ![...Object.keys(properties), ...(required as string[])].some(
      (name) => Object.hasOwn(found.fields, name) || !PLAIN_NAME.test(name),
    );
  if (isFlat) {
    const files = hasParts ? filesIn(properties) : {};
    const undescribed = (required as string[]).map((name) => [name, {}] as const);
    Object.assign(found.fields, Object.fromEntries(undescribed), properties, files);
    if (isRequired === true) found.required.push(...(required as string[]));
    const encoding = (media["encoding"] ?? {}) as NonNullable<UpstreamBody["encoding"]>;
    found.body = {
      ...{ type: sent, files: Object.keys(files), encoding, isOptional: isRequired !== true },
    };
    return;
  }
  const field = freeName(found.fields, "body", "request");
  found.fields[field] = { description: "The body of the request.", ...bodySchema(sent, schema) };
  if (isRequired === true) found.required.push(field);
  found.body = { type: sent, field };
}

const isFormType = (type: string) => [FIELDS_TYPE, FORM_TYPE].includes(mediaType(type));

/** The fields that are files, with their schemas as a client sends them. */
function filesIn(properties: Json): Json {
  const isFile = (schema: unknown) =>
    isObject(schema) && (schema["format"] === "binary" || isContent(schema));
  const isContent = (schema: Json) =>
    typeof schema["contentMediaType"] === "string" && schema["contentEncoding"] === undefined;
  return Object.fromEntries(
    Object.entries(properties as Record<string, Json>).flatMap(([name, schema]) => {
      if (isFile(schema)) return [[name, inBase64(schema)]];
      const { items } = schema;
      return isFile(items) ? [[name, { ...schema, items: inBase64(items as Json) }]] : [];
    }),
  );
}

const inBase64 = ({ description }: Json): Json => ({
  type: "string",
  contentEncoding: "base64",
  description: `${typeof description === "string" ? `${description} ` : ""}(base64)`,
});

/** What a client sends of a body that is one field. */
function bodySchema(type: string, schema: Json): Json {
  if (isJsonType(type) || isFormType(type)) return schema;
  const { description } = schema;
  return isTextType(type)
    ? { type: "string", ...(typeof description === "string" && { description }) }
    : inBase64({ description: description ?? `The body of the request, ${type}.` });
}

/** The schema of the JSON with which the operation responds; null if it responds with something else too. */
function outputOf(document: Json, operation: Json): Json | null {
  const responses = Object.entries((operation["responses"] ?? {}) as Json);
  const [success, other] = responses.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status));
  // Such as one with nothing beside one with JSON.
  if (other !== undefined) return null;
  const content = Object.entries((resolve(document, success?.[1])["content"] ?? {}) as Json);
  const [first] = content;
  if (first === undefined || !content.every(([type]) => isJsonType(type))) return null;
  return ownSchema(document, (first[1] as Json)["schema"], "response");
}

type Credentials = {
  parts: readonly Part[];
  headers: UpstreamValues;
  query: UpstreamValues;
  secrets: readonly string[];
};

/** The headers and parameters of the query with which the service knows the operator. */
function credentialsOf(
  document: Json,
  { operation }: Found,
  { headers, secrets = [], security = {} }: OpenApiOptions,
): Credentials {
  const required = operation["security"] ?? document["security"] ?? [];
  const alternatives = (Array.isArray(required) ? required : []).map((each) =>
    Object.keys(each as Json),
  );
  const isKnown = (scheme: string) => Object.hasOwn(security, scheme);
  const known = alternatives.filter((schemes) => schemes.every(isKnown));
  // Where the service can do without, it still gets what there is.
  const chosen = known.find((schemes) => schemes.length > 0) ?? known[0];
  if (headers !== undefined || alternatives.length === 0 || chosen?.length === 0)
    return { parts: [], headers: headers ?? {}, query: {}, secrets };
  if (chosen === undefined) {
    const [schemes = []] = alternatives;
    throw new TypeError(
      `needs ${schemes.join(" and ")}; name the setting that has it: security: { ${schemes.map((each) => `${JSON.stringify(each)}: "UPSTREAM_TOKEN"`).join(", ")} }`,
    );
  }
  const parts = chosen.map((scheme) => partOf(document, scheme, security[scheme] as string));
  const valuesIn = (place: Part["in"], values: Secrets) =>
    parts
      .filter((part) => part.in === place)
      .map(({ name, setting, text }): [string, string] => [name, text(values[setting] ?? "")]);
  return {
    parts,
    headers(values) {
      const cookies = valuesIn("cookie", values).map((pair) => pair.join("="));
      return {
        ...Object.fromEntries(valuesIn("header", values)),
        ...(cookies.length > 0 && { Cookie: cookies.join("; ") }),
      };
    },
    query: (values) => Object.fromEntries(valuesIn("query", values)),
    secrets: [...new Set([...secrets, ...parts.map(({ setting }) => setting)])],
  };
}

type Secrets = Readonly<Record<string, string>>;

/** Where a request has the value of a setting, and how it is written there. */
type Part = {
  in: "header" | "query" | "cookie";
  name: string;
  setting: string;
  text(value: string): string;
};

function partOf(document: Json, scheme: string, setting: string): Part {
  const { securitySchemes = {} } = (document["components"] ?? {}) as { securitySchemes?: Json };
  const { type, in: where, ...others } = resolve(document, securitySchemes[scheme]);
  const [name, kind] = [String(others["name"]), String(others["scheme"]).toLowerCase()];
  const header = (name: string, text: Part["text"]): Part => ({
    ...{ in: "header", name, setting, text },
  });
  if (type === "apiKey" && (where === "header" || where === "query" || where === "cookie"))
    return { in: where, name, setting, text: String };
  if (type === "http" && kind === "basic")
    return header("Authorization", (value) => `Basic ${toBase64(encodeUtf8(value))}`);
  const isBearer = type === "http" && kind === "bearer";
  if (isBearer || type === "oauth2" || type === "openIdConnect")
    return header("Authorization", (value) => `Bearer ${value}`);
  // Such as `token`.
  if (type === "http") return header("Authorization", (value) => `${others["scheme"]} ${value}`);
  throw new TypeError(
    `needs ${scheme}, which ${type === undefined ? "the document does not define" : `is ${type}`}; send the credentials with \`headers\``,
  );
}
