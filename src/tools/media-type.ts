/** Media types as headers and OpenAPI documents name them. */

/** In lowercase and without parameters; empty for no type. Some runtimes drop a header with an empty value. */
export const mediaType = (contentType: string | null): string =>
  (contentType ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";

const JSON_TYPE = /^(?:application|text)\/(?:[^\s/]+\+)?json$/;

export const isJsonType = (contentType: string | null): boolean =>
  JSON_TYPE.test(mediaType(contentType));
