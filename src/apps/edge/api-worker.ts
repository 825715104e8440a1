import { createApp } from "#api/app.ts";
import { dropBody } from "#api/pipeline/body.ts";
import { problemBody } from "#api/problem.ts";
import { ApiError } from "#errors.ts";
import { createIdSequence } from "#ids.ts";
import { SPACE_BYTES } from "#limits.ts";
import { createEdgeAppContext, randomBytes, type WorkerEnv } from "./app-context.ts";
import { openOnce } from "./open-once.ts";

/**
 * The front door at Cloudflare's edge: the calls. A Worker near the caller reads and runs; the object of the account, named
 * by its part of the key, is asked once (`store/durable-object.ts`). Everything else belongs to the pages' Worker.
 */
export { AccountLedger } from "#stores/durable-object/account-object.ts";

type Env = WorkerEnv & {
  /** The Worker with the pages and the people; left out, there are none. */
  PEOPLE?: { fetch(request: Request): Promise<Response> };
};

/** Of the address as it came: to take it apart would cost time on every call. */
const OF_THE_CALLS = /^https?:\/\/[^/]+\/(?:api\/|(?:healthz|readyz)(?:[?#]|$))/;

/** An address may spell its letters with `%`, and the routes know it all the same. */
function isOfTheCalls(url: string): boolean {
  if (!url.includes("%")) return OF_THE_CALLS.test(url);
  try {
    return OF_THE_CALLS.test(decodeURI(url.replace(/[?#].*$/s, "")));
  } catch {
    return OF_THE_CALLS.test(url);
  }
}

const open = openOnce((env: Env) => createApp(createEdgeAppContext(env), null));

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (env.PEOPLE !== undefined && !isOfTheCalls(request.url)) {
      return env.PEOPLE.fetch(request);
    }
    const app = open(env);
    return app === null ? refuse(request) : app.fetch(request);
  },
};

const newId = createIdSequence(randomBytes);

/** A refusal like any other, but that PUBLIC_URL, where the documentation is, may be what is missing. */
async function refuse(request: Request): Promise<Response> {
  const dropped = await dropBody(request, SPACE_BYTES);
  const fault = new ApiError(
    "unavailable",
    "The service is not set up completely. Whoever runs it finds in its log what is missing.",
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
