import { admitKey } from "#calls/admit.ts";
import type { AppContext } from "#calls/app-context.ts";
import { authenticate } from "#calls/authenticate.ts";
import { type CallDeps, keyedRequest } from "#calls/call.ts";
import { instant, invalidKey, unavailable } from "#calls/call-errors.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { budgetsAt } from "#ledger/key-limits.ts";
import type { Key } from "#ledger/port.ts";
import { BURST_SECONDS } from "#ledger/throttle.ts";
import type { AccountResponse } from "./openapi/account.ts";
import type { Handler } from "./routes.ts";

/** `GET /api/v1/account`: free, counted against the rate limit like a call, with the errors of a call before its body. */
export function createReadAccount(app: AppContext, deps: CallDeps): Handler {
  async function read(
    request: Request,
    context: RequestContext,
    connection: unknown,
  ): Promise<AccountResponse> {
    const keyed = keyedRequest(deps, request, context, connection);
    await authenticate(keyed);
    await admitKey(keyed);
    const { account, keySha256 } = keyed.caller;
    const now = app.now();
    const [{ balance, held, lifetime, nextExpiry }, allKeys] = await Promise.all([
      app.ledger.credits({ account, now, max: 0 }),
      app.ledger.listKeys({ account }),
    ]).catch((cause) => {
      throw unavailable(cause);
    });
    // Nothing to find here means that the account was closed since the status was read.
    const key = allKeys.find(
      ({ sha256, previous }) => sha256 === keySha256 || previous?.sha256 === keySha256,
    );
    if (key === undefined) throw invalidKey();
    // The header must agree with the body if a call was debited since.
    context.balance = balance;
    const { rate } = context;
    return {
      ok: true,
      balance,
      held,
      nextExpiry: nextExpiry && {
        credits: nextExpiry.credits,
        expiresAt: new Date(nextExpiry.at).toISOString(),
      },
      plan: lifetime ? "lifetime" : "prepaid",
      rateLimit: rate && {
        callsPerSecond: rate.callsPerSecond,
        burst: rate.callsPerSecond * BURST_SECONDS,
        remaining: rate.remaining,
        limitSource: rate.source,
      },
      key: {
        id: key.id,
        label: key.label,
        createdAt: new Date(key.createdAt).toISOString(),
        limits: limitsOf(key, now),
      },
    };
  }

  return async (request, context, connection) => {
    const body = JSON.stringify(await read(request, context, connection));
    return deps.replier.plain("application/json", body, request.headers, context);
  };
}

function limitsOf(key: Key, now: number): AccountResponse["key"]["limits"] {
  if (key.limits === null) return {};
  const { expiresAt, rate, tools, networks } = key.limits;
  const budgets = Object.entries(budgetsAt(key, now)).flatMap(([period, left]) => {
    if (left === null) return [];
    const { credits, remaining, resetsAt } = left;
    return [[period, { credits, remaining, resetsAt: instant(resetsAt) }]];
  });
  return withoutNulls({
    expiresAt: instant(expiresAt),
    tools,
    networks,
    callsPerSecond: rate,
    budgets: budgets.length === 0 ? null : Object.fromEntries(budgets),
  });
}

const withoutNulls = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== null));
