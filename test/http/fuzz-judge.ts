/**
 * What a request deserves by the description alone: read anew, with none of the service's own code. What a schema cannot
 * say is taken from the sentences and limits beside it.
 */
import type { Operation } from "#api/openapi/document.ts";
import type { Description } from "./description.ts";

export type Verdict = {
  /** The statuses that the answer may have. */
  allowed: number[];
  why: string;
  /** Whether the description leaves open whether the input is good. */
  isOpen?: true;
};

export type FuzzRequest = {
  tool: string;
  method: string;
  path: string;
  body: Uint8Array | undefined;
  /** How the body is sent; `lie` says gzip and is none. */
  encoding: "plain" | "identity" | "gzip" | "lie" | "br";
  contentType: string | null;
  accept: string | null;
  idempotencyKey: string | null;
  requestId: string | null;
};

const verdict = (why: string, ...allowed: number[]): Verdict => ({ allowed, why });

/** Of a request whose route, key, account and rate are good and whose credits suffice. */
export function judge(description: Description, request: FuzzRequest, sentBytes: number): Verdict {
  const operation = description.document.paths[request.path]?.post;
  const limits = operation?.["x-limits"];
  if (operation === undefined || limits === undefined)
    throw new Error(`${request.path} is not described`);
  const { idempotencyKey, body, encoding } = request;
  if (idempotencyKey !== null && !/^[!-~]{1,255}$/.test(idempotencyKey))
    return verdict("a bad idempotency key", 400);
  if (encoding === "br") return verdict("an encoding that is not supported", 415);
  // A body that can be nothing but the field is held to the field's limit as it arrives.
  const isBare = request.contentType === OCTETS && request.tool === "qr-code";
  const bytesMax = isBare ? (limits.fieldBytesMax["text"] ?? 0) : limits.bodyBytesMax;
  if (sentBytes > bytesMax) return verdict("more bytes than allowed", 413);
  if (encoding === "lie" && (body?.byteLength ?? 0) > 0) return verdict("no gzip", 400);
  const bytes = body ?? new Uint8Array();
  if (bytes.byteLength > limits.bodyBytesMax)
    return verdict("more bytes than allowed, inflated", 413);

  return judgeAccept(operation, request, judgeBody(description, operation, request, bytes));
}

/** A good request is turned away where the type that it asks for is none of the operation's. */
function judgeAccept(operation: Operation, { accept }: FuzzRequest, own: Verdict): Verdict {
  if (!own.allowed.includes(200) || accept === null || accept.includes("application/json")) {
    return own;
  }
  const described = operation.responses["200"];
  const types = Object.keys((described as { content?: object }).content ?? {});
  if (accept === "*/*" || types.some((type) => matches(type, accept))) {
    // The body may ask for another format than Accept.
    return types.length > 2 ? { ...own, allowed: [...own.allowed, 406] } : own;
  }
  return verdict(
    "none of the types that are accepted",
    ...own.allowed.filter((s) => s !== 200),
    406,
  );
}

const matches = (type: string, range: string) =>
  range.split(",").some((part) => {
    const [name = ""] = part.split(";");
    return name.endsWith("/*") ? type.startsWith(name.slice(0, -1)) : name === type;
  });

function judgeBody(
  description: Description,
  operation: Operation,
  request: FuzzRequest,
  bytes: Uint8Array,
): Verdict {
  const { contentType, tool } = request;
  const text = decode(bytes);
  const isBlank = text !== undefined && /^[ \t\r\n]*$/.test(text);
  const isForm = contentType === FORM && tool !== "echo" && !isBlank;
  if (isForm && !/^[ \t\r\n]*[{[]/.test(text ?? "")) return judgeForm(description, operation, text);
  const taken = Object.keys(operation.requestBody?.content ?? {}).filter((type) => type !== FORM);
  const isRaw = contentType !== null && taken.includes(contentType) && !/json/.test(contentType);
  const isJson =
    contentType === null ||
    /json|x-www-form-urlencoded/.test(contentType) ||
    contentType === "text/plain";
  if (!isRaw && !isJson && bytes.byteLength > 0) return verdict("a type it does not take", 415);

  if (isRaw && !(contentType === "text/plain" && isBlank)) {
    const raw = judgeRaw(operation, request, bytes, text);
    if (raw !== undefined) return raw;
  }
  if (text === undefined) return verdict("no UTF-8", 400);
  if (isBlank) {
    return operation.requestBody?.required
      ? verdict("no body", 400)
      : verdict("no body, and none is needed", 200);
  }
  const parsed = parse(text);
  if (parsed === undefined) {
    const isMeant = contentType === null || /json/.test(contentType) || /^\s*[{["']/.test(text);
    return isMeant ? verdict("no JSON", 400) : verdict("no JSON, by its type too", 415);
  }
  // An empty array is PHP's empty object.
  const isEmptyArray = Array.isArray(parsed.value) && parsed.value.length === 0;
  if (tool === "uuid" && isEmptyArray) return verdict("an empty array for an object", 200);
  return judgeValue(description, operation, request, parsed.value);
}

const FORM = "application/x-www-form-urlencoded";
const OCTETS = "application/octet-stream";

/** A body of pairs that does not begin like JSON. */
function judgeForm(
  description: Description,
  operation: Operation,
  text: string | undefined,
): Verdict {
  if (text === undefined) return verdict("a form that is not UTF-8", 400);
  // It would take a `?` at the beginning for that of a query.
  const names = [...new URLSearchParams(`&${text}`).keys()];
  const reference = operation.requestBody?.content[FORM]?.schema?.$ref?.split("/").at(-1) ?? "";
  const known = description.document.components.schemas[reference]?.properties ?? {};
  if (!names.every((name) => Object.hasOwn(known, name))) {
    return verdict("a form with an unknown field", 400);
  }
  if (new Set(names).size < names.length) return verdict("a field twice", 400);
  return {
    ...verdict("a form of known fields, if their values are right", 200, 400, 413),
    isOpen: true,
  };
}

/** The main field of the tools that take it as the body. */
const MAIN_FIELDS: Record<string, string> = {
  hash: "text",
  "qr-code": "text",
  "markdown-render": "markdown",
};

/** Undefined for a text that is JSON with the main field. */
function judgeRaw(
  operation: Operation,
  { contentType, tool }: FuzzRequest,
  bytes: Uint8Array,
  text: string | undefined,
): Verdict | undefined {
  const field = MAIN_FIELDS[tool] ?? "";
  const parsed = contentType === "text/plain" && text !== undefined ? parse(text) : undefined;
  if (parsed !== undefined && fieldOf(parsed.value, field) !== undefined) return undefined;
  // As octets, a QR code holds any bytes; as text it holds UTF-8 alone.
  const isText = tool !== "hash" && !(tool === "qr-code" && contentType === OCTETS);
  if (isText && text === undefined) return verdict("no UTF-8", 400);
  if (bytes.byteLength > (operation["x-limits"]?.fieldBytesMax[field] ?? 0)) {
    return verdict(`${field} is too large`, 413);
  }
  if (tool !== "qr-code") return verdict("raw", 200);
  return bytes.byteLength === 0
    ? verdict("empty", 400)
    : verdict("raw, if it fits into a symbol", 200, 400);
}

function judgeValue(
  description: Description,
  operation: Operation,
  request: FuzzRequest,
  value: unknown,
): Verdict {
  const { tool } = request;
  const fieldBytesMax: Record<string, number> = operation["x-limits"]?.fieldBytesMax ?? {};
  for (const [field, max] of Object.entries(fieldBytesMax)) {
    const own = fieldOf(value, field);
    if (typeof own === "string" && new TextEncoder().encode(own).byteLength > max)
      return verdict(`${field} is too large`, 413);
  }
  const isAllowed = description.allowsBody(request.path, respelt(tool, value));
  if (!isAllowed) return verdict("the schema forbids it", 400);
  if (isAllowed === "by format")
    return { ...verdict("an address that not all read alike", 200, 400), isOpen: true };
  if (
    Object.keys(fieldBytesMax).some((field) => {
      const own = fieldOf(value, field);
      return typeof own === "string" && !own.isWellFormed();
    })
  ) {
    return verdict("a lone surrogate", 400);
  }
  if (tool !== "hash" && tool !== "qr-code") return verdict("good", 200);
  // Of base64, keys, colors and the size of a symbol the description tells in words. The tests of the tools check them.
  return verdict("good, if what only words say holds", 200, 400, 413);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): { value: unknown } | undefined {
  try {
    const value = JSON.parse(text);
    return depthOf(value) > 512 ? undefined : { value };
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0; ) {
    const inner = level.filter((each) => typeof each === "object" && each !== null);
    if (inner.length > 0) depth += 1;
    level = inner.flatMap((each) => Object.values(each as object));
  }
  return depth;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** What the description tells in words: other spellings of enumerated values, and a width of any size. */
function respelt(tool: string, value: unknown): unknown {
  const spelled: Record<string, unknown> = {};
  const respell = (field: string, spell: (text: string) => string) => {
    const own = fieldOf(value, field);
    if (typeof own === "string") spelled[field] = spell(own);
  };
  const lower = (text: string) => text.toLowerCase();
  if (tool === "hash") {
    respell("algorithm", (text) => lower(text).replace(/^sha-/, "sha"));
    respell("encoding", lower);
    respell("hmacKeyEncoding", lower);
  }
  if (tool === "qr-code" || tool === "markdown-render") respell("format", lower);
  if (tool === "markdown-render") {
    for (const field of ["html", "math", "frontMatter"]) respell(field, lower);
  }
  if (tool === "qr-code") {
    respell("eci", lower);
    respell("errorCorrectionLevel", (text) => text.toUpperCase());
    const width = fieldOf(value, "width");
    if (typeof width === "number" && !Number.isFinite(width)) {
      spelled["width"] = Number.MAX_VALUE;
    }
  }
  return Object.keys(spelled).length === 0 ? value : { ...(value as object), ...spelled };
}
