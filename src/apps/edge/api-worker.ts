import { dropBody } from "#calls/body.ts";
import { problemBody } from "#calls/problem.ts";
import { ApiError } from "#errors.ts";
import { createIds } from "#ids.ts";
import { SPACE_BYTES } from "#limits.ts";
import { createEdgeApi } from "./api.ts";
import { openOnce } from "./open-once.ts";
import { createEdgeAppContext, randomBytes, type WorkerEnv } from "./platform.ts";
import { API_TOOLS } from "./tools.ts";

/**
 * The Worker that serves API calls on Cloudflare. It parses and runs a call near the client and makes one round trip to the
 * account's Durable Object, which the account part of the key names (`account-ledger.ts`). All other requests go to the site Worker.
 */
export { AccountLedger } from "./account-ledger.ts";

/** Matches the raw URL, because parsing it would cost time on every call. */
const CALL_URL = /^https?:\/\/[^/]+\/(?:api\/|(?:healthz?|readyz)(?:[?#]|$))/;

/** A URL may percent-encode characters; routes match it nevertheless. */
function isCall(url: string): boolean {
  if (!url.includes("%")) return CALL_URL.test(url);
  try {
    return CALL_URL.test(decodeURI(url.replace(/[?#].*$/s, "")));
  } catch {
    return CALL_URL.test(url);
  }
}

const open = openOnce((env: WorkerEnv) => createEdgeApi(createEdgeAppContext(env), API_TOOLS));

export default {
  async fetch(request: Request, env: WorkerEnv): Promise<Response> {
    if (env.SITE !== undefined && !isCall(request.url)) {
      return env.SITE.fetch(request);
    }
    const api = open(env);
    return api === null ? refuse(request) : api.fetch(request);
  },
};

const newId = createIds(randomBytes);

/** Problem details without a documentation URL, because PUBLIC_URL may be the missing setting. */
async function refuse(request: Request): Promise<Response> {
  const dropped = await dropBody(request, SPACE_BYTES);
  const fault = new ApiError(
    "unavailable",
    "The service is not configured correctly. Its log tells the operator what is missing.",
  );
  const requestId = newId("req");
  const problem = problemBody(fault, requestId, null);
  return new Response(JSON.stringify(problem), {
    status: fault.status,
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      "Retry-After": "60",
      "X-Request-Id": requestId,
      "Access-Control-Allow-Origin": "*",
      ...(dropped ? {} : { Connection: "close" }),
    },
  });
}
