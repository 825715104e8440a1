import type { Tool } from "#tools/define-tool.ts";
import type { CreditSales } from "#top-up.ts";

/** The part of OpenAPI 3.1 that the description uses, as types. */

export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
  [keyword: string]: unknown;
};

export type Reference = { $ref: string };

export type Header = {
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
};

export type NamedExample = { summary: string; value: unknown };

export type MediaType = {
  schema: JsonSchema;
  examples?: Record<string, NamedExample | Reference>;
  /** Of the parts of a form, where their media type is not that of a text. */
  encoding?: Record<string, { contentType: string }>;
};

export type ApiResponse = {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
};

export type RequestBody = {
  description: string;
  required: boolean;
  content: Record<string, MediaType>;
};

/** Limits that JSON Schema cannot express: bytes of the body as sent, and UTF-8 bytes of a decoded text field. */
export type CallLimits = {
  bodyBytesMax: number;
  fieldBytesMax: Record<string, number>;
};

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: Record<string, string[]>[];
  requestBody?: RequestBody;
  responses: Record<string, ApiResponse | Reference>;
  /** What a successful call costs. */
  "x-price"?: { credits: number };
  "x-limits"?: CallLimits;
};

export type PathItem = { get?: Operation; post?: Operation };

export type OpenApiDocument = {
  openapi: "3.1.0";
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  externalDocs: { url: string; description: string };
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ApiResponse>;
    headers: Record<string, Header>;
    examples: Record<string, NamedExample>;
    securitySchemes: Record<string, Record<string, string>>;
  };
};

/** What the OpenAPI description says about this service. Besides these it does not depend on settings. */
export type ApiOptions = {
  /** The base URL that clients use, without a trailing slash. */
  publicUrl: string;
  tools: readonly Tool[];
  version: string;
  /** How the service sells credits; left out or null: not known. */
  sales?: CreditSales | null | undefined;
};
