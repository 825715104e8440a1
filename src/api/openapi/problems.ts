import * as z from "zod/mini";
import { missingKey } from "#calls/authenticate.ts";
import {
  accountSuspended,
  chargeUnknown,
  idempotencyInProgress,
  idempotencyKeyReused,
  insufficientCredits,
  internalError,
  invalidKey,
  keyBudgetExhausted,
  keyExpired,
  keyNotAllowed,
  outcomeUnknown,
  rateLimited,
  toolFailed,
  toolTimeout,
  unavailable,
  upstreamError,
} from "#calls/call-errors.ts";
import { errorDocsUrl, problemBody } from "#calls/problem.ts";
import {
  ApiError,
  CHARGES_IN_DOUBT,
  ERRORS,
  type ErrorCode,
  LIMIT_SOURCES,
  type ProblemMembers,
} from "#errors.ts";
import { callRef } from "#ids.ts";
import type { Tool } from "#tools/define-tool.ts";
import { about } from "#tools/fields.ts";
import { QR_LEVELS } from "#tools/qr-code/capacity.ts";
import { UpstreamFault } from "#tools/run-fault.ts";
import { topUp } from "#top-up.ts";
import type { ApiOptions, ApiResponse, NamedExample, Reference } from "./document.ts";
import { responseHeadersOf } from "./headers.ts";
import { component } from "./schemas.ts";
import { namesOfFirst } from "./words.ts";

/** The errors in the OpenAPI description and on the errors page: their schema, and an example of every code. */

export const ERROR_CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

const text = (description: string, format?: string) => about(z.string(), description, format);
const JSON_TYPE = "application/json";

const count = (description: string) => about(z.int().check(z.minimum(0)), description);

/** The members that some codes add. */
const MEMBERS = {
  line: count("Of `invalid_json`: the line of the first error, from 1."),
  column: count("Of `invalid_json`: the column of the first error, from 1."),
  bytes: count("Of `text_too_long_for_level`: the UTF-8 bytes of the text."),
  capacities: about(
    z.partial(
      z.object(
        Object.fromEntries(
          QR_LEVELS.map((level) => [level, count(`The bytes at level ${level}.`)]),
        ),
      ),
    ),
    "Of `text_too_long_for_level`: how many bytes of the text a QR code holds at each level.",
  ),
  fits: about(
    z.nullable(z.string()),
    "Of `text_too_long_for_level`: the highest level at which the whole text fits; null if it fits at none.",
  ),
  balance: count(
    "Of `insufficient_credits` and `key_budget_exhausted`: the credits that the account can spend.",
  ),
  heldCredits: count(
    "Of `insufficient_credits` and `key_budget_exhausted`: how much of the balance or the budget running calls hold, if any. What they do not cost comes back.",
  ),
  price: count(
    "Of `insufficient_credits` and `key_budget_exhausted`: the credits that the call costs, or the least that it costs if the price depends on the input and the input was not read.",
  ),
  topUpUrl: text(
    "Of `insufficient_credits`, and of `key_budget_exhausted` where the account has too few credits as well: the page where you get more credits, or the operator's address (`mailto:`). Absent if the operator names none.",
    "uri",
  ),
  limitSource: about(
    z.enum(LIMIT_SOURCES),
    "Of 402, `key_not_allowed` and `rate_limited`: the limit that rejected the call.",
  ),
  budget: about(
    z.object({
      credits: count("What the key may spend in the period."),
      remaining: count("What is left of that."),
    }),
    "Of `key_budget_exhausted`: the budget of the key that `limitSource` names.",
  ),
  resetsAt: about(
    z.nullable(z.string()),
    "Of `key_budget_exhausted`: when the budget resets, in UTC; null if it never does.",
    "date-time",
  ),
  expiredAt: text(
    "Of `invalid_key`, if the key has expired: when the key, or the secret that was sent, expired, in UTC.",
    "date-time",
  ),
  allowedTools: about(
    z.array(z.string()),
    "Of `key_not_allowed`: the tools that the key may call, if it may not call this one.",
  ),
  limit: count("Of `too_large`: the limit, in bytes."),
  size: count("Of `too_large`: the size of the field or body, in bytes, if it is known."),
  upstream: about(
    z.object({
      status: about(z.int(), "The status with which the service responded."),
      problem: about(
        z.optional(z.unknown()),
        "What the service says about the request: JSON as it was sent, or text.",
      ),
    }),
    "Of `upstream_rejected`: the response of the service behind the tool.",
  ),
  callId: text(
    "Of `unavailable` and `internal`, if the call may have been charged: its id. Of `outcome_unknown`, and of a call that failed although it may have done its work: the id of that call. Send it to the operator when you ask about it.",
  ),
  charged: about(
    z.enum(CHARGES_IN_DOUBT),
    "Of `unavailable` and `internal`, if the call may have been charged. `unknown`: it is not known yet. `reversed`: it was charged, and the charge is reversed automatically. An error without this member was not charged.",
  ),
} satisfies Record<keyof ProblemMembers, z.ZodMiniType>;

const fieldError = component(
  "FieldError",
  "One error, in a field of the body, in the query or in a header.",
  {
    pointer: z.optional(text("JSON pointer (RFC 6901) to the field; empty for the whole body.")),
    parameter: z.optional(text("The name of the query parameter.")),
    header: z.optional(text("The name of the header.")),
    detail: text("What is wrong with it."),
  },
);

export const PROBLEM = component(
  "Problem",
  "Problem details (RFC 9457): the body of every error. The members that are not required depend on the code.",
  {
    ok: about(z.literal(false), "Always false."),
    type: text("The documentation of this `code`.", "uri"),
    title: text("What this `code` means, in a few words."),
    status: about(z.int(), "The HTTP status."),
    code: about(
      z.enum(ERROR_CODES),
      "The kind of error, for programs. A code never changes its meaning.",
    ),
    detail: text("What is wrong with this request, for people. The wording may change."),
    requestId: text(
      "The same as `X-Request-Id`. Send it to the operator when you ask about this request.",
    ),
    errors: about(
      z.optional(z.array(fieldError)),
      "Every error in the request, not only the first.",
    ),
    ...z.partial(z.object(MEMBERS)).shape,
  },
);

type Options = Pick<ApiOptions, "publicUrl" | "tools" | "sales" | "name">;

const SAMPLE_DAY = Date.UTC(2027, 0, 15);

/** An error of each code with a detail as the service writes it, and further examples of codes whose documents differ. */
function sampleErrors({ publicUrl, tools, sales = null }: Options): Record<string, ApiError> {
  const price = Math.max(...tools.map((tool) => tool.price));
  const [{ name, representations = [] }] = tools as [Tool];
  const path = `/api/v1/${name}`;
  const types = representations.map(({ type }) => type);
  const more = topUp(sales, publicUrl);
  const fieldFault = (code: ErrorCode, field: string, detail: string, members = {}) =>
    new ApiError(code, `\`${field}\` ${detail}.`, {
      members,
      errors: [{ pointer: `/${field}`, detail }],
    });
  const errors: Record<ErrorCode, ApiError> = {
    invalid_json: new ApiError(
      "invalid_json",
      'The body is not JSON: line 1, column 16: expected "," or "}", found the end of the body.',
      { members: { line: 1, column: 16 } },
    ),
    invalid_utf8: new ApiError(
      "invalid_utf8",
      "The body is not valid UTF-8. Encode it as UTF-8 and send it again.",
    ),
    invalid_request: fieldFault(
      "invalid_request",
      "count",
      "must be a whole number from 1 to 500; got 501",
    ),
    text_too_long_for_level: new ApiError(
      "text_too_long_for_level",
      "`text` is 2000 bytes of UTF-8; level Q holds only the first 1663 bytes. Capacity for this text: L all, M all, Q 1663 bytes, H 1273 bytes. Shorten the text, or request level M.",
      {
        members: { bytes: 2000, capacities: { L: 2000, M: 2000, Q: 1663, H: 1273 }, fits: "M" },
        errors: [
          {
            pointer: "/text",
            detail: "is 2000 bytes of UTF-8; level Q holds only the first 1663 bytes",
          },
        ],
      },
    ),
    idempotency_key_reused: idempotencyKeyReused(),
    missing_key: missingKey(),
    invalid_key: invalidKey(),
    insufficient_credits: insufficientCredits(0, 0, { price }, more),
    key_budget_exhausted: keyBudgetExhausted(
      { budget: "day", resetsAt: SAMPLE_DAY, credits: 50, remaining: 0 },
      4_200,
      { price },
      publicUrl,
      more,
    ),
    account_suspended: accountSuspended(),
    key_not_allowed: keyNotAllowed({
      ...{ outcome: "key_not_allowed", balance: 4_200 },
      ...{ limit: "tools", tools: namesOfFirst(tools) },
    }),
    not_found: new ApiError(
      "not_found",
      `No endpoint has the path ${path.slice(0, -1)}. Did you mean ${path}?`,
    ),
    method_not_allowed: new ApiError(
      "method_not_allowed",
      `GET is not allowed on ${path}; use POST.`,
    ),
    not_acceptable: new ApiError(
      "not_acceptable",
      `${name} cannot respond with "application/pdf". It responds with ${[JSON_TYPE, ...types].join(", ")}.`,
    ),
    request_timeout: new ApiError("request_timeout", "The request did not arrive in time."),
    idempotency_in_progress: idempotencyInProgress(),
    outcome_unknown: outcomeUnknown(SAMPLE_CALL),
    too_large: fieldFault("too_large", "text", "is 1048577 bytes of UTF-8; the limit is 1048576", {
      limit: 1_048_576,
      size: 1_048_577,
    }),
    unsupported_media_type: new ApiError(
      "unsupported_media_type",
      `${name} does not take the Content-Type "application/xml". Send JSON with \`Content-Type: ${JSON_TYPE}\`.`,
    ),
    rate_limited: rateLimited({
      ...{ source: "account", callsPerSecond: 100, allowed: false },
      ...{ remaining: 0, retryAfterSeconds: 1, resetSeconds: 2 },
    }),
    headers_too_large: new ApiError(
      "headers_too_large",
      "The request line and headers are over 32768 bytes.",
    ),
    internal: internalError(undefined),
    tool_failed: toolFailed("word-count", undefined),
    upstream_rejected: upstreamError(
      "convert",
      new UpstreamFault("rejected", "responded with 404", {
        ...{ status: 404, problem: { message: "There is no such file." } },
      }),
    ),
    upstream_failed: upstreamError(
      "convert",
      new UpstreamFault("failed", "responded with 503", { status: 503 }),
    ),
    unavailable: unavailable(undefined),
    tool_timeout: toolTimeout("word-count", 10_000),
  };
  return {
    ...errors,
    credits_held: insufficientCredits(0, 2 * price, { price }, more),
    expired_key: keyExpired(SAMPLE_DAY),
    charge_unknown: chargeUnknown(SAMPLE_CALL, false, undefined),
  };
}

const SAMPLE_CALL = callRef({
  account: "acc_4XnB7pQ2sLk9",
  callId: "call_T8vWz3HcY5m0a1",
  at: SAMPLE_DAY,
});

/** The titles of examples that do not have that of their code. */
const OWN_TITLES: Record<string, string> = {
  credits_held: "Running calls hold the credits",
  expired_key: "The API key has expired",
  charge_unknown: "It is not known whether the call was charged",
};

/** The examples by name: that of a code has the name of the code. */
export function problemExamples(options: Options): Record<string, NamedExample> {
  const docsUrl = errorDocsUrl(options.publicUrl);
  return Object.fromEntries(
    Object.entries(sampleErrors(options)).map(([name, error]) => [
      name,
      {
        summary: OWN_TITLES[name] ?? error.title,
        value: problemBody(error, "req_4711", docsUrl),
      },
    ]),
  );
}

/** One response for each status of an error, named `Problem400` and so on. */
export function problemResponses(options: Options): Record<string, ApiResponse> {
  const errors = Object.entries(sampleErrors(options));
  return Object.fromEntries(
    PROBLEM_STATUSES.map((status) => {
      const codes = ERROR_CODES.filter((code) => ERRORS[code].status === status);
      const names = errors.filter(([, error]) => error.status === status).map(([name]) => name);
      const content = {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Problem" },
            { type: "object", properties: { status: { type: "integer", const: status } } },
          ],
        },
        examples: Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/examples/${name}` }]),
        ),
      };
      const response = {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(" "),
        headers: responseHeadersOf(status, options),
        content: { "application/problem+json": content, "application/json": content },
      };
      return [`Problem${status}`, response];
    }),
  );
}

/** Every status of an error. */
const PROBLEM_STATUSES: readonly number[] = [
  ...new Set(ERROR_CODES.map((code): number => ERRORS[code].status)),
].sort((a, b) => a - b);

/** The errors of one operation, by status. */
export const problems = (statuses: readonly number[]): Record<string, Reference> =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
  );

/** The errors of a call: all but 404 and 405, which are for other paths and methods. */
export const toolProblems = (): Record<string, Reference> =>
  problems(PROBLEM_STATUSES.filter((status) => status !== 404 && status !== 405));

/** Those of a quote, which needs no credits and has no repeats. */
export const quoteProblems = (): Record<string, Reference> => {
  const { 402: _, 409: __, ...others } = toolProblems();
  return others;
};
