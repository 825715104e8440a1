import { ApiError, ERRORS, type ErrorCode, type ProblemDetails } from "#errors.ts";
import { insufficientCredits } from "../pipeline/caller-errors.ts";
import { errorDocsUrl, problemBody } from "../problem.ts";
import type { ApiOptions, ApiResponse, JsonSchema, NamedExample, Reference } from "./document.ts";
import { problemHeaders } from "./headers.ts";

/** Refusals as the description and the errors page show them: their schema, and an example of every code. */

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

type Sample = { detail: string } & Pick<ProblemDetails, "errors" | "members">;

/** One refusal of every code, as the service words it. */
const SAMPLES: Record<Exclude<ErrorCode, "insufficient_credits">, Sample> = {
  invalid_json: {
    detail:
      'The body is not JSON: line 1, column 16: expected "," or "}", found the end of the body.',
    members: { line: 1, column: 16 },
  },
  invalid_utf8: { detail: "The body has bytes that are not UTF-8." },
  invalid_request: {
    detail: "`count` must be a whole number from 1 to 500; got 501.",
    errors: [{ pointer: "/count", detail: "must be a whole number from 1 to 500; got 501" }],
  },
  text_too_long_for_level: {
    detail:
      "`text` is 2000 bytes of UTF-8; level Q holds the first 1663 of them. Of this text a symbol holds: L all, M all, Q 1663 bytes, H 1273 bytes. Level M would fit.",
    members: { bytes: 2000, capacities: { L: 2000, M: 2000, Q: 1663, H: 1273 }, fits: "M" },
    errors: [
      {
        pointer: "/text",
        detail: "is 2000 bytes of UTF-8; level Q holds the first 1663 of them",
      },
    ],
  },
  idempotency_key_reused: {
    detail: "This Idempotency-Key was used on this path within 24 hours with a different body.",
  },
  missing_key: { detail: "Send an API key in the header `Authorization: Bearer <API key>`." },
  invalid_key: { detail: "This API key is not valid. Check that the whole key was copied." },
  account_suspended: { detail: "The operator of this service has suspended the account." },
  not_found: { detail: "There is nothing at /api/v1/hsah." },
  method_not_allowed: { detail: "GET is not allowed on /api/v1/hash; use POST." },
  request_timeout: { detail: "The request did not arrive in time." },
  idempotency_in_progress: {
    detail: "The first request with this Idempotency-Key has not been answered yet.",
  },
  too_large: { detail: "`text` is 1048577 bytes of UTF-8; the limit is 1048576." },
  unsupported_media_type: {
    detail:
      'The body is not JSON, and its type is "application/xml". Send JSON with `Content-Type: application/json`.',
  },
  rate_limited: { detail: "The account makes more than 100 calls a second. Wait 1 s." },
  headers_too_large: { detail: "The request line and headers are over 32768 bytes." },
  internal: { detail: "Something went wrong on our side. The call was not charged." },
  unavailable: { detail: "The ledger of credits is out of reach. The call was not charged." },
};

/** The body of a refusal with this code, as an example. */
export function sampleProblem(
  code: ErrorCode,
  options: Pick<ApiOptions, "publicUrl" | "tools">,
): Record<string, unknown> {
  return problemBody(sampleFault(code, options), "req_4711", errorDocsUrl(options.publicUrl));
}

function sampleFault(
  code: ErrorCode,
  { publicUrl, tools }: Pick<ApiOptions, "publicUrl" | "tools">,
): ApiError {
  if (code === "insufficient_credits") {
    return insufficientCredits(0, Math.max(...tools.map(({ price }) => price)), publicUrl);
  }
  const { detail, ...details } = SAMPLES[code];
  return new ApiError(code, detail, details);
}

export function problemSchemas(): Record<string, JsonSchema> {
  return {
    Problem: {
      type: "object",
      description:
        "Problem details (RFC 9457): the body of every refusal. Some codes add members of their own.",
      properties: {
        ok: { type: "boolean", const: false, description: "False on every refusal." },
        type: {
          type: "string",
          format: "uri",
          description: "The address of the documentation of this `code`.",
        },
        title: { type: "string", description: "What this `code` means, in a few words." },
        status: { type: "integer", description: "The HTTP status." },
        code: {
          type: "string",
          enum: ERROR_CODES,
          description: "What is wrong, for programs: it never changes its meaning.",
        },
        detail: {
          type: "string",
          description: "What is wrong with this request, for people: the wording may change.",
        },
        requestId: {
          type: "string",
          description: "The same as `X-Request-Id`: what to tell the operator of the service.",
        },
        errors: {
          type: "array",
          items: { $ref: "#/components/schemas/FieldError" },
          description: "Every fault of the request, not only the first.",
        },
      },
      required: ["ok", "type", "title", "status", "code", "detail", "requestId"],
      additionalProperties: true,
    },
    FieldError: {
      type: "object",
      description: "One fault, in a field of the body or in a header.",
      properties: {
        pointer: {
          type: "string",
          description: "JSON pointer (RFC 6901) to the field; empty for the whole body.",
        },
        header: { type: "string", description: "The name of the header." },
        detail: { type: "string", description: "What is wrong with it." },
      },
      required: ["detail"],
      additionalProperties: false,
    },
  };
}

export function problemExamples(options: ApiOptions): Record<string, NamedExample> {
  return Object.fromEntries(
    ERROR_CODES.map((code) => [
      code,
      { summary: ERRORS[code].title, value: sampleProblem(code, options) },
    ]),
  );
}

/** One response for each status of a refusal, named `Refusal400` and so on. */
export function problemResponses({ rateLimit }: ApiOptions): Record<string, ApiResponse> {
  const responses: Record<string, ApiResponse> = {};
  for (const status of problemStatuses(rateLimit)) {
    const codes = ERROR_CODES.filter((code) => ERRORS[code].status === status);
    const content = {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Problem" },
          { type: "object", properties: { status: { const: status }, code: { enum: codes } } },
        ],
      },
      examples: Object.fromEntries(
        codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      ),
    };
    responses[`Refusal${status}`] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(" "),
      headers: problemHeaders(status, rateLimit),
      content: { "application/problem+json": content, "application/json": content },
    };
  }
  return responses;
}

/** Every status that a refusal can have; 429 is none of them where there is no rate limit. */
function problemStatuses(rateLimit: number): number[] {
  const statuses = new Set(ERROR_CODES.map((code): number => ERRORS[code].status));
  if (rateLimit === 0) statuses.delete(429);
  return [...statuses].sort((a, b) => a - b);
}

/** The refusals that one operation can give, by status. */
export const problems = (statuses: number[]): Record<string, Reference> =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Refusal${status}` }]),
  );

/** A call that reached its tool: not 404 and 405, which belong to other paths and methods. */
export const toolProblems = (rateLimit: number): Record<string, Reference> =>
  problems(problemStatuses(rateLimit).filter((status) => status !== 404 && status !== 405));
