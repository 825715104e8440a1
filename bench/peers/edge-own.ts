import { DurableObject } from "cloudflare:workers";
import type { AppContext } from "#api/app-context.ts";
import { createAuthenticator } from "#api/pipeline/authenticate.ts";
import { readBody } from "#api/pipeline/body.ts";
import { asWebResponse } from "#api/pipeline/exchange.ts";
import { createReplier } from "#api/pipeline/reply.ts";
import type { RequestContext } from "#api/pipeline/request-context.ts";
import type { LedgerStub } from "#stores/durable-object/rpc.ts";
import hash from "#tools/hash/tool.ts";
import worker from "../../src/apps/edge/api-worker.ts";
import { createEdgeAppContext } from "../../src/apps/edge/app-context.ts";
import { STEPS, type Step } from "../edge-steps.ts";

/**
 * The deployed Worker with two additions for the benchmark: PUT calls an account's object directly, and if the variable STEPS
 * is set, `?until=` says how far a call runs, to measure its steps.
 */
export { AccountLedger } from "../../src/apps/edge/api-worker.ts";

type Env = Parameters<typeof worker.fetch>[1] & { IDLE: Namespace; STEPS?: string };
type Namespace = Parameters<typeof worker.fetch>[1]["LEDGER"];
type Order = { object: string; name: Parameters<LedgerStub["perform"]>[0]; order: unknown };
type Handler = (request: Request) => Promise<Response>;

const DEBITED = {
  value: { outcome: { outcome: "debited" as const, charged: 1, balance: 1 }, rate: null },
};

/** An object that does nothing, to measure the round trip. */
export class IdleLedger extends DurableObject {
  call(): typeof DEBITED {
    return DEBITED;
  }
}

/** The API Worker with another ledger. */
function workerWith(env: Env, getByName: (name: string) => Partial<LedgerStub>): Handler {
  const own = { ...env, LEDGER: { getByName } as Namespace };
  return (request) => worker.fetch(request, own);
}

/** Reads in a transaction what a debit reads, and writes nothing. */
const readOnly = (env: Env) => (name: string) => ({
  async call(...[, order, callsPerSecond, isAgain]: Parameters<LedgerStub["call"]>) {
    await env.LEDGER.getByName(name).call("keyStatus", order, callsPerSecond, isAgain);
    return DEBITED;
  },
});

/** The steps of the pipeline in order, without the app around them. */
function pipelineUntil(deps: AppContext, last: Step): Handler {
  const keys = createAuthenticator(deps);
  const replier = createReplier(deps);
  const goes = (step: Step) => STEPS.indexOf(step) <= STEPS.indexOf(last);
  const headers = { "Content-Type": "application/json" };
  return async (request) => {
    if (goes("key")) keys.remember(await keys.authenticate(request));
    const body = goes("body")
      ? await readBody(request, hash.bodyBytesMax, null)
      : new Uint8Array(await request.arrayBuffer());
    if (!goes("tool")) return new Response('{"ok":true}', { headers });
    const sent = { body, contentType: null, query: "", accept: null };
    const job = { ...sent, receivedAt: deps.now(), random: null };
    const response = await deps.runTool(hash, { ...job, fingerprint: false }, "");
    if (!goes("reply")) return new Response(response.body as string, { headers });
    return asWebResponse(await replier.response(response, request.headers, traceOf(deps)));
  };
}

const traceOf = (deps: AppContext): RequestContext => ({
  requestId: "req_bench",
  method: "POST",
  route: "/api/v1/hash",
  tool: "hash",
  startedAt: deps.elapsed(),
  receivedAt: deps.now(),
  account: null,
  key: null,
  address: null,
  isMcp: false,
  times: { key: null, body: null, tool: null, ledger: null },
  receivedBytes: null,
  sent: 0,
  traceId: null,
  charged: 1,
  balance: 1,
  callId: null,
  isChargeInDoubt: false,
  rate: null,
  replayed: false,
  code: null,
  problem: null,
  timing: "key;dur=0.01, body;dur=0.01, tool;dur=0.01, ledger;dur=1.01, ",
});

function handlersOf(env: Env): Record<Step, Handler> {
  const deps = createEdgeAppContext(env);
  return {
    bare: pipelineUntil(deps, "bare"),
    key: pipelineUntil(deps, "key"),
    body: pipelineUntil(deps, "body"),
    tool: pipelineUntil(deps, "tool"),
    reply: pipelineUntil(deps, "reply"),
    app: workerWith(env, () => ({ call: async () => DEBITED })),
    roundTrip: workerWith(env, (name) => env.IDLE.getByName(name)),
    reads: workerWith(env, readOnly(env)),
    debit: (request) => worker.fetch(request, env),
  };
}

let handlers: Record<Step, Handler> | undefined;

function goUntil(request: Request, env: Env): Promise<Response> {
  handlers ??= handlersOf(env);
  const { url } = request;
  return handlers[url.slice(url.indexOf("?until=") + "?until=".length) as Step](request);
}

async function perform(request: Request, env: Env): Promise<Response> {
  const { object, name, order } = (await request.json()) as Order;
  return Response.json(await env.LEDGER.getByName(object).perform(name, order));
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    if (request.method === "PUT") return perform(request, env);
    return env.STEPS === undefined ? worker.fetch(request, env) : goUntil(request, env);
  },
};
