import {
  type DebitOrder,
  type DebitOutcome,
  NotCarriedOut,
  type Standing,
} from "#credits/ledger.ts";
import { Fault } from "#errors.ts";
import { createIdSequence } from "#ids.ts";
import { CALL_PRICE } from "#limits.ts";
import type { Tool } from "#tools/tool.ts";
import { createAdmission } from "./admission.ts";
import {
  type Authenticator,
  type Caller,
  createAuthenticator,
  invalidKey,
} from "./authenticate.ts";
import { readBody } from "./body.ts";
import type { House } from "./house.ts";
import {
  createRunning,
  idempotencyOrder,
  readIdempotencyKey,
  repeatAnswer,
} from "./idempotency.ts";
import { millisecondsText, type Replier, type Trace } from "./reply.ts";
import { createReversals } from "./reversals.ts";
import { runTool, type ToolAnswer, type ToolJob } from "./run-tool.ts";
import type { Throttle } from "./throttle.ts";

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
export type CallTool = {
  (tool: Tool, request: Request, trace: Trace): Promise<Response>;
  /** Gives back what still has to be given back, before the service stops. */
  settle(): Promise<void>;
};

export function createCallTool(house: House, replier: Replier, throttle: Throttle): CallTool {
  const keys = createAuthenticator(house);
  const admission = createAdmission();
  const running = createRunning();
  const reversals = createReversals(house);
  const newId = createIdSequence(house.random);

  /** The debit's outcome. Where it cannot be known, the call is refused, and given back should it have been made. */
  function debit(order: DebitOrder): Promise<DebitOutcome> {
    return house.ledger.debit(order).catch((cause) => {
      if (order.idempotency === null && !(cause instanceof NotCarriedOut)) reversals.add(order);
      throw unavailable(cause);
    });
  }

  async function callTool(tool: Tool, request: Request, trace: Trace): Promise<Response> {
    const lap = createStopwatch(house, trace);
    const caller = await keys.authenticate(request.headers);
    trace.account = caller.account;
    const visit = createVisit(house, keys, throttle, caller, trace);

    const mayRepeat = request.headers.has("idempotency-key");
    if (!caller.known || mayBeHeavy(tool, request)) await visit.askStanding();
    await visit.takeRate();
    visit.requireCredits(mayRepeat);
    lap("key");

    let job: ToolJob;
    let answer: ToolAnswer;
    let repeatKey: string | null = null;
    let release = () => {};
    const room = admission.of(caller.account);
    try {
      try {
        repeatKey = mayRepeat ? readIdempotencyKey(request.headers) : null;
        const body = await readBody(request, tool.bodyBytesMax, room.take);
        lap("body");
        if (body.byteLength >= tool.heavyFromBytes) {
          // It came in small, compressed or unannounced: the work is worth asking for now.
          await visit.askStanding();
          visit.requireCredits(mayRepeat);
        }
        if (repeatKey !== null) release = running.claim(caller.account, tool.name, repeatKey);
        job = createJob(tool, body, request, trace, repeatKey !== null);
        answer = await run(house, tool, job);
        lap("tool");
      } catch (fault) {
        await visit.askStanding();
        visit.requireCredits(mayRepeat);
        throw fault;
      }
      const outcome = await debit({
        account: caller.account,
        keySha256: caller.keySha256,
        callId: newId("call"),
        tool: tool.name,
        now: house.now(),
        idempotency: idempotencyOrder(repeatKey, answer, trace.receivedAt),
      });
      lap("ledger");
      visit.settle(outcome);
      if (outcome.outcome === "replayed") {
        trace.replayed = true;
        const runAgain = (again: ToolJob) => run(house, tool, again);
        answer = await repeatAnswer(answer, job, outcome.replay, runAgain);
      }
    } finally {
      release();
      room.leave();
    }
    return replier.answer(answer.body, request.headers, trace);
  }

  return Object.assign(callTool, { settle: reversals.settle });
}

/** What the ledger says of a caller, turned into the refusals of the API and noted for the headers of the answer. */
function createVisit(
  house: House,
  keys: Authenticator,
  throttle: Throttle,
  caller: Caller,
  trace: Trace,
) {
  let standing: Standing | null = null;

  /** Throws where the key or the account refuse. Asks once. */
  async function askStanding(): Promise<void> {
    if (standing !== null) return;
    const { account, keySha256 } = caller;
    standing = await house.ledger
      .standing({ account, keySha256, now: house.now() })
      .catch((cause) => {
        throw unavailable(cause);
      });
    if (standing.outcome === "invalid_key") throw badKey();
    keys.remember(caller);
    if (standing.outcome === "account_suspended") throw suspended(trace, standing.balance);
    trace.balance = standing.balance;
  }

  /** No promise while the rate allows, which is nearly always. */
  function takeRate(): Promise<void> | undefined {
    trace.rate = throttle.take(caller.account, house.elapsed());
    return trace.rate.allowed ? undefined : refuseForRate(trace.rate.retryAfterSeconds);
  }

  async function refuseForRate(seconds: number): Promise<never> {
    await askStanding();
    throw new Fault(
      "rate_limited",
      `The account makes more than ${house.settings.rateLimit} calls a second. Wait ${seconds} s.`,
      { headers: { "Retry-After": String(seconds) } },
    );
  }

  /** The early refusal, where the balance is known. With an idempotency key the debit decides: it may be a replay. */
  function requireCredits(repeatable: boolean): void {
    if (standing?.outcome !== "good" || standing.freeCall || repeatable) return;
    if (standing.balance < CALL_PRICE) throw penniless(house, trace, standing.balance);
  }

  function settle(outcome: DebitOutcome): void {
    if (outcome.outcome === "invalid_key") throw badKey();
    trace.charged = outcome.outcome === "debited" ? outcome.charged : 0;
    if (outcome.outcome === "account_suspended") throw suspended(trace, outcome.balance);
    trace.balance = outcome.balance;
    if (outcome.outcome === "insufficient_credits") throw penniless(house, trace, outcome.balance);
    if (outcome.outcome === "idempotency_key_reused") {
      throw new Fault(
        "idempotency_key_reused",
        "This Idempotency-Key was used on this path within 24 hours with a different body.",
      );
    }
  }

  function badKey(): Fault {
    keys.forget(caller);
    // The account that the key claims is not to blame for a key that is not its own.
    if (trace.rate?.allowed) throttle.giveBack(caller.account);
    trace.rate = null;
    return invalidKey();
  }

  return { askStanding, takeRate, requireCredits, settle };
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

function run(house: House, tool: Tool, job: ToolJob): Promise<ToolAnswer> {
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

/** The ledger is out of reach: no call is made without it. */
function unavailable(cause: unknown): Fault {
  return new Fault(
    "unavailable",
    "The ledger of credits is out of reach. The call was not charged.",
    {
      cause,
      headers: { "Retry-After": "2" },
    },
  );
}

function suspended(trace: Trace, balance: number): Fault {
  trace.balance = balance;
  return new Fault("account_suspended", "The operator of this service has suspended the account.");
}

function penniless(house: House, trace: Trace, balance: number): Fault {
  trace.balance = balance;
  const topUpUrl = `${house.settings.publicUrl}/docs#credits`;
  return new Fault(
    "insufficient_credits",
    `A call costs ${CALL_PRICE} credit and the balance is ${balance}. How to get more: ${topUpUrl}`,
    { members: { balance, price: CALL_PRICE, topUpUrl } },
  );
}
