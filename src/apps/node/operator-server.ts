import { createTokenComparison } from "#api/operator/check-token.ts";
import { dropBody, readBody } from "#calls/body.ts";
import { createIds } from "#ids.ts";
import { OPERATOR_BODY_BYTES_MAX } from "#limits.ts";
import type { NodeLog } from "./log.ts";
import { random } from "./runtime.ts";

/** Tests the raw request line because it runs for every call. */
export const isForOperator = (target: string | undefined): boolean =>
  target !== undefined && /^\/operator(?:[/?]|$)/.test(target);

type Forward = (body: Uint8Array | null) => Promise<Response>;

/**
 * Forwards a request below `/operator` to the dashboard thread. Reads the body only if the token is valid or the request came through the
 * socket, which bounds memory. The operator API compares the token again, because it trusts no runtime to have done so (a Worker does not),
 * and makes the error and its bound.
 */
export function createOperatorServer(token: string | null, log: NodeLog) {
  const isRight = token === null ? () => false : createTokenComparison(token);
  const newId = createIds(random);
  return async (request: Request, isLocal: boolean, forward: Forward): Promise<Response> => {
    try {
      if (!isLocal && !isRight(request.headers.get("authorization"))) {
        const response = await forward(null);
        // An unread body would cost the client its connection.
        const isDropped = await dropBody(request, OPERATOR_BODY_BYTES_MAX);
        if (!isDropped) response.headers.set("Connection", "close");
        return response;
      }
      return await forward(await readBody(request, OPERATOR_BODY_BYTES_MAX, null));
    } catch (thrown) {
      // The rest of the operator API is there for its thread alone.
      const { respondWithError } = await import("#api/operator/operator-app.ts");
      return respondWithError(thrown, newId("req"), log.logError, request);
    }
  };
}
