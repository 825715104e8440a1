import { Hono } from "hono";
import * as z from "zod";
import { ApiError } from "#errors.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { BeingMoved } from "#ledger/transfer/account-moves.ts";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import type { OperatorAction } from "#operator/actions.ts";
import type { OperatorContext } from "#operator/context.ts";
import { isOperation, type OperationName, operationOf } from "#operator/operations.ts";
import type { OperatorToken } from "#operator/perform.ts";
import { isRefused, perform } from "#operator/perform.ts";
import { schemaOf } from "#operator/schemas/schemas.ts";
import { dropBody, readBody } from "../pipeline/body.ts";
import { problemResponse } from "../problem.ts";
import { createTokenCheck } from "./check-token.ts";
import { OperatorError } from "./operator-error.ts";

/**
 * The API for operators: `POST /operator/v1/perform` with `{ operation, order }` and an operator's token. Every order
 * has an id, so a client that got no response can safely send it again. Each action is recorded before its response
 * is sent; of an action in several parts, the first and the last part are.
 *
 * `peer` is the network address of the client, null if the runtime does not know it. Errors become responses here and
 * nowhere else.
 */
export type OperatorApp = { fetch(request: Request, peer: string | null): Promise<Response> };

const PATH = "/operator/v1/perform";

/** No page needs this API. Without CORS headers, browsers do not let another site read a response. */
const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

export type OperatorAppWiring = {
  /** Without a token the API is off: every request gets 404. */
  tokens: readonly OperatorToken[];
  context: OperatorContext;
  /** The time of day in milliseconds since 1970 UTC. */
  now(): number;
  newRequestId(): string;
  /** Keeps work alive after its client has disconnected. */
  waitUntil(work: Promise<unknown>): void;
  /** Called with every action, for the log. Never a key, never an email address. */
  logAction(message: string, action: OperatorAction & { requestId: string }): void;
  logError(message: string, details: { requestId?: string; cause?: unknown }): void;
};

type RequestContext = { requestId: string; peer: string | null };

export function createOperatorApp(wiring: OperatorAppWiring): OperatorApp {
  const { tokens, context, now, waitUntil } = wiring;

  const app = new Hono<{ Bindings: RequestContext }>();
  if (tokens.length > 0) {
    const checkToken = createTokenCheck(tokens);
    app.all(PATH, async (c) => {
      const { requestId, peer } = c.env;
      if (c.req.method !== "POST") {
        const detail = `${c.req.method} is not allowed on ${PATH}; use POST.`;
        throw new OperatorError("method_not_allowed", detail, { Allow: "POST" });
      }
      const by = checkToken(c.req.header("authorization") ?? null, peer, now());
      const { operation, order } = await readOrder(c.req.raw);
      checkClock(order, now());
      const onAction = (action: OperatorAction) =>
        wiring.logAction("An operator's action", { ...action, requestId });
      const operator = { by, address: peer };
      const performed = perform({ context, operator, now, onAction }, operation, order);
      // If the client disconnects, the action and its record are still completed together.
      if (operationOf(operation).action !== null) waitUntil(performed.catch(() => {}));
      const outcome = await performed;
      return c.json({ ok: true, outcome: outcome ?? null });
    });
  }
  app.notFound(() => {
    throw new OperatorError("not_found", NOT_FOUND);
  });
  app.onError((error, c) => respondWithError(error, c.env.requestId, wiring.logError, c.req.raw));

  return {
    async fetch(request, peer) {
      const requestId = wiring.newRequestId();
      const requestContext: RequestContext = { requestId, peer };
      return withHeaders(await app.fetch(request, requestContext), requestId);
    },
  };
}

/** Drops the rest of the request's body; leaving it unread would cost the client its connection. */
export async function respondWithError(
  thrown: unknown,
  requestId: string,
  logError: OperatorAppWiring["logError"],
  request: Request,
): Promise<Response> {
  const error = operatorErrorOf(logError, thrown, requestId);
  const isDropped = await dropBody(request, OPERATOR_BODY_BYTES_MAX);
  const response = problemResponse(error, requestId, request.headers.get("accept"));
  if (!isDropped) response.headers.set("Connection", "close");
  return withHeaders(response, requestId);
}

function withHeaders(response: Response, requestId: string): Response {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  response.headers.set("X-Request-Id", requestId);
  return response;
}

const NOT_FOUND =
  "The operator API is off. If you operate this service, set the secret TOOLBOOTH_OPERATOR_TOKEN to turn it on.";

const requestBody = z.strictObject({ operation: z.string(), order: z.unknown() });

async function readOrder(request: Request): Promise<{ operation: OperationName; order: unknown }> {
  const bytes = await readBody(request, OPERATOR_BODY_BYTES_MAX, null);
  const body = requestBody.safeParse(parse(bytes));
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
      `This version of the service has no operation "${operation.slice(0, 60)}".`,
    );
  }
  const checked = schemaOf(operation).input.safeParse(order);
  if (checked.success) return { operation, order: checked.data };
  const [issue] = checked.error.issues;
  // The field and the fault, but never the value.
  const fault =
    issue === undefined ? "" : ` (${issue.path.join(".") || "order"}: ${issue.message})`;
  throw new OperatorError("invalid_request", `The order is not valid for ${operation}${fault}.`);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const CLOCK_SLACK_MS = 15 * 60_000;

/** Purchases and expiries use the time of the order, so an order from a wrong clock must not reach the ledger. */
function checkClock(order: unknown, now: number): void {
  const { now: at } = order as { now?: unknown };
  if (typeof at !== "number" || Math.abs(at - now) <= CLOCK_SLACK_MS) return;
  throw new OperatorError(
    "wrong_clock",
    `The order's time is ${describeTime(at)}, but the service's clock says ${describeTime(now)}. Correct the clock of the machine that sends the order.`,
  );
}

function describeTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "out of range" : date.toISOString();
}

function operatorErrorOf(
  logError: OperatorAppWiring["logError"],
  thrown: unknown,
  requestId: string,
): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  if (isRefused(thrown)) {
    return new OperatorError("refused", thrown.message.replace(/[^.?!]$/, "$&."));
  }
  if (thrown instanceof ApiError) {
    const code = thrown.code === "too_large" ? "too_large" : "invalid_request";
    return new OperatorError(code, thrown.message, thrown.details.headers);
  }
  // The first step may already be done, so the message does not say that nothing changed.
  const moved = [thrown, (thrown as Error | undefined)?.cause].find(
    (each) => each instanceof BeingMoved,
  );
  if (moved !== undefined) return new OperatorError("being_moved", `${moved.message}.`);
  logError("An operator order failed", { requestId, cause: thrown });
  return thrown instanceof NotCarriedOut
    ? new OperatorError("unavailable", `${thrown.message}. Nothing was changed; try again.`, RETRY)
    : new OperatorError(
        "internal",
        `The service does not know whether it carried out the order. You can safely send it again. The service's log has the cause under ${requestId}.`,
        RETRY,
      );
}

const RETRY = { "Retry-After": "1" };
