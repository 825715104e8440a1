import * as z from "zod";
import { ApiError } from "#errors.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { BeingMoved } from "#ledger/transfer/account-moves.ts";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import type { OperatorAct } from "#operator/acts.ts";
import type { OperatorContext } from "#operator/context.ts";
import { isOperation, type OperationName, operationOf } from "#operator/operations.ts";
import type { OperatorToken } from "#operator/perform.ts";
import { isRefused, perform } from "#operator/perform.ts";
import { dropBody, readBody } from "../pipeline/body.ts";
import { createTokenCheck } from "./check-token.ts";
import { faultResponse, OperatorError } from "./operator-error.ts";

/**
 * The operator's way into a deployed service: `POST /operator/v1/perform` with `{ operation, order }` and the token.
 * Orders name themselves, so what was not answered may be sent again. Each act leaves a line before it is answered; of one
 * that comes in parts, the first and the last.
 * `peer` is the network address of the client, as the door knows it. Faults become answers here and nowhere else.
 */
export type OperatorApp = { fetch(request: Request, peer: string | null): Promise<Response> };

const PATH = "/operator/v1/perform";

/** Nothing of it is for a page: there is no CORS, so a browser lets none read it. */
const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

export type OperatorAppWiring = {
  /** None: there is no way in. */
  tokens: readonly OperatorToken[];
  context: OperatorContext;
  /** The time of day in milliseconds since 1970 UTC. */
  now(): number;
  newRequestId(): string;
  /** Lets work come to its end that nobody waits for any more. */
  waitUntil(work: Promise<unknown>): void;
  /** Called with every act, for the log. Never a key, never an email address. */
  logAct(message: string, act: OperatorAct & { requestId: string }): void;
  logError(message: string, details: { requestId?: string; cause?: unknown }): void;
};

export function createOperatorApp(wiring: OperatorAppWiring): OperatorApp {
  const { tokens, context, now, waitUntil } = wiring;
  const checkToken = tokens.length === 0 ? null : createTokenCheck(tokens);

  async function respond(request: Request, { requestId, peer }: RequestContext): Promise<Response> {
    if (checkToken === null || new URL(request.url).pathname !== PATH)
      throw new OperatorError("not_found", NOTHING_HERE);
    if (request.method !== "POST") {
      throw new OperatorError("method_not_allowed", "Orders come with POST.", { Allow: "POST" });
    }
    const by = checkToken(request.headers.get("authorization"), peer, now());
    const { operation, order } = await readOrder(request);
    checkClock(order, now());
    const onAct = (act: OperatorAct) => wiring.logAct("An operator's act", { ...act, requestId });
    const operator = { by, address: peer };
    const done = perform({ context, operator, now, onAct }, operation, order);
    // Whoever asked may be gone by now: an act and its line belong together all the same.
    if (operationOf(operation).act !== null) waitUntil(done.catch(() => {}));
    const outcome = await done;
    return new Response(JSON.stringify({ ok: true, outcome: outcome ?? null }), {
      headers: { "Content-Type": "application/json" },
    });
  }

  return {
    async fetch(request, peer) {
      const requestContext = { requestId: wiring.newRequestId(), peer };
      const { requestId } = requestContext;
      const response = await respond(request, requestContext).catch((thrown) =>
        respondWithError(thrown, requestId, wiring.logError, request),
      );
      return withHeaders(response, requestId);
    },
  };
}

/** The response to what was thrown; the body of the request is dropped, for unread it would cost the client its connection. */
export async function respondWithError(
  thrown: unknown,
  requestId: string,
  logError: OperatorAppWiring["logError"],
  request: Request,
): Promise<Response> {
  const fault = explain(logError, thrown, requestId);
  const isDropped = await dropBody(request, OPERATOR_BODY_BYTES_MAX);
  const problem = faultResponse(fault, requestId);
  if (!isDropped) problem.headers.set("Connection", "close");
  return withHeaders(problem, requestId);
}

function withHeaders(response: Response, requestId: string): Response {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  response.headers.set("X-Request-Id", requestId);
  return response;
}

type RequestContext = { requestId: string; peer: string | null };

const NOTHING_HERE =
  "There is nothing here. Where this is a service that you operate: its operator's door opens when it has the secret TOOLBOOTH_OPERATOR_TOKEN.";

const asked = z.strictObject({ operation: z.string(), order: z.unknown() });

async function readOrder(request: Request): Promise<{ operation: OperationName; order: unknown }> {
  const bytes = await readBody(request, OPERATOR_BODY_BYTES_MAX, () => {});
  const body = asked.safeParse(parse(bytes));
  if (!body.success) {
    throw new OperatorError(
      "invalid_request",
      'The body must be JSON of the form {"operation": "findAccount", "order": {…}}.',
    );
  }
  const { operation, order } = body.data;
  if (!isOperation(operation)) {
    throw new OperatorError(
      "unknown_operation",
      `This version of the service knows no operation "${operation.slice(0, 60)}".`,
    );
  }
  const checked = operationOf(operation).input.safeParse(order);
  if (checked.success) return { operation, order: checked.data };
  const [issue] = checked.error.issues;
  // Where it is wrong and how, without its value.
  const where =
    issue === undefined ? "" : ` (${issue.path.join(".") || "order"}: ${issue.message})`;
  throw new OperatorError("invalid_request", `This is no order for ${operation}${where}.`);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const CLOCK_SLACK_MS = 15 * 60_000;

/** What is bought and what expires goes by the order's time, so a clock far off must not write into the books. */
function checkClock(order: unknown, now: number): void {
  const { now: at } = order as { now?: unknown };
  if (typeof at !== "number" || Math.abs(at - now) <= CLOCK_SLACK_MS) return;
  throw new OperatorError(
    "wrong_clock",
    `The order says it is ${describeTime(at)}, but here it is ${describeTime(now)}. Set the clock of the machine that sends it.`,
  );
}

function describeTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "no time at all" : date.toISOString();
}

function explain(
  logError: OperatorAppWiring["logError"],
  thrown: unknown,
  requestId: string,
): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  if (isRefused(thrown))
    return new OperatorError("refused", thrown.message.replace(/[^.?!]$/, "$&."));
  if (thrown instanceof ApiError) {
    const code = thrown.code === "too_large" ? "too_large" : "invalid_request";
    return new OperatorError(code, thrown.message, thrown.details.headers);
  }
  // Where it was the second step of an act, the first one is done; so nothing is said of that.
  const moved = [thrown, (thrown as Error | undefined)?.cause].find(
    (each) => each instanceof BeingMoved,
  );
  if (moved !== undefined) return new OperatorError("being_moved", `${moved.message}.`);
  logError("An operator's order failed", { requestId, cause: thrown });
  return thrown instanceof NotCarriedOut
    ? new OperatorError("unavailable", `${thrown.message}. Nothing was changed; try again.`, RETRY)
    : new OperatorError(
        "internal",
        `It is not known whether it was done; sending it again is safe. The service's log has the cause under ${requestId}.`,
        RETRY,
      );
}

const RETRY = { "Retry-After": "1" };
