import { askKey } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import type { Call } from "./call.ts";
import { jobOf, readCallBody, stepsOf } from "./call-tool.ts";
import type { ApiResponse } from "./exchange.ts";

/**
 * The price of a call with this input. It is checked as the call would be, where the call would be checked, and the tool does not run.
 * Nothing is charged, so neither the balance nor an idempotency key matters. It counts towards the rates.
 *
 * Throws the errors of a call, in their order, without those of credits and idempotency keys.
 */
export async function quoteCall(call: Call): Promise<ApiResponse> {
  const { deps, tool, request, context } = call;
  try {
    await authenticate(call);
    const { price } = await askKey(call);
    await readCallBody(call, true);
    const job = { ...jobOf(call), fingerprint: false, isQuote: true };
    const quoted = await deps.app.runTool(tool, job, call.caller.account, stepsOf(call));
    call.lap("tool");
    const body = JSON.stringify({ ok: true, credits: price ?? quoted.credits ?? tool.price });
    return await deps.replier.response(
      { body, type: "application/json" },
      request.headers,
      context,
    );
  } finally {
    call.release();
  }
}
