import type { Grant } from "#ledger/port.ts";
import { BURST_SECONDS } from "#ledger/throttle.ts";
import type { AppContext } from "./app-context.ts";
import { type Authenticator, invalidKey } from "./pipeline/authenticate.ts";
import { unavailable } from "./pipeline/call-errors.ts";
import type { OpenGate } from "./pipeline/gate.ts";
import type { Replier, RequestContext } from "./pipeline/reply.ts";
import type { Handler } from "./routes.ts";

/** What a key's holder may know of its account. `openapi/account.ts` describes every member. */
export type AccountResponse = {
  ok: true;
  balance: number;
  /** Null where no credits of the balance expire. */
  nextExpiry: { credits: number; expiresAt: string } | null;
  plan: "prepaid" | "lifetime";
  /** Null where there is no limit. */
  rateLimit: { callsPerSecond: number; burst: number; remaining: number } | null;
  /** `limits` is empty: a key has no limits of its own yet. */
  key: { id: string; label: string; createdAt: string; limits: Record<string, never> };
};

/** `GET /api/v1/account`: free, counted against the rate limit like a call, with the errors of a call before its body. */
export function createReadAccount(
  app: AppContext,
  replier: Replier,
  keys: Authenticator,
  openGate: OpenGate,
): Handler {
  async function read(
    request: Request,
    context: RequestContext,
    connection: unknown,
  ): Promise<AccountResponse> {
    const caller = await keys.authenticate(request);
    const { account, keySha256 } = caller;
    context.account = account;
    const address = app.clientAddress(connection);
    const call = { caller, context, tool: null, price: 0, address, repeatKey: null };
    await openGate(call).askStatus();
    const now = app.now();
    const [{ balance, lifetime, grants }, allKeys] = await Promise.all([
      app.ledger.credits({ account, now }),
      app.ledger.listKeys({ account }),
    ]).catch((cause) => {
      throw unavailable(cause);
    });
    // Nothing to find here means that the account was closed since the status was read.
    const key = allKeys.find(({ sha256 }) => sha256 === keySha256);
    if (key === undefined) throw invalidKey();
    // The header must agree with the body if a call was debited since.
    context.balance = balance;
    const { rateLimit } = app.settings;
    return {
      ok: true,
      balance,
      nextExpiry: nextExpiryOf(grants, now),
      plan: lifetime ? "lifetime" : "prepaid",
      rateLimit:
        context.rate === null
          ? null
          : {
              callsPerSecond: rateLimit,
              burst: rateLimit * BURST_SECONDS,
              remaining: context.rate.remaining,
            },
      key: {
        id: key.id,
        label: key.label,
        createdAt: new Date(key.createdAt).toISOString(),
        limits: {},
      },
    };
  }

  return async (request, context, connection) => {
    const body = JSON.stringify(await read(request, context, connection));
    return replier.plain("application/json", body, request.headers, context);
  };
}

/** All spendable credits that expire at the earliest time at which any do. */
function nextExpiryOf(grants: readonly Grant[], now: number): AccountResponse["nextExpiry"] {
  let at = Number.POSITIVE_INFINITY;
  let credits = 0;
  for (const { expiresAt, remaining } of grants) {
    if (expiresAt === null || expiresAt <= now || expiresAt > at || remaining === 0) continue;
    credits = expiresAt === at ? credits + remaining : remaining;
    at = expiresAt;
  }
  return credits === 0 ? null : { credits, expiresAt: new Date(at).toISOString() };
}
