import { base } from "./addresses.ts";
import { connection } from "./connection.ts";
import { proof } from "./proof.ts";

/** An error response of the service. `detail` is a sentence for the user. */
export class ProblemDetails extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  /** `Retry-After`, in seconds. */
  readonly retryAfter: number | null;

  constructor(problem: {
    status: number;
    code: string;
    detail: string;
    requestId: string | null;
    retryAfter?: number | null;
  }) {
    super(problem.detail);
    this.name = "ProblemDetails";
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.retryAfter = problem.retryAfter ?? null;
  }
}

/** No response arrived: the network is down or the service is unreachable. */
export class OfflineError extends Error {
  constructor(cause?: unknown) {
    super("The service cannot be reached.", { cause });
    this.name = "OfflineError";
  }
}

/** Whether the service says that it cannot do this now, but soon. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof ProblemDetails && error.status === 503;

/** Whether a change may have been made although its response did not arrive, or was an error of the service. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof OfflineError || (error instanceof ProblemDetails && error.status >= 500);

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Generous, because a slow connection is no reason to give up. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Sends a JSON request to the service and returns the parsed response. `path` begins with a slash and excludes the base.
 * If the service wants a fresh proof of who the user is, a dialog asks for it, and the request is sent again.
 * Throws `ProblemDetails` for an error response and `OfflineError` if no response arrives.
 */
export async function request<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await requestOnce(method, path, body, signal);
  } catch (error) {
    const needsProof = error instanceof ProblemDetails && error.code === "fresh_proof_required";
    if (!needsProof || !(await proof.ask())) throw error;
    return requestOnce(method, path, body, signal);
  }
}

async function requestOnce<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const init: RequestInit = {
    method,
    credentials: "same-origin",
    cache: "no-store",
    headers: { accept: "application/json" },
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  };
  if (body !== undefined) {
    init.headers = { accept: "application/json", "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const { response, text } = await send(path, init, signal);
  const value = parse(text);
  if (!response.ok) {
    const problem = problemOf(response, value);
    if (problem.code === "signed_out") connection.set({ signedOut: true });
    throw problem;
  }
  // The service responds with a JSON object. Something else answered, such as the sign-in page of a hotel's network.
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    connection.set({ offline: true });
    throw new OfflineError();
  }
  return value as T;
}

async function send(
  path: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(base() + path, init);
    const text = await response.text();
    // A gateway answers for a service that it cannot reach.
    const isGatewayError = response.status === 502 || response.status === 504;
    connection.set({ offline: isGatewayError });
    if (isGatewayError) throw new OfflineError();
    return { response, text };
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.set({ offline: true });
    throw error instanceof OfflineError ? error : new OfflineError(error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Our own errors carry `detail`, better-auth's carry `message`, and a proxy may send anything. */
function problemOf(response: Response, body: unknown): ProblemDetails {
  const { status, headers } = response;
  const code = codeOf(status, stringMember(body, "code"));
  const seconds = Number.parseInt(
    headers.get("retry-after") ?? headers.get("x-retry-after") ?? "",
    10,
  );
  return new ProblemDetails({
    status,
    code,
    detail:
      errorMessageFor(code, status) ??
      stringMember(body, "detail") ??
      stringMember(body, "message") ??
      "The service sent a response that this page does not understand. Try again.",
    requestId: stringMember(body, "requestId") ?? headers.get("x-request-id"),
    retryAfter: Number.isNaN(seconds) ? null : seconds,
  });
}

/**
 * Our sentences for better-auth's error codes. Errors of our own handlers carry their sentence in `detail`.
 * The wording never reveals whether an email address has an account.
 */
const MESSAGES: Record<string, string> = {
  INVALID_EMAIL: "Enter a complete email address, such as name@example.com.",
  SESSION_EXPIRED: "Your session has ended. Sign in again to continue.",
  FAILED_TO_CREATE_SESSION: "We could not sign you in. Try again.",
  PROVIDER_NOT_FOUND: "This sign-in method is not available here. Use your email address.",
  signed_out: "Your session has ended. Sign in again to continue.",
  too_many_requests: "Too many attempts. Wait a moment, then try again.",
};

/** The message for an error code, or undefined if the server's own `detail` should be shown. */
function errorMessageFor(code: string, status: number): string | undefined {
  if (Object.hasOwn(MESSAGES, code)) return MESSAGES[code];
  if (status >= 500 && code === "internal") {
    return "Try again in a moment. If the problem persists, contact the operator of this service.";
  }
  return undefined;
}

function stringMember(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : undefined;
}

function codeOf(status: number, code = ""): string {
  if (status === 401 && (code === "" || code === "UNAUTHORIZED")) return "signed_out";
  if (code !== "") return code;
  if (status === 429) return "too_many_requests";
  return status >= 500 ? "internal" : "invalid_request";
}
