import { Fault } from "#errors.ts";
import { createIdSequence } from "#ids.ts";
import { type DebitOrder, type DebitOutcome, NotCarriedOut } from "#ledger/port.ts";
import type { Throttle } from "#ledger/throttle.ts";
import type { Tool } from "#tools/tool.ts";
import { createAdmission } from "./admission.ts";
import { createAuthenticator } from "./authenticate.ts";
import { readBody } from "./body.ts";
import { unavailable } from "./caller-refusals.ts";
import { createFarVisits } from "./far-visit.ts";
import type { House } from "./house.ts";
import {
  createRunning,
  idempotencyOrder,
  readIdempotencyKey,
  repeatAnswer,
} from "./idempotency.ts";
import { createNearVisits } from "./near-visit.ts";
import { millisecondsText, type Replier, type Trace } from "./reply.ts";
import { isLargeText, PIECE_CHARS } from "./reply-pieces.ts";
import { type CallAnswer, runTool, runToolInPieces, type ToolJob } from "./run-tool.ts";
import type { OpenVisit, Visit } from "./visit.ts";

/**
 * The corridor that every call walks:
 *
 *     key (401, 403) -> rate (429) -> credits (402) -> body (413, 400, 415) -> tool -> debit (402) -> answer
 *
 * That is the order which a client sees. The ledger is asked as seldom as this allows: a small call with a key that
 * is known on this node asks once, at the debit, which decides key, account and credits in one transaction. Where the
 * tool's work would be worth something to a stranger (an unknown key, a large body), where the rate is used up, or
 * where body or tool refuse, the key's standing is asked for, and its refusal comes before theirs.
 */
export type CallTool = (tool: Tool, request: Request, trace: Trace) => Promise<Response>;

export function createCallTool(house: House, replier: Replier, throttle: Throttle): CallTool {
  const keys = createAuthenticator(house);
  const admission = createAdmission(house.room, house.elapsed);
  const running = createRunning();
  const newId = createIdSequence(house.random);
  const { farLedger } = house;
  const open: OpenVisit =
    farLedger === null
      ? createNearVisits(house, keys, throttle)
      : createFarVisits(house, keys, farLedger);

  /** Where the debit's outcome cannot be known, the call is refused, and given back should it have been made. */
  function debit(order: DebitOrder, visit: Visit): Promise<DebitOutcome> {
    return visit.debit(order).catch(async (cause) => {
      if (cause instanceof Fault) throw cause;
      if (order.idempotency === null && !(cause instanceof NotCarriedOut)) {
        const { account, callId, now: at } = order;
        await house.reverseLater({ account, callId, at });
      }
      throw unavailable(cause);
    });
  }

  async function callTool(tool: Tool, request: Request, trace: Trace): Promise<Response> {
    const lap = createStopwatch(house, trace);
    const claimed = keys.authenticate(request.headers);
    // Here and below: a wait for what is there already would cost every call.
    const caller = claimed instanceof Promise ? await claimed : claimed;
    trace.account = caller.account;
    const mayRepeat = request.headers.has("idempotency-key");
    const visit = open(caller, trace, mayRepeat);

    const entering = visit.enter(mayBeHeavy(tool, request));
    if (entering !== undefined) await entering;
    lap("key");

    let job: ToolJob;
    let answer: CallAnswer;
    let repeatKey: string | null = null;
    let releaseKey = () => {};
    const share = admission.of(caller.account);
    try {
      try {
        repeatKey = mayRepeat ? readIdempotencyKey(request.headers) : null;
        const body = await readBody(request, tool.bodyBytesMax, share.take, house.bodyTimeoutMs);
        lap("body");
        if (body.byteLength >= tool.heavyFromBytes) {
          await visit.reconsider();
        }
        // Nothing large is begun while answers hold more than the room has.
        if (house.repliesInPieces !== false && body.byteLength > PIECE_CHARS) {
          share.swap(body.byteLength);
        }
        if (repeatKey !== null) releaseKey = running.claim(caller.account, tool.name, repeatKey);
        job = createJob(tool, body, request, trace, repeatKey !== null);
        answer = await run(house, tool, job);
        if (isLargeText(answer.body)) {
          // Its body is needed again only where the call turns out to be a repeat.
          if (repeatKey === null) job.body = NOTHING;
          share.swap(answer.body.heldBytes + job.body.byteLength);
        }
        lap("tool");
      } catch (fault) {
        // Of a body that did not come nothing is held, and the room is wanted.
        if (fault instanceof Fault && fault.code === "request_timeout") share.release();
        await visit.refuse();
        throw fault;
      }
      const order = {
        account: caller.account,
        keySha256: caller.keySha256,
        callId: newId("call"),
        tool: tool.name,
        now: house.now(),
        idempotency: idempotencyOrder(repeatKey, answer, trace.receivedAt),
      };
      const outcome = await debit(order, visit);
      lap("ledger");
      visit.settle(outcome);
      if (outcome.outcome === "replayed") {
        trace.replayed = true;
        const runAgain = (again: ToolJob) => run(house, tool, again);
        answer = await repeatAnswer(answer, job, outcome.replay, runAgain);
      }
      const response = replier.answer(answer.body, request.headers, trace, share);
      return response instanceof Promise ? await response : response;
    } finally {
      releaseKey();
      share.release();
    }
  }

  return callTool;
}

/** By what it says of itself. A body that does not tell its length is taken for a heavy one. */
const mayBeHeavy = (tool: Tool, request: Request) =>
  !(Number(request.headers.get("content-length") ?? Number.NaN) < tool.heavyFromBytes);

function createJob(
  tool: Tool,
  body: Uint8Array,
  request: Request,
  trace: Trace,
  fingerprint: boolean,
): ToolJob {
  return {
    tool: tool.name,
    body,
    contentType: request.headers.get("content-type"),
    receivedAt: trace.receivedAt,
    random: null,
    fingerprint,
  };
}

const NOTHING = new Uint8Array();

function run(house: House, tool: Tool, job: ToolJob): Promise<CallAnswer> {
  if (house.repliesInPieces !== false) return runToolInPieces(job, house);
  return house.runHeavy !== null && job.body.byteLength >= tool.heavyFromBytes
    ? house.runHeavy(job)
    : runTool(job, house);
}

function createStopwatch(house: House, trace: Trace): (part: string) => void {
  let last = trace.startedAt;
  return (part) => {
    const now = house.elapsed();
    trace.timing += `${part};dur=${millisecondsText(now - last)}, `;
    last = now;
  };
}
