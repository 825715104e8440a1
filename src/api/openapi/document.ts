import type { Brand } from "#brand.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { CreditSales } from "#top-up.ts";

/** The part of OpenAPI 3.1 that the description uses, as types. */

export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  examples?: unknown[];
  [keyword: string]: unknown;
};

export type Reference = { $ref: string };
type Named<Value> = Record<string, Value>;

export type Header = {
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
};

export type NamedExample = { summary: string; value: unknown };
export type MediaType = { schema: JsonSchema; examples?: Named<NamedExample | Reference> };

export type ApiResponse = {
  description: string;
  headers?: Named<Header | Reference>;
  content?: Named<MediaType>;
};

export type Parameter = {
  name: string;
  in: "header";
  required: true;
  description: string;
  schema: JsonSchema;
};

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { description: string; required: boolean; content: Named<MediaType> };
  responses: Named<ApiResponse | Reference>;
  /** What a successful call costs; the most that it costs if that depends on the input. */
  "x-price"?: { credits: number } | { creditsMax: number };
  /** Limits that JSON Schema cannot express: bytes of the body as sent, and UTF-8 bytes of a decoded text field. */
  "x-limits"?: { bodyBytesMax: number; fieldBytesMax: Named<number>; fileBytesMax?: number };
};

export type PathItem = { get?: Operation; post?: Operation };

export type OpenApiDocument = {
  openapi: "3.1.0";
  info: Named<unknown> & { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  externalDocs: { url: string; description: string };
  security: Named<string[]>[];
  tags: { name: string; description: string }[];
  paths: Named<PathItem>;
  components: {
    schemas: Named<JsonSchema>;
    responses: Named<ApiResponse>;
    headers: Named<Header>;
    examples: Named<NamedExample>;
    securitySchemes: Named<Named<string>>;
  };
};

/** What the OpenAPI description says about this service. Besides these it does not depend on settings. */
export type ApiOptions = Brand & {
  /** Where customers reach the operator: an email address or an https URL; left out or null: not said. */
  contact?: string | null | undefined;
  /** The base URL that clients use, without a trailing slash. */
  publicUrl: string;
  tools: readonly Tool[];
  version: string;
  /** How the service sells credits; left out or null: not known. */
  sales?: CreditSales | null | undefined;
};
