import { KEY_PATTERN } from "#accounts/key-format.ts";
import type { Tool } from "#tools/define-tool.ts";
import { ACCOUNT_SCHEMAS, accountPaths } from "./account.ts";
import type { ApiOptions, OpenApiDocument, Operation, PathItem } from "./document.ts";
import { describeService, sizeInWords } from "./guide.ts";
import { responseHeaders, toolResponseHeaders } from "./headers.ts";
import { callPrice } from "./price-text.ts";
import { problemExamples, problemResponses, problemSchemas, toolProblems } from "./problems.ts";
import { toolExamples } from "./schemas.ts";
import { bareResponses, namesOf, otherBodies, toolSchemas } from "./tool-schemas.ts";

/**
 * Describes the API in OpenAPI 3.1. It is derived from the tools (schemas, limits, examples, prices) and the table of errors. The
 * fuzz test checks every response against it. Operations have no parameters: importers (Postman) would send those of the query with
 * every call, besides the same fields in the body.
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
    ],
    paths: { ...toolPaths(options), ...accountPaths(options) },
    components: {
      schemas: {
        ...Object.assign({}, ...tools.map(toolSchemas)),
        ...ACCOUNT_SCHEMAS,
        ...problemSchemas(),
      },
      responses: problemResponses(),
      headers: responseHeaders(options),
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
  const names = namesOf(tool);
  const examples = toolExamples(tool);
  return {
    operationId: names.operation,
    summary: tool.summary,
    description: tool.description,
    tags: ["Tools"],
    requestBody: {
      description: `JSON in UTF-8${tool.rawBody === undefined ? "" : `, or the \`${tool.rawBody.field}\` alone`}${tool.verbatim === undefined ? ", or a form" : ""}; as JSON at most ${sizeInWords(tool.verbatim?.bytesMax ?? tool.bodyBytesMax)}. It may be compressed with gzip.${tool.verbatim === undefined ? " The query may have fields in place of the body." : ""}`,
      required: tool.body === "required",
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${names.input}` },
          examples: examples.requests,
        },
        ...otherBodies(tool),
      },
    },
    responses: {
      "200": {
        description: "The call succeeded.",
        headers: toolResponseHeaders(options),
        content: {
          "application/json": {
            schema: { $ref: `#/components/schemas/${names.result}` },
            examples: examples.responses,
          },
          ...bareResponses(tool),
        },
      },
      ...toolProblems(),
    },
    "x-price": { credits: tool.price },
    "x-limits": { bodyBytesMax: tool.bodyBytesMax, fieldBytesMax: tool.fieldBytesMax },
  };
}
