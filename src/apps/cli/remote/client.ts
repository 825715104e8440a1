import { setTimeout as sleep } from "node:timers/promises";
import { DeskRefusal } from "#accounts/people.ts";
import {
  clientOver,
  type OperationName,
  type OperatorClient,
  operationOf,
} from "#operator/operations.ts";
import { Refusal } from "../command.ts";
import type { Remote } from "./address.ts";
import {
  AccountBeingMoved,
  explainAnswer,
  explainNoAnswer,
  explainVersion,
  isHopeless,
  type Problem,
} from "./faults.ts";

const ANSWER_TIMEOUT_MS = 30_000;
/** The pauses before an order is sent again; each order names itself, so it is carried out once. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
/** A service that asks for more is given up. */
const PAUSE_MAX_MS = 10_000;

/** The operator's operations of a service at an address. */
export function createHttpClient(remote: Remote, pausesMs = PAUSES_MS): OperatorClient {
  let hasAnswered = false;

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
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      // Before the first answer it is the address that is wrong, and waiting will not mend it.
      const again = hasAnswered || !isHopeless(error);
      return { fault: new Refusal(explainNoAnswer(error, remote.url)), again, pauseMs: null };
    }
    const answer = parse(text);
    if (response.ok && answer?.ok === true) {
      hasAnswered = true;
      return { outcome: answer.outcome };
    }
    return refusalOf(response, answer, remote.url, text);
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
  throw new Refusal(explainVersion(url, `its outcome of ${name} is another one.`));
}

type Sent = { outcome: unknown } | { fault: Error; again: boolean; pauseMs: number | null };

type Answer = { ok?: boolean; outcome?: unknown } & Partial<Problem>;

function parse(text: string): Answer | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as Answer | null) : null;
  } catch {
    return null;
  }
}

function refusalOf(response: Response, answer: Answer | null, url: string, text: string): Sent {
  const { code, detail } = answer ?? {};
  const problem = code === undefined || detail === undefined ? null : { code, detail };
  if (problem?.code === "refused") {
    return { fault: new DeskRefusal(problem.detail), again: false, pauseMs: null };
  }
  if (problem?.code === "being_moved") {
    return { fault: new AccountBeingMoved(problem.detail), again: false, pauseMs: null };
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    fault: new Refusal(explainAnswer(response, problem, url, text)),
    again: response.status >= 500 || response.status === 429,
    pauseMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
  };
}
