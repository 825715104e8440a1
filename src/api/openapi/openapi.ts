import { KEY_PATTERN } from "#accounts/key-format.ts";
import type { Tool } from "#tools/define-tool.ts";
import { ACCOUNT_SCHEMAS, accountPaths } from "./account.ts";
import type {
  ApiOptions,
  ApiResponse,
  JsonSchema,
  OpenApiDocument,
  Operation,
  PathItem,
} from "./document.ts";
import { describeService, sizeInWords } from "./guide.ts";
import {
  operatorResponseHeaders,
  REQUEST_HEADERS,
  responseHeaders,
  toolResponseHeaders,
} from "./headers.ts";
import { callPrice } from "./price-text.ts";
import {
  problemExamples,
  problemResponses,
  problemSchemas,
  problems,
  toolProblems,
} from "./problems.ts";
import {
  bareResponses,
  queryParameters,
  rawBodies,
  schemaNames,
  toolExamples,
  toolSchemas,
} from "./schemas.ts";

/**
 * Describes the whole API in OpenAPI 3.1. It is derived from the tools (schemas, limits, examples, prices) and the
 * table of errors. The fuzz test checks every response against it.
 */
export function describeApi(options: ApiOptions): OpenApiDocument {
  const { publicUrl, tools, version } = options;
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolbooth",
      version,
      summary: "Small developer tools as metered HTTP endpoints.",
      description: describeService(options),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl, description: "This service." }],
    externalDocs: { url: `${publicUrl}/docs`, description: "The documentation." },
    security: [{ apiKey: [] }],
    tags: [
      {
        name: "Tools",
        description: `The tools. A successful call costs ${callPrice(tools)}.`,
      },
      {
        name: "Account",
        description: "The account of an API key. It is free.",
      },
      {
        name: "Operation",
        description: "Endpoints for monitoring. They are free and need no key.",
      },
    ],
    paths: { ...toolPaths(options), ...accountPaths(options), ...operatorPaths() },
    components: {
      schemas: {
        ...Object.assign({}, ...tools.map(toolSchemas)),
        ...ACCOUNT_SCHEMAS,
        ...OPERATOR_SCHEMAS,
        ...problemSchemas(),
      },
      responses: problemResponses(options),
      headers: responseHeaders(options),
      parameters: REQUEST_HEADERS,
      examples: problemExamples(options),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: KEY_PATTERN,
          description: "An API key of the account that pays for the call.",
        },
      },
    },
  };
}

function toolPaths(options: ApiOptions): Record<string, PathItem> {
  return Object.fromEntries(
    options.tools.map((tool) => [`/api/v1/${tool.name}`, { post: describeTool(tool, options) }]),
  );
}

function describeTool(tool: Tool<unknown>, options: ApiOptions): Operation {
  const names = schemaNames(tool);
  const examples = toolExamples(tool);
  return {
    operationId: names.operation,
    summary: tool.summary,
    description: tool.description,
    tags: ["Tools"],
    parameters: [
      ...Object.keys(REQUEST_HEADERS).map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
      ...queryParameters(tool),
    ],
    requestBody: {
      description: `JSON in UTF-8${tool.rawBody === undefined ? "" : `, or the \`${tool.rawBody.field}\` alone`}; as JSON at most ${sizeInWords(tool.verbatim?.bytesMax ?? tool.bodyBytesMax)}.`,
      required: tool.body === "required",
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${names.request}` },
          examples: examples.requests,
        },
        ...rawBodies(tool),
      },
    },
    responses: {
      "200": {
        description: "The call succeeded.",
        headers: toolResponseHeaders(options),
        content: {
          "application/json": {
            schema: { $ref: `#/components/schemas/${names.response}` },
            examples: examples.responses,
          },
          ...bareResponses(tool),
        },
      },
      ...toolProblems(options.rateLimit),
    },
    "x-price": { credits: tool.price },
    "x-limits": { bodyBytesMax: tool.bodyBytesMax, fieldBytesMax: tool.fieldBytesMax },
  };
}

const OPERATOR_SCHEMAS: Record<string, JsonSchema> = {
  Health: {
    type: "object",
    description: "The service is healthy.",
    properties: { ok: { type: "boolean", const: true, description: "Always true." } },
    required: ["ok"],
    additionalProperties: false,
  },
};

function operatorPaths(): Record<string, PathItem> {
  const health = { schema: { $ref: "#/components/schemas/Health" } };
  return {
    "/healthz": operatorPath({
      operationId: "healthz",
      summary: "Liveness",
      description: "Returns 200 while the process is running. It does not use the ledger.",
      response: { description: "The process is running.", content: { "application/json": health } },
    }),
    "/readyz": operatorPath({
      operationId: "readyz",
      summary: "Readiness",
      description: "Returns 200 when the ledger accepts writes, so that calls can succeed.",
      response: {
        description: "The ledger accepts writes.",
        content: { "application/json": health },
      },
      problems: [503],
    }),
    "/metrics": operatorPath({
      operationId: "metrics",
      summary: "Metrics",
      description:
        "Counters and durations for Prometheus. Send the operator's metrics token as a bearer token; if none is set, only clients on the same machine may read them. Every other client gets 404.",
      response: {
        description: "The metrics in the text format of Prometheus.",
        content: { "text/plain": { schema: { type: "string" } } },
      },
      problems: [404],
    }),
    "/openapi.json": operatorPath({
      operationId: "openapi",
      summary: "OpenAPI description",
      description: "This API as an OpenAPI 3.1 document.",
      response: {
        description: "An OpenAPI document.",
        content: { "application/json": { schema: { type: "object" } } },
      },
    }),
  };
}

type OperatorPath = Pick<Operation, "operationId" | "summary" | "description"> & {
  response: ApiResponse;
  problems?: number[];
};

/** Besides its own errors, every request can be too slow or too large, or cause an internal error. */
function operatorPath({ response, problems: own = [], ...texts }: OperatorPath): PathItem {
  return {
    get: {
      ...texts,
      tags: ["Operation"],
      security: [],
      responses: {
        "200": { ...response, headers: operatorResponseHeaders() },
        ...problems([...own, 408, 431, 500]),
      },
    },
  };
}
