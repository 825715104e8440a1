import { setTimeout as sleep } from "node:timers/promises";
import { AccountError } from "#accounts/people.ts";
import {
  clientOver,
  type OperationName,
  type OperatorClient,
  operationOf,
} from "#operator/operations.ts";
import { ProblemDetails } from "../command.ts";
import type { Remote } from "./address.ts";
import {
  AccountBeingMoved,
  explainNoResponse,
  explainResponse,
  explainVersion,
  isHopeless,
  type Problem,
} from "./faults.ts";

const RESPONSE_TIMEOUT_MS = 30_000;
/** The pauses before an order is sent again; each order names itself, so it is carried out once. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
/** A service that asks for more is given up. */
const PAUSE_MAX_MS = 10_000;

/** The operator's operations of a service at an address. */
export function createHttpClient(remote: Remote, pausesMs = PAUSES_MS): OperatorClient {
  let hasResponded = false;

  async function send(name: string, order: unknown): Promise<Sent> {
    const body = JSON.stringify({ operation: name, order });
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${remote.url}/operator/v1/perform`, {
        method: "POST",
        headers: { Authorization: `Bearer ${remote.token}`, "Content-Type": "application/json" },
        body,
        // The token goes to the address that was named, and nowhere else.
        redirect: "manual",
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      // Before the first answer it is the address that is wrong, and waiting will not mend it.
      const again = hasResponded || !isHopeless(error);
      return {
        fault: new ProblemDetails(explainNoResponse(error, remote.url)),
        again,
        pauseMs: null,
      };
    }
    const result = parse(text);
    if (response.ok && result?.ok === true) {
      hasResponded = true;
      return { outcome: result.outcome };
    }
    return problemOf(response, result, remote.url, text);
  }

  async function ask(name: OperationName, order: unknown): Promise<unknown> {
    for (let tries = 0; ; tries += 1) {
      const sent = await send(name, order);
      if ("outcome" in sent) return readOutcome(name, sent.outcome, remote.url);
      const pauseMs = Math.max(sent.pauseMs ?? 0, pausesMs[tries] ?? 0);
      if (!sent.again || tries >= pausesMs.length || pauseMs > PAUSE_MAX_MS) throw sent.fault;
      await sleep(pauseMs);
    }
  }

  return clientOver(ask);
}

function readOutcome(name: OperationName, outcome: unknown, url: string): unknown {
  const read = operationOf(name).output.safeParse(outcome);
  if (read.success) return read.data;
  throw new ProblemDetails(explainVersion(url, `its outcome of ${name} is another one.`));
}

type Sent = { outcome: unknown } | { fault: Error; again: boolean; pauseMs: number | null };

type ApiResponse = { ok?: boolean; outcome?: unknown } & Partial<Problem>;

function parse(text: string): ApiResponse | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as ApiResponse | null) : null;
  } catch {
    return null;
  }
}

function problemOf(
  response: Response,
  result: ApiResponse | null,
  url: string,
  text: string,
): Sent {
  const { code, detail } = result ?? {};
  const problem = code === undefined || detail === undefined ? null : { code, detail };
  if (problem?.code === "refused") {
    return { fault: new AccountError(problem.detail), again: false, pauseMs: null };
  }
  if (problem?.code === "being_moved") {
    return { fault: new AccountBeingMoved(problem.detail), again: false, pauseMs: null };
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    fault: new ProblemDetails(explainResponse(response, problem, url, text)),
    again: response.status >= 500 || response.status === 429,
    pauseMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
  };
}
