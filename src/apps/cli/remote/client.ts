import { setTimeout as sleep } from "node:timers/promises";
import { AccountError } from "#accounts/accounts.ts";
import { clientOver, type OperationName, type OperatorClient } from "#operator/operations.ts";
import { schemaOf } from "#operator/schemas/schemas.ts";
import { CommandError, type Remote } from "../command.ts";
import {
  AccountBeingMoved,
  explainNoResponse,
  explainResponse,
  explainVersion,
  isPermanent,
  type Problem,
} from "./faults.ts";

const RESPONSE_TIMEOUT_MS = 30_000;
/** Pauses before retries. Each order has an id, so the service carries it out only once. */
const RETRY_PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
/** If a service asks for a longer pause, the command fails. */
const RETRY_PAUSE_MAX_MS = 10_000;

/** Creates a client for the operator API of a remote service. */
export function createHttpClient(remote: Remote, pausesMs = RETRY_PAUSES_MS): OperatorClient {
  let hasResponded = false;

  async function send(name: string, order: unknown): Promise<SendResult> {
    const body = JSON.stringify({ operation: name, order });
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${remote.url}/operator/v1/perform`, {
        method: "POST",
        headers: { Authorization: `Bearer ${remote.token}`, "Content-Type": "application/json" },
        body,
        // Following a redirect would send the token to another server.
        redirect: "manual",
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      return {
        error: new CommandError(explainNoResponse(error, remote.url)),
        // If the service has responded before, its URL is right and a retry may help.
        canRetry: hasResponded || !isPermanent(error),
        pauseMs: null,
      };
    }
    const result = parse(text);
    if (response.ok && result?.ok === true) {
      hasResponded = true;
      return { outcome: result.outcome };
    }
    return failureOf(response, result, remote.url, text);
  }

  async function request(name: OperationName, order: unknown): Promise<unknown> {
    for (let tries = 0; ; tries += 1) {
      const sent = await send(name, order);
      if ("outcome" in sent) return readOutcome(name, sent.outcome, remote.url);
      const pauseMs = Math.max(sent.pauseMs ?? 0, pausesMs[tries] ?? 0);
      if (!sent.canRetry || tries >= pausesMs.length || pauseMs > RETRY_PAUSE_MAX_MS)
        throw sent.error;
      await sleep(pauseMs);
    }
  }

  return clientOver(request);
}

function readOutcome(name: OperationName, outcome: unknown, url: string): unknown {
  const read = schemaOf(name).output.safeParse(outcome);
  if (read.success) return read.data;
  throw new CommandError(explainVersion(url, `the outcome of ${name} has a different format.`));
}

type SendResult =
  | { outcome: unknown }
  | { error: Error; canRetry: boolean; pauseMs: number | null };

type ApiResponse = { ok?: boolean; outcome?: unknown } & Partial<Problem>;

function parse(text: string): ApiResponse | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as ApiResponse | null) : null;
  } catch {
    return null;
  }
}

function failureOf(
  response: Response,
  result: ApiResponse | null,
  url: string,
  text: string,
): SendResult {
  const { code, detail } = result ?? {};
  const problem = code === undefined || detail === undefined ? null : { code, detail };
  if (problem?.code === "refused") {
    return { error: new AccountError(problem.detail), canRetry: false, pauseMs: null };
  }
  if (problem?.code === "being_moved") {
    return { error: new AccountBeingMoved(problem.detail), canRetry: false, pauseMs: null };
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    error: new CommandError(explainResponse(response, problem, url, text)),
    canRetry: response.status >= 500 || response.status === 429,
    pauseMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
  };
}
