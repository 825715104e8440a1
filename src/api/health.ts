import { ApiError } from "#errors.ts";
import type { AppContext, Metrics } from "./app-context.ts";
import type { Replier, RequestContext } from "./pipeline/reply.ts";

/** What an operator's machines ask: is the process there, can it work, what has it done. */
const READY_KEPT_MS = 1_000;

export function createOperations(app: AppContext, replier: Replier) {
  let asked: { at: number; ready: Promise<unknown> } | null = null;

  /** One write a second at the most, however often and by whomever it is asked for. */
  function probe(): Promise<unknown> {
    const at = app.elapsed();
    if (asked === null || at - asked.at >= READY_KEPT_MS) {
      asked = { at, ready: app.ledger.probe({ now: app.now() }) };
    }
    return asked.ready;
  }

  const fine = (request: Request, context: RequestContext) =>
    replier.plain("application/json", JSON.stringify({ ok: true }), request.headers, context);

  return {
    healthz: fine,

    async readyz(request: Request, context: RequestContext): Promise<Response> {
      await probe().catch((cause) => {
        const headers = { "Retry-After": "2" };
        throw new ApiError("unavailable", "The ledger takes no writes.", { cause, headers });
      });
      return fine(request, context);
    },

    async metrics(
      request: Request,
      context: RequestContext,
      connection: unknown,
    ): Promise<Response> {
      const { metrics } = app;
      if (metrics === null || !mayReadMetrics(metrics, request, connection)) {
        throw new ApiError("not_found", "There is nothing at /metrics for this caller.");
      }
      const { contentType, text } = await metrics.read();
      return replier.plain(contentType, text, request.headers, context);
    },
  };
}

/** A token where one is set; else only callers on this machine that no proxy speaks for. */
function mayReadMetrics(metrics: Metrics, request: Request, connection: unknown): boolean {
  if (metrics.token !== null)
    return sameText(request.headers.get("authorization"), `Bearer ${metrics.token}`);
  const forwarded = FORWARDED.some((name) => request.headers.has(name));
  return !forwarded && metrics.isLocal(request, connection);
}

/** What proxies say of the client they speak for. A proxy that sends none of these cannot be told from a local caller. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "true-client-ip",
  "cf-connecting-ip",
];

/** Compares in a time that does not tell where two texts of one length differ. */
function sameText(given: string | null, right: string): boolean {
  if (given === null || given.length !== right.length) return false;
  let difference = 0;
  for (let i = 0; i < right.length; i += 1) difference |= given.charCodeAt(i) ^ right.charCodeAt(i);
  return difference === 0;
}
