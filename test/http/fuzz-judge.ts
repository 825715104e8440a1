/**
 * What a request deserves by the description alone: read anew, with none of the service's own code. What a schema cannot
 * say is taken from the sentences and limits beside it.
 */
import type { Description } from "./description.ts";

export type Verdict = {
  /** The statuses that the answer may have. */
  allowed: number[];
  why: string;
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
  const { idempotencyKey, body, encoding, tool } = request;
  if (idempotencyKey !== null && !/^[!-~]{1,255}$/.test(idempotencyKey))
    return verdict("a bad idempotency key", 400);
  if (encoding === "br") return verdict("an encoding that is not supported", 415);
  if (sentBytes > limits.bodyBytesMax) return verdict("more bytes than allowed", 413);
  if (encoding === "lie" && (body?.byteLength ?? 0) > 0) return verdict("no gzip", 400);
  const bytes = body ?? new Uint8Array();
  if (bytes.byteLength > limits.bodyBytesMax)
    return verdict("more bytes than allowed, inflated", 413);

  const text = decode(bytes);
  if (text === undefined) return verdict("no UTF-8", 400);
  if (/^[ \t\r\n]*$/.test(text)) {
    return operation.requestBody?.required
      ? verdict("no body", 400)
      : verdict("no body, and none is needed", 200);
  }
  const parsed = parse(text);
  const saysJson = request.contentType === null || /json/.test(request.contentType);
  if (parsed === undefined)
    return saysJson ? verdict("no JSON", 400) : verdict("no JSON, by its type too", 415);
  const { value } = parsed;
  for (const [field, max] of Object.entries(limits.fieldBytesMax)) {
    const own = fieldOf(value, field);
    if (typeof own === "string" && new TextEncoder().encode(own).byteLength > max)
      return verdict(`${field} is too large`, 413);
  }
  if (!description.allowsBody(request.path, respelt(tool, value)))
    return verdict("the schema forbids it", 400);
  if (
    Object.keys(limits.fieldBytesMax).some(
      (field) => !String(fieldOf(value, field) ?? "").isWellFormed(),
    )
  ) {
    return verdict("a lone surrogate", 400);
  }
  if (tool === "hash") return judgeSource(value);
  if (tool === "qr-code" && !hasGoodColors(value)) return verdict("bad colors", 400);
  // What a symbol holds at a level is told by its own code, which the caller checks.
  return tool === "qr-code"
    ? verdict("good, if it fits into a symbol", 200, 400)
    : verdict("good", 200);
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

/** What the description tells in words: a text or bytes in base64, and what base64 is. */
function judgeSource(value: unknown): Verdict {
  const [text, base64] = [fieldOf(value, "text"), fieldOf(value, "base64")];
  if ((text === undefined) === (base64 === undefined)) return verdict("not one input", 400);
  if (typeof base64 !== "string") return verdict("good", 200);
  const canonical = Buffer.from(base64, "base64").toString("base64");
  if (base64 !== canonical && base64 !== canonical.replaceAll("=", "")) {
    return verdict("no base64", 400);
  }
  const bytes = Buffer.from(base64, "base64").byteLength;
  return bytes > 1_048_576 ? verdict("base64 is too large", 413) : verdict("good", 200);
}

/** What the description tells in words: how colors are written, and how far apart they must be. */
function hasGoodColors(value: unknown): boolean {
  const [dark, light] = [fieldOf(value, "dark"), fieldOf(value, "light")];
  if (dark === undefined && light === undefined) return true;
  if (String(fieldOf(value, "format")).toLowerCase() === "utf8") return false;
  const isTransparent = /^transparent$/i.test(String(light));
  const colors = [dark ?? "#000", isTransparent ? "#fff" : (light ?? "#fff")].map(String);
  if (!colors.every((color) => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(color))) return false;
  const [from = [], to = []] = colors.map((color) =>
    (color.length === 4 ? color.replace(/\w/g, "$&$&") : color)
      .match(/\w\w/g)
      ?.map((pair) => Number.parseInt(pair, 16)),
  );
  return [
    [0.299, 0.587, 0.114],
    [0.2126, 0.7152, 0.0722],
  ].every((weights) => {
    const levels = weights.map((weight, at) => weight * ((to[at] ?? 0) - (from[at] ?? 0)));
    return levels.reduce((sum, level) => sum + level, 0) > 127.4999;
  });
}

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
  }
  if (tool === "qr-code" || tool === "markdown-render") respell("format", lower);
  if (tool === "qr-code") {
    respell("errorCorrectionLevel", (text) => text.toUpperCase());
    const width = fieldOf(value, "width");
    if (typeof width === "number" && !Number.isFinite(width)) {
      spelled["width"] = Number.MAX_VALUE;
    }
  }
  return Object.keys(spelled).length === 0 ? value : { ...(value as object), ...spelled };
}
