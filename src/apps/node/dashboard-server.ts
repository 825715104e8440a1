import type { IncomingMessage } from "node:http";
import { busy } from "#api/dashboard/dashboard-error.ts";
import { OperatorError } from "#api/operator/operator-error.ts";
import { problemResponse } from "#calls/problem.ts";
import { ApiError } from "#errors.ts";
import { isLoopback } from "#hosts.ts";
import { createIds } from "#ids.ts";
import type { Dashboard, ServiceConfig } from "#service/parts.ts";
import { createClientAddress } from "./client-address.ts";
import {
  DashboardBusy,
  type DashboardOptions,
  type DashboardThread,
  DashboardUnavailable,
  kindOf,
  NotForwarded,
  startDashboard,
} from "./dashboard.ts";
import type { NodeLog } from "./log.ts";
import { createOperatorServer } from "./operator-server.ts";
import { random } from "./runtime.ts";
import type { NodeStore } from "./store.ts";

/** The dashboard and the operator API on the dashboard thread, which this starts and stops. */
export type DashboardServer = Dashboard & Pick<DashboardThread, "logRequests" | "counts">;

/** `connect`: connects the thread to the storage. */
export function openDashboardServer(
  config: ServiceConfig,
  connect: NodeStore["connect"],
  log: NodeLog,
  options: Partial<Pick<DashboardOptions, "tools" | "onRejection">>,
): DashboardServer {
  const clientAddress = createClientAddress(config.trustedProxies, () => {
    if (isBehindNothing(config)) return;
    log.warn(UNTRUSTED_PROXY);
  });
  const thread = startDashboard(config, connect, log, {
    ...options,
    // Functions cannot be sent to a thread.
    tools: (options.tools ?? []).map(({ name, price, priceOf }) => ({
      ...{ name, price },
      ...(priceOf === undefined ? {} : { priceOf: true }),
    })),
  });
  const forward = (request: Request, body: Uint8Array, connection: unknown): Promise<Response> => {
    const peer = clientAddress(connection as IncomingMessage | undefined);
    const sent = body.byteLength === 0 ? null : body;
    return thread.fetch(request, sent, peer, kindOf(request));
  };
  const operatorServer = createOperatorServer(config.operatorToken, log);
  return {
    async fetch(request, body, connection) {
      try {
        return await forward(request, body, connection);
      } catch (cause) {
        if (cause instanceof DashboardBusy) return respondBusy(request);
        if (!(cause instanceof DashboardUnavailable)) throw cause;
        throw new ApiError("unavailable", UNAVAILABLE, { cause, headers: { "Retry-After": "2" } });
      }
    },
    fetchForOperator(request, connection) {
      const isLocal = connection === null;
      const peer = isLocal ? null : clientAddress(connection as IncomingMessage);
      return operatorServer(request, isLocal, async (body) => {
        // Without the token it may be one of a flood, which leaves the places of operators alone.
        const kind = body === null ? "sign-in" : "operator";
        try {
          return await thread.fetch(request, body, peer, kind, isLocal);
        } catch (cause) {
          if (!(cause instanceof NotForwarded)) throw cause;
          throw new OperatorError("unavailable", NOT_FORWARDED, { "Retry-After": "1" });
        }
      });
    },
    // The thread does by itself what is due.
    scheduled: async () => {},
    close: thread.stop,
    logRequests: thread.logRequests,
    counts: thread.counts,
  };
}

const newId = createIds(random);

/** As a response and not an error: the app would log an error for each of the requests of a flood. */
function respondBusy({ headers }: Request): Response {
  const requestId = newId("req");
  const response = problemResponse(busy(), requestId, headers.get("accept"));
  response.headers.set("X-Request-Id", requestId);
  response.headers.set("Cache-Control", "no-store");
  return response;
}

const NOT_FORWARDED =
  "The service has too many requests of this kind at once, or is restarting what serves them. Nothing was changed; try again.";

const UNAVAILABLE = "The dashboard is temporarily unavailable. Try again in a moment.";

const UNTRUSTED_PROXY =
  "A request has an X-Forwarded-For header but comes from an address that is not in TOOLBOOTH_TRUSTED_PROXIES. If this is your proxy, add it; until then all users behind it count as one client and share the limits on signing in, signing up and emails. (This warning appears once.)";

/** Plain HTTP on the loopback interface: the operator is trying the service, and a forwarding client is no proxy. */
const isBehindNothing = ({ host, publicUrl }: ServiceConfig) =>
  isLoopback(host) && !publicUrl.startsWith("https:");
