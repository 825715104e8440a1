import { KEY_PATTERN } from "#accounts/key-format.ts";
import type { Tool } from "#tools/define-tool.ts";
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
import { schemaNames, toolExamples, toolSchemas } from "./schemas.ts";

/**
 * Describes the whole API in OpenAPI 3.1, derived from what the service runs on: the schemas, limits and examples of
 * the tools, and the table of refusals. The fuzz test holds every answer against it, so nothing in it is only nearly so.
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
    externalDocs: { url: `${publicUrl}/docs`, description: "The documentation as pages." },
    security: [{ apiKey: [] }],
    tags: [
      {
        name: "Tools",
        description: `What the service does. A successful call costs ${callPrice(tools)}.`,
      },
      {
        name: "Operation",
        description: "What the operator's machines ask. Free, and without a key.",
      },
    ],
    paths: { ...toolPaths(options), ...operatorPaths() },
    components: {
      schemas: {
        ...Object.assign({}, ...tools.map(toolSchemas)),
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
    parameters: Object.keys(REQUEST_HEADERS).map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: {
      description: `At most ${sizeInWords(tool.verbatim?.bytesMax ?? tool.bodyBytesMax)} of JSON in UTF-8.`,
      required: tool.body === "required",
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${names.request}` },
          examples: examples.requests,
        },
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
    description: "The service is well.",
    properties: { ok: { type: "boolean", const: true, description: "True." } },
    required: ["ok"],
    additionalProperties: false,
  },
};

function operatorPaths(): Record<string, PathItem> {
  const health = { schema: { $ref: "#/components/schemas/Health" } };
  return {
    "/healthz": operatorPath({
      operationId: "healthz",
      summary: "Is the process there?",
      description: "Answers as long as the process answers at all. Asks nothing of the ledger.",
      response: { description: "The process answers.", content: { "application/json": health } },
    }),
    "/readyz": operatorPath({
      operationId: "readyz",
      summary: "Can it work?",
      description: "Answers 200 when the ledger takes writes, so that calls can be made.",
      response: {
        description: "The ledger takes writes.",
        content: { "application/json": health },
      },
      problems: [503],
    }),
    "/metrics": operatorPath({
      operationId: "metrics",
      summary: "What has it done?",
      description:
        "Counters and durations for Prometheus. Answers whoever sends the operator's metrics token as a bearer token; where none is set, only callers on the same machine. To anyone else there is nothing here.",
      response: {
        description: "The metrics in the text format of Prometheus.",
        content: { "text/plain": { schema: { type: "string" } } },
      },
      problems: [404],
    }),
    "/openapi.json": operatorPath({
      operationId: "openapi",
      summary: "This description",
      description: "The API as an OpenAPI 3.1 document, made from what the service runs on.",
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

/** Besides its own refusals, anything that is sent to a server can be too slow or too large, or meet a fault of ours. */
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
