import { ApiError } from "#errors.ts";
import { JSON_DEPTH_MAX } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import {
  charsetIn,
  FIELDS_TYPE,
  FORM_TYPE,
  isJsonType,
  mediaType,
  OCTETS_TYPE,
} from "#tools/media-type.ts";
import { findJsonFault } from "./json-fault.ts";

/** The types that bodies are sent in (RFC 9110, section 8.3), and the errors of bodies that are not what their type says. */

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
  if (isJsonType(type) || type === "") return "json";
  // A verbatim tool has no fields that a form could fill.
  if (type === FIELDS_TYPE) return verbatim ? "json" : "fields";
  if (type === FORM_TYPE) return verbatim ? null : "form";
  // A tool without raw bodies has no other use for the default type of `fetch`.
  if (type === "text/plain") return rawBody === undefined ? "json" : "text";
  return rawBody?.types.includes(type) ? "raw" : null;
}

/** The types of bodies that a tool takes, as they are named to clients. */
export const bodyTypesOf = ({ rawBody, verbatim, file }: Tool<unknown>): string[] =>
  file !== undefined
    ? [...file.types, FORM_TYPE]
    : [
        "application/json",
        ...(rawBody?.types ?? []),
        ...(verbatim === undefined ? [FIELDS_TYPE, FORM_TYPE] : []),
      ];

/** Whether the type names a character encoding that is not UTF-8 or a part of it. */
function namesOtherCharset(contentType: string): boolean {
  const charset = charsetIn(contentType);
  return charset !== undefined && !/^(?:utf-?8|us-ascii)$/.test(charset);
}

// Drops a byte order mark, and throws on invalid bytes instead of replacing them.
export const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** `advise`: makes the advice for a client that did not mean to send text. */
export function decodeUtf8(body: Uint8Array, advise = () => "", what = "The body"): string {
  try {
    return strictUtf8.decode(body);
  } catch (cause) {
    // Windows PowerShell writes files like this.
    const isUtf16 =
      (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
    throw new ApiError(
      "invalid_utf8",
      isUtf16
        ? `${what} is UTF-16, not UTF-8. Save it as UTF-8 and send it again.`
        : `${what} is not valid UTF-8. Encode it as UTF-8 and send it again.${advise()}`,
      { cause },
    );
  }
}

/**
 * For `text/plain` and the type that `curl -d` sends by default, which say nothing about the body: only what begins like JSON is
 * meant as JSON.
 */
export function notJson(
  tool: Tool<unknown>,
  text: string,
  contentType: string | null,
  cause?: unknown,
): ApiError {
  const isMeantAsJson = contentType === null || contentType === "" || isJsonType(contentType);
  const beginsLikeJson = /^\s*[{["']/.test(text);
  if (!isMeantAsJson && !beginsLikeJson) {
    return unsupportedType(
      tool,
      `The body is not JSON, and the Content-Type "${shorten(contentType)}" means JSON here.`,
    );
  }
  const found = findJsonFault(text);
  // Markdown may begin with the bracket of a link.
  const isMaybeText = !beginsLikeJson || (!isMeantAsJson && /^\s*\[/.test(text));
  const advice = (beginsLikeJson && quotesAdvice(text)) || (isMaybeText ? otherWays(tool) : "");
  const detail =
    found === undefined
      ? `The body is not JSON, or nests deeper than ${JSON_DEPTH_MAX} levels.`
      : `The body is not JSON: line ${found.line}, column ${found.column}: ${found.reason}.${advice}`;
  return new ApiError("invalid_json", detail, {
    cause,
    ...(found === undefined ? {} : { members: { line: found.line, column: found.column } }),
  });
}

/** Single quotes are Python's, and cmd passes them on; Windows PowerShell 5 removes double quotes. */
export function quotesAdvice(text: string): string {
  if (/^[\s{[]*'/.test(text)) {
    return ' JSON needs double quotes around names and texts, as in {"text":"a"}.';
  }
  return /^\s*\{\s*(?:\\|[\w-]+\s*:)/.test(text)
    ? " If your shell changed the quotes, send the JSON from a file: `curl -d @body.json`."
    : "";
}

export const otherType = (tool: Tool<unknown>, contentType: string): ApiError =>
  unsupportedType(tool, `${tool.name} does not take the Content-Type "${shorten(contentType)}".`);

/** For a tool that takes a file. `isPart`: the file of a form has the type, in place of the body. */
export function otherFile(
  tool: Tool<unknown> & Required<Pick<Tool, "file">>,
  contentType: string | null,
  isPart: boolean,
): ApiError {
  const { types } = tool.file;
  const what = isPart ? "The file of the form" : "The body";
  const happened =
    contentType !== null
      ? `${what} has the Content-Type "${shorten(contentType)}".`
      : isPart
        ? `${what} has no Content-Type.`
        : "The call has no file, or no Content-Type for it.";
  const asPart = `as the file of a form, with its type: \`curl -F "file=@PATH;type=${types[0]}"\``;
  const asBody = "as the body with that Content-Type and the other fields in the query";
  return new ApiError(
    "unsupported_media_type",
    `${happened} ${tool.name} takes a file of the type ${types.map((type) => `\`${type}\``).join(" or ")}: send it ${asBody}, or ${asPart}.`,
    { headers: { Accept: bodyTypesOf(tool).join(", ") } },
  );
}

const unsupportedType = (tool: Tool<unknown>, what: string): ApiError =>
  new ApiError(
    "unsupported_media_type",
    `${what} Send JSON with \`Content-Type: application/json\`.${otherWays(tool)}`,
    { headers: { Accept: bodyTypesOf(tool).join(", ") } },
  );

/** The ways to send a tool's input that are not JSON. */
export function otherWays({ rawBody, verbatim }: Tool<unknown>): string {
  if (rawBody !== undefined) {
    const { field, octets, octetsField } = rawBody;
    const types = rawBody.types
      .filter((type) => octetsField === undefined || type !== OCTETS_TYPE)
      .map((type) => `\`${type}\``)
      .join(" or ");
    const bytes = octetsField === undefined ? "" : ` ${howToSendBytes(octetsField)}`;
    return ` To send ${octets ? "a file" : `the \`${field}\``} directly, use the Content-Type ${types}, or a form (\`${FORM_TYPE}\`).${bytes}`;
  }
  return verbatim === undefined
    ? ` Fields may also be a form (\`${FIELDS_TYPE}\` or \`${FORM_TYPE}\`) or parameters of the URL's query.`
    : "";
}

export const howToSendBytes = (octetsField: string): string =>
  `To send bytes, use the Content-Type \`${OCTETS_TYPE}\` or the field \`${octetsField}\`.`;

export const shorten = (contentType: string): string => contentType.slice(0, 80);

/** Throws an ApiError `unsupported_media_type` where the type of a text names another encoding than UTF-8. */
export function requireUtf8(tool: Tool<unknown>, contentType: string): void {
  if (!namesOtherCharset(contentType)) return;
  throw unsupportedType(
    tool,
    `The Content-Type "${shorten(contentType)}" names another encoding than UTF-8. Convert the text to UTF-8.`,
  );
}
