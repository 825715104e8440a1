import { base } from "./base.ts";
import { connection } from "./connection.ts";
import { wordsFor } from "./text.ts";

/** The service answered, and said no. `detail` is a sentence for the person who asked. */
export class ProblemDetails extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  /** What `Retry-After` asks for, in seconds. */
  readonly retryAfter: number | null;

  constructor(problem: {
    status: number;
    code: string;
    detail: string;
    requestId: string | null;
    retryAfter?: number | null;
  }) {
    super(problem.detail);
    this.name = "Refusal";
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.retryAfter = problem.retryAfter ?? null;
  }
}

/** No answer came: the network or the service is away. */
export class Offline extends Error {
  constructor(cause?: unknown) {
    super("The service cannot be reached.", { cause });
    this.name = "Offline";
  }
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** After so long without an answer the service counts as out of reach: a sign-in may have to wait behind strangers' guesses. */
const PATIENCE_MS = 30_000;

/**
 * Asks the service for JSON. `path` begins with a slash and lies below the base.
 * Throws a `Refusal` for an answer that is no success, `Offline` where no answer came.
 */
export async function ask<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const init: RequestInit = {
    method,
    credentials: "same-origin",
    cache: "no-store",
    headers: { accept: "application/json" },
    signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
  };
  if (body !== undefined) {
    init.headers = { accept: "application/json", "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const { response, text } = await send(base() + path, init, signal);
  const value = parse(text);
  if (!response.ok) throw heard(problemOf(response, value));
  if (value === undefined && text !== "") {
    // Someone on the way answered: the sign-in page of a hotel's network, say.
    connection.set({ offline: true });
    throw new Offline();
  }
  return value as T;
}

async function send(
  address: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(address, init);
    const text = await response.text();
    // A gateway that answers for a service which is away.
    const away = response.status === 502 || response.status === 504;
    connection.set({ offline: away });
    if (away) throw new Offline();
    return { response, text };
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.set({ offline: true });
    throw error instanceof Offline ? error : new Offline(error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Our own refusals carry `detail`, those of the sign-in `message`; a proxy on the way may answer anything. */
function problemOf(response: Response, value: unknown): ProblemDetails {
  const members = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const { status } = response;
  const code = codeOf(status, members["code"]);
  const said = members["detail"] ?? members["message"];
  const detail = wordsFor(code, status) ?? (typeof said === "string" ? said : undefined);
  const seconds = Number.parseInt(
    response.headers.get("retry-after") ?? response.headers.get("x-retry-after") ?? "",
    10,
  );
  const requestId = members["requestId"] ?? response.headers.get("x-request-id");
  return new ProblemDetails({
    status,
    code,
    detail: detail ?? "The service gave an answer that this page does not understand. Try again.",
    requestId: typeof requestId === "string" ? requestId : null,
    retryAfter: Number.isNaN(seconds) ? null : seconds,
  });
}

function codeOf(status: number, code: unknown): string {
  const given = typeof code === "string" && code !== "" ? code : "";
  if (status === 429) return "too_many_requests";
  if (status === 401 && (given === "" || given === "UNAUTHORIZED")) return "signed_out";
  return given === "" ? (status >= 500 ? "internal" : "invalid_request") : given;
}

function heard(problem: ProblemDetails): ProblemDetails {
  if (problem.code === "signed_out") connection.set({ signedOut: true });
  return problem;
}
