import type {
  ApiOptions,
  ApiResponse,
  JsonSchema,
  OpenApiDocument,
  Operation,
  PathItem,
} from "./document.ts";
import { operatorResponseHeaders, responseHeaders } from "./headers.ts";
import { problemExamples, problemResponses, problemSchemas, problems } from "./problems.ts";

/** The endpoints for an operator's monitoring, in a document of their own: clients of the tools have no use for them. */
export function describeOperations(options: ApiOptions): OpenApiDocument {
  const { publicUrl, version } = options;
  const responses = problemResponses("operation", [...OWN_PROBLEMS, ...COMMON_PROBLEMS].sort());
  const used = new Set(
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const all = { ...responseHeaders(options), [ANY_ORIGIN]: OF_ALL_BUT_METRICS, ...OF_DOCUMENTS };
  const headers = Object.entries(all).filter(
    ([name]) => used.has(name) || Object.hasOwn(OF_DOCUMENTS, name),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolbooth operations",
      version,
      summary: "Endpoints for monitoring.",
      description: `The endpoints for monitoring are free and need no key. [Another document](${publicUrl}/openapi.json) describes the tools.`,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl, description: "This service." }],
    externalDocs: {
      url: `${publicUrl}/docs/operations`,
      description: "How to run the service.",
    },
    security: [],
    tags: [{ name: "Operations", description: "Endpoints for monitoring." }],
    paths: operationPaths(),
    components: {
      schemas: { ...SCHEMAS, ...problemSchemas() },
      responses,
      headers: Object.fromEntries(headers),
      examples: problemExamples(options, [...OWN_PROBLEMS, ...COMMON_PROBLEMS]),
      securitySchemes: {},
    },
  };
}

const ANY_ORIGIN = "Access-Control-Allow-Origin";
const OF_ALL_BUT_METRICS = {
  description: "Scripts of any origin may read the response. `/metrics` never has this header.",
  schema: { type: "string", const: "*" },
};

/** The descriptions are the same for everyone, so caches may keep them and ask whether they have changed. */
const OF_DOCUMENTS = {
  "Cache-Control": {
    description:
      "`no-cache` for the descriptions, which caches revalidate with their `ETag`; `no-store` for everything else.",
    required: true,
    schema: { type: "string", enum: ["no-store", "no-cache"] },
  },
  ETag: {
    description:
      "The version of a description. Send it back in `If-None-Match` to get 304 while it is current.",
    schema: { type: "string" },
  },
};

const OWN_PROBLEMS = [404, 503];
/** Every request can be too slow or too large, or cause an internal error. */
const COMMON_PROBLEMS = [408, 431, 500];

const SCHEMAS: Record<string, JsonSchema> = {
  Health: {
    type: "object",
    description: "The service is healthy.",
    properties: { ok: { type: "boolean", const: true, description: "Always true." } },
    required: ["ok"],
  },
};

function operationPaths(): Record<string, PathItem> {
  const health = { schema: { $ref: "#/components/schemas/Health" } };
  const description = { "application/json": { schema: { type: "object" } } };
  return {
    "/healthz": operationPath({
      operationId: "checkLiveness",
      summary: "Liveness",
      description: "Returns 200 while the process is running. It does not use the ledger.",
      response: { description: "The process is running.", content: { "application/json": health } },
    }),
    "/readyz": operationPath({
      operationId: "checkReadiness",
      summary: "Readiness",
      description:
        "Returns 200 when calls succeed: by those of the last seconds, or if there were none by a write like theirs. Otherwise the detail of the 503 names the kind of fault.",
      response: {
        description: "Calls succeed.",
        content: { "application/json": health },
      },
      problems: [503],
    }),
    "/metrics": operationPath({
      operationId: "readMetrics",
      summary: "Metrics",
      description:
        "Counters and durations for Prometheus. Send the operator's metrics token as a bearer token; if none is set, only clients on the same machine may read them. Every other client gets 404.",
      response: {
        description: "The metrics in the text format of Prometheus.",
        content: { "text/plain": { schema: { type: "string" } } },
      },
      problems: [404],
    }),
    "/openapi.json": operationPath({
      operationId: "describeApi",
      summary: "OpenAPI description",
      description: "The tools and the account as an OpenAPI 3.1 document.",
      response: { description: "An OpenAPI document.", content: description },
    }),
    [OPERATIONS_PATH]: operationPath({
      operationId: "describeOperations",
      summary: "OpenAPI description of these endpoints",
      description: "The endpoints for monitoring as an OpenAPI 3.1 document.",
      response: { description: "An OpenAPI document.", content: description },
    }),
  };
}

export const OPERATIONS_PATH = "/openapi-operations.json";

type OperationPath = Pick<Operation, "operationId" | "summary" | "description"> & {
  response: ApiResponse;
  problems?: number[];
};

function operationPath({ response, problems: own = [], ...texts }: OperationPath): PathItem {
  return {
    get: {
      ...texts,
      tags: ["Operations"],
      responses: {
        "200": {
          ...response,
          headers: { ...operatorResponseHeaders(), ETag: { $ref: "#/components/headers/ETag" } },
        },
        ...problems([...own, ...COMMON_PROBLEMS].sort((a, b) => a - b)),
      },
    },
  };
}
