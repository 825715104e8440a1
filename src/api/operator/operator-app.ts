import type * as z from "zod";
import { dropBody, readBody } from "#calls/body.ts";
import { streamOf } from "#calls/exchange.ts";
import { problemResponse } from "#calls/problem.ts";
import { ApiError } from "#errors.ts";
import { randomBase62 } from "#ids.ts";
import { IN_WORDS } from "#issue-text.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import type { OperatorAction } from "#operator/actions.ts";
import type { OperatorContext } from "#operator/context.ts";
import { type Operation, pathOf } from "#operator/operation.ts";
import { OPERATIONS } from "#operator/operations.ts";
import { isRefused, type Performed, perform } from "#operator/perform.ts";
import { createTokenCheck } from "./check-token.ts";
import { OperatorError } from "./operator-error.ts";
import { operatorReference } from "./reference.ts";

/**
 * The API for operators: a POST for each operation, such as `/operator/credits/grant`, with its input as JSON. An order with an
 * `Idempotency-Key` can safely be sent again. Each action is recorded before its response is sent. `GET /operator/openapi.json`
 * describes it.
 */
export type OperatorApp = { fetch(request: Request, from: OperatorPeer): Promise<Response> };

/** Where a request comes from. `isLocal`: through the socket in the data folder, whose permissions stand for a token. */
export type OperatorPeer = { address: string | null; isLocal: boolean };

/** No page needs this API. Without CORS headers, browsers do not let another site read a response. */
const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

export type OperatorAppWiring = {
  /** Without a token only local requests are served: every other request gets 404. */
  token: string | null;
  context: OperatorContext;
  /** The time of day in milliseconds since 1970 UTC. */
  now(): number;
  newRequestId(): string;
  /** Keeps work alive after its client has disconnected. */
  waitUntil(work: Promise<unknown>): void;
  /** Called with every action, for the log. Never a key, never an email or network address. */
  logAction(message: string, action: Omit<OperatorAction, "address"> & { requestId: string }): void;
  logError(message: string, details: { requestId?: string; cause?: unknown }): void;
};

const REFERENCE_PATH = "/operator/openapi.json";

export function createOperatorApp(wiring: OperatorAppWiring): OperatorApp {
  const { token, context, now, waitUntil } = wiring;
  const byPath = new Map(OPERATIONS.map((operation) => [pathOf(operation), operation]));
  const checkToken = token === null ? null : createTokenCheck(token);

  async function respond(request: Request, { address, isLocal }: OperatorPeer, requestId: string) {
    if (!isLocal) {
      if (checkToken === null) throw new OperatorError("not_found", OFF);
      checkToken(request.headers.get("authorization"), address, now());
    }
    const { pathname } = new URL(request.url);
    if (pathname === REFERENCE_PATH) {
      requireMethod(request, "GET", pathname);
      return Response.json(operatorReference());
    }
    const operation = byPath.get(pathname);
    if (operation === undefined)
      throw new OperatorError(
        "not_found",
        `This version of the service has no ${pathname.slice(0, 80)}.`,
      );
    requireMethod(request, "POST", pathname);
    const input = await readInput(operation, request);
    // The log never contains network addresses.
    const onAction = ({ address: _, ...action }: OperatorAction) =>
      wiring.logAction("An operator's action", { ...action, requestId });
    const operator = { by: operatorOf(request), address };
    const orderId = readOrderId(request, context);
    const performed = perform(
      { context, operator, isLocal, orderId, now, onAction },
      operation,
      input,
    );
    // If the client disconnects, the action and its record are still completed together.
    if (operation.action !== null) waitUntil(performed.catch(() => {}));
    return responseTo(await performed);
  }

  return {
    async fetch(request, from) {
      const requestId = wiring.newRequestId();
      try {
        return withHeaders(await respond(request, from, requestId), requestId);
      } catch (thrown) {
        return respondWithError(thrown, requestId, wiring.logError, request);
      }
    },
  };
}

/** A file is sent as it is read, with its result in a header. */
function responseTo({ result, pieces, messages }: Performed): Response {
  if (pieces === null) return Response.json({ ok: true, result, messages });
  const headers = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": "attachment",
    "Toolbooth-Result": encodeURIComponent(JSON.stringify({ ok: true, result, messages })),
  };
  return new Response(streamOf(pieces), { headers });
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

const OFF =
  "The operator API is off. If you operate this service, set the secret TOOLBOOTH_OPERATOR_TOKEN to turn it on.";

function requireMethod({ method }: Request, allowed: string, path: string): void {
  if (method === allowed) return;
  const detail = `${method} is not allowed on ${path}; use ${allowed}.`;
  throw new OperatorError("method_not_allowed", detail, { Allow: allowed });
}

/** The header in which the command line says who runs it. Everybody who may send a request may say so. */
const OPERATOR_HEADER = "Toolbooth-Operator";

const operatorOf = ({ headers }: Request): string =>
  /^[\x21-\x7e]{1,60}$/.exec(headers.get(OPERATOR_HEADER) ?? "")?.[0] ?? "operator";

/** An order without an id is a new one each time. */
function readOrderId({ headers }: Request, { accountDeps }: OperatorContext): string {
  const id = headers.get("idempotency-key");
  if (id === null) return randomBase62(ORDER_ID_CHARS, accountDeps.random);
  if (/^[\x21-\x7e]{16,255}$/.test(id)) return id;
  throw new OperatorError(
    "invalid_request",
    "The Idempotency-Key must have 16 to 255 visible ASCII characters, which are random.",
  );
}
const ORDER_ID_CHARS = 22;

async function readInput(operation: Operation, request: Request): Promise<unknown> {
  const bytes = await readBody(request, OPERATOR_BODY_BYTES_MAX, null);
  const checked = operation.input.safeParse(parse(bytes), IN_WORDS);
  if (checked.success) return checked.data;
  throw new OperatorError("invalid_request", faultsOf(checked.error));
}

/** The fields and their faults, but never a value. */
const faultsOf = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 3)
    .map(
      ({ path, message }) =>
        `${path.length === 0 ? "The body" : `\`${path.join(".")}\``} ${message}.`,
    )
    .join(" ");

/** An escaped NUL. PostgreSQL takes none, and would fail as if it were away. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return {};
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!NUL.test(text)) return JSON.parse(text);
  } catch {}
  throw new OperatorError(
    "invalid_request",
    "The body must be a JSON object in UTF-8, without NUL characters.",
  );
}

function operatorErrorOf(
  logError: OperatorAppWiring["logError"],
  thrown: unknown,
  requestId: string,
): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  const cause = (thrown as Error | undefined)?.cause;
  const refused = [thrown, cause].find(isRefused);
  if (refused !== undefined)
    return new OperatorError("refused", (refused as Error).message.replace(/[^.?!]$/, "$&."));
  if (thrown instanceof ApiError) {
    const code = thrown.code === "too_large" ? "too_large" : "invalid_request";
    return new OperatorError(code, thrown.message, thrown.details.headers);
  }
  logError("An operator order failed", { requestId, cause: thrown });
  return thrown instanceof NotCarriedOut
    ? new OperatorError("unavailable", `${thrown.message}. Nothing was changed; try again.`, RETRY)
    : new OperatorError(
        "internal",
        `The service does not know whether it carried out the request. You can safely send it again with the same Idempotency-Key. The service's log has the cause under ${requestId}.`,
        RETRY,
      );
}

const RETRY = { "Retry-After": "1" };
