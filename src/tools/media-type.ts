/** Media types as headers and OpenAPI documents name them. */

/** A form of fields, as `curl -d` and HTML send it by default (URL standard, section 5). */
export const FIELDS_TYPE = "application/x-www-form-urlencoded";
/** A form of parts, which may be files (RFC 7578). */
export const FORM_TYPE = "multipart/form-data";
/** Bytes that are nothing else (RFC 2046, section 4.5.1). */
export const OCTETS_TYPE = "application/octet-stream";

/** In lowercase and without parameters; empty for no type. Some runtimes drop a header with an empty value. */
export const mediaType = (contentType: string | null): string =>
  (contentType ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";

/** The character encoding that a type names, in lowercase; undefined if it names none. */
export const charsetIn = (contentType: string): string | undefined =>
  /;\s*charset="?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase();

const JSON_TYPE = /^(?:application|text)\/(?:[^\s/]+\+)?json$/;

export const isJsonType = (contentType: string | null): boolean =>
  JSON_TYPE.test(mediaType(contentType));

/**
 * The text that a body is. Null for one of a type that is no text, such as an image, and for bytes that are none in the encoding that the
 * type names, by default UTF-8.
 */
export function textIn(bytes: Uint8Array, contentType: string): string | null {
  if (!/^text\/|[/+](?:json|xml)$/.test(mediaType(contentType))) return null;
  try {
    return new TextDecoder(charsetIn(contentType) ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
