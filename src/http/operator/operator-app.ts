import * as z from "zod";
import { DeskRefusal } from "#accounts/people.ts";
import { Fault } from "#errors.ts";
import { NotCarriedOut, OrderRefused } from "#ledger/port.ts";
import { BeingMoved } from "#ledger/transfer/account-moves.ts";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import { dropBody, readBody } from "../body.ts";
import { createTokenCheck } from "./check-token.ts";
import { isOperation, OPERATIONS } from "./operations.ts";
import { faultResponse, OperatorFault } from "./operator-fault.ts";
import type { OperationName, OperatorHouse } from "./operator-house.ts";

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

export function createOperatorApp(house: OperatorHouse): OperatorApp {
  const checkToken = house.token === null ? null : createTokenCheck(house.token);

  async function answer(request: Request, visit: Visit): Promise<Response> {
    if (checkToken === null || new URL(request.url).pathname !== PATH)
      throw new OperatorFault("not_found", NOTHING_HERE);
    if (request.method !== "POST") {
      throw new OperatorFault("method_not_allowed", "Orders come with POST.", { Allow: "POST" });
    }
    checkToken(request.headers.get("authorization"), visit.peer, house.now());
    const { operation, order } = await readOrder(request);
    checkClock(order, house.now());
    const outcome = await perform(operation, order, visit);
    return new Response(JSON.stringify({ ok: true, outcome: outcome ?? null }), {
      headers: { "Content-Type": "application/json" },
    });
  }

  async function perform(name: OperationName, order: unknown, visit: Visit): Promise<unknown> {
    const act = OPERATIONS[name].act as Act | null;
    const doIt = house.desk[name] as (order: unknown) => Promise<unknown>;
    if (act === null) return doIt(order);
    const done = carryOut(name, act, () => doIt(order), order, visit);
    // Whoever asked may be gone by now: the act and its line belong together all the same.
    house.waitUntil(done.catch(() => {}));
    return done;
  }

  async function carryOut(
    name: OperationName,
    act: Act,
    doIt: () => Promise<unknown>,
    order: unknown,
    visit: Visit,
  ): Promise<unknown> {
    let said = "unknown: it broke off";
    let hasLine = true;
    try {
      const outcome = await doIt();
      hasLine = act.isPart?.(order) !== true && act.hasChanged?.(outcome) !== false;
      said = act.outcome?.(order, outcome) ?? plainly(outcome);
      return outcome;
    } catch (error) {
      if (isRefusal(error)) said = `refused: ${withoutAddresses(error.message)}`;
      if (error instanceof NotCarriedOut) said = "not carried out";
      throw error;
    } finally {
      if (hasLine) await note({ act: name, subject: act.subject(order), outcome: said }, visit);
    }
  }

  async function note(
    told: { act: string; subject: string | null; outcome: string },
    { requestId, peer }: Visit,
  ): Promise<void> {
    house.tell("An operator's act", { ...told, requestId, address: peer });
    await house.acts.note({ ...told, at: house.now(), address: peer }).catch((cause) => {
      // That the line is not carried out says nothing about the act.
      throw new Error("The line of an operator's act could not be kept", { cause });
    });
  }

  return {
    async fetch(request, peer) {
      const visit = { requestId: house.newRequestId(), peer };
      const response = await answer(request, visit).catch(async (thrown) => {
        const fault = explain(house, thrown, visit.requestId);
        // Unread, it would cost the client its connection.
        const isDropped = await dropBody(request, OPERATOR_BODY_BYTES_MAX);
        const refusal = faultResponse(fault, visit.requestId);
        if (!isDropped) refusal.headers.set("Connection", "close");
        return refusal;
      });
      for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
      response.headers.set("X-Request-Id", visit.requestId);
      return response;
    },
  };
}

type Visit = { requestId: string; peer: string | null };
type Act = {
  subject(order: unknown): string | null;
  isPart?(order: unknown): boolean;
  hasChanged?(outcome: unknown): boolean;
  outcome?(order: unknown, outcome: unknown): string;
};

const NOTHING_HERE =
  "There is nothing here. Where this is a service that you operate: its operator's door opens when it has the secret TOOLBOOTH_OPERATOR_TOKEN.";

const asked = z.strictObject({ operation: z.string(), order: z.unknown() });

async function readOrder(request: Request): Promise<{ operation: OperationName; order: unknown }> {
  const bytes = await readBody(request, OPERATOR_BODY_BYTES_MAX, () => {});
  const body = asked.safeParse(parse(bytes));
  if (!body.success) {
    throw new OperatorFault(
      "invalid_request",
      'The body must be JSON of the form {"operation": "findAccount", "order": {…}}.',
    );
  }
  const { operation, order } = body.data;
  if (!isOperation(operation)) {
    throw new OperatorFault(
      "unknown_operation",
      `This version of the service knows no operation "${operation.slice(0, 60)}".`,
    );
  }
  const checked = OPERATIONS[operation].order.safeParse(order);
  if (checked.success) return { operation, order: checked.data };
  const [issue] = checked.error.issues;
  // Where it is wrong and how, without its value.
  const where =
    issue === undefined ? "" : ` (${issue.path.join(".") || "order"}: ${issue.message})`;
  throw new OperatorFault("invalid_request", `This is no order for ${operation}${where}.`);
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
  throw new OperatorFault(
    "wrong_clock",
    `The order says it is ${describeTime(at)}, but here it is ${describeTime(now)}. Set the clock of the machine that sends it.`,
  );
}

function describeTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "no time at all" : date.toISOString();
}

const plainly = (outcome: unknown) =>
  (outcome as { found?: boolean } | null)?.found === false ? "not found" : "done";

/** A person whose account is closed is forgotten, in the lines about acts too. */
const withoutAddresses = (text: string) => text.replaceAll(/[^\s"@]+@[^\s"@]+/g, "(an address)");

const isRefusal = (error: unknown): error is Error =>
  error instanceof DeskRefusal || error instanceof OrderRefused;

function explain(house: OperatorHouse, thrown: unknown, requestId: string): OperatorFault {
  if (thrown instanceof OperatorFault) return thrown;
  if (isRefusal(thrown))
    return new OperatorFault("refused", thrown.message.replace(/[^.?!]$/, "$&."));
  if (thrown instanceof Fault) {
    const code = thrown.code === "too_large" ? "too_large" : "invalid_request";
    return new OperatorFault(code, thrown.message, thrown.details.headers);
  }
  // Where it was the second step of an act, the first one is done; so nothing is said of that.
  const moved = [thrown, (thrown as Error | undefined)?.cause].find(
    (each) => each instanceof BeingMoved,
  );
  if (moved !== undefined) return new OperatorFault("being_moved", `${moved.message}.`);
  house.complain("An operator's order failed", { requestId, cause: thrown });
  return thrown instanceof NotCarriedOut
    ? new OperatorFault("unavailable", `${thrown.message}. Nothing was changed; try again.`, RETRY)
    : new OperatorFault(
        "internal",
        `It is not known whether it was done; sending it again is safe. The service's log has the cause under ${requestId}.`,
        RETRY,
      );
}

const RETRY = { "Retry-After": "1" };
