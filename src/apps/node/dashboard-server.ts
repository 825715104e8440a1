import type { IncomingMessage } from "node:http";
import { busy } from "#api/dashboard/call-auth.ts";
import { viewPrices } from "#api/dashboard/prices.ts";
import type { Rejection } from "#api/dashboard/rejections.ts";
import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { readBody } from "#api/pipeline/body.ts";
import { problemResponse } from "#api/problem.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { Config } from "#config/config.ts";
import { ApiError } from "#errors.ts";
import { isLoopback } from "#hosts.ts";
import { createIds } from "#ids.ts";
import type { JobCount } from "#jobs/job-queue.ts";
import { DASHBOARD_BODY_BYTES_MAX, STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import type { DashboardSite } from "#site/site-context.ts";
import { TOOLS } from "#tools/registry.ts";
import { isOwnMachine, originsOf } from "./addresses.ts";
import { createClientAddress } from "./client-address.ts";
import {
  DashboardBusy,
  type DashboardThread,
  DashboardUnavailable,
  startDashboard,
} from "./dashboard.ts";
import { databaseFile } from "./data-folder.ts";
import type { NodeLog } from "./log.ts";
import type { SignUpCounts } from "./metrics.ts";
import { createOperatorServer } from "./operator-server.ts";
import { createRequestKinds } from "./request-kind.ts";
import { random } from "./runtime.ts";

/** Forwards requests for the dashboard API and the operator API to the dashboard thread, and starts and stops it. */
export type DashboardServer = DashboardSite &
  Pick<DashboardThread, "stop" | "logRequests"> & {
    /** Handles requests below `/operator`. */
    fetchForOperator(request: Request, connection: unknown): Promise<Response>;
    /** May be a moment old; empty if the thread is down. */
    countJobs(): Promise<readonly JobCount[]>;
    countSignUps(): Promise<SignUpCounts | null>;
  };

export function openDashboardServer(
  config: Config,
  at: {
    publicUrl: string;
    port: number;
    secrets: readonly string[];
    prices: PriceList | null;
    blocked?: SharedArrayBuffer | undefined;
  },
  log: NodeLog,
  onRejection: (reason: Rejection) => void,
): DashboardServer {
  const clientAddress = createClientAddress(config.trustedProxies, () => {
    if (isBehindNothing(config)) return;
    log.warn(UNTRUSTED_PROXY);
  });
  const starter = { credits: config.starterCredits, days: config.starterDays };
  const started = startDashboard(
    {
      data:
        config.databaseUrl === null
          ? { file: databaseFile(config.dataDir), blocked: at.blocked }
          : { databaseUrl: config.databaseUrl },
      dataDir: config.dataDir,
      publicUrl: at.publicUrl,
      origins: originsOf(config, at.port),
      secrets: at.secrets,
      mail: config.mail,
      isOwnMachine: isOwnMachine(config),
      signUp: config.signUp,
      prices: at.prices,
      stripe: config.stripe,
      webhookNetworks: config.webhookNetworks,
      keyBounds: { tools: TOOLS.map(({ name }) => name), callsPerSecond: config.rateLimit },
      starter,
      providers: config.providers,
      operatorTokens: config.operatorTokens,
      requestLog: config.requestLog,
    },
    log,
    { onRejection },
  );
  const dashboard: Promise<DashboardThread | null> = started.catch((cause) => {
    log.logError("Dashboard thread failed to start", { cause });
    return null;
  });
  const kindOf = createRequestKinds(at);
  async function forward(
    request: Request,
    body: Uint8Array | null,
    connection: unknown,
  ): Promise<Response> {
    const peer = clientAddress(connection as IncomingMessage | undefined);
    const thread = await dashboard;
    if (thread === null) throw new DashboardUnavailable("Never started");
    const sent = body === null || body.byteLength === 0 ? null : body;
    return thread.fetch(request, sent, peer, kindOf(request, sent));
  }
  const operatorServer = createOperatorServer(config.operatorTokens, log);
  return {
    offer: {
      signUp: config.signUp,
      providers: Object.keys(config.providers) as ("github" | "google")[],
      starter,
      prices: viewPrices(at.prices, config.stripe !== null),
    },
    async fetch(request, connection) {
      const body = await readBody(request, bodyBytesMaxOf(request), null);
      try {
        return await forward(request, body, connection);
      } catch (cause) {
        if (cause instanceof DashboardBusy) return respondBusy(request);
        if (!(cause instanceof DashboardUnavailable)) throw cause;
        const headers = { "Retry-After": "2" };
        throw new ApiError(
          "unavailable",
          "The dashboard is temporarily unavailable. Try again in a moment.",
          {
            cause,
            headers,
          },
        );
      }
    },
    fetchForOperator: (request, connection) =>
      operatorServer(request, (own, body) => forward(own, body, connection)),
    stop: async () => (await dashboard)?.stop(),
    logRequests: async (chunks) => (await dashboard)?.logRequests(chunks) ?? "again",
    countJobs: async () => (await dashboard)?.countJobs() ?? [],
    countSignUps: async () => (await dashboard)?.countSignUps() ?? null,
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

const bodyBytesMaxOf = ({ url }: Request) =>
  new URL(url).pathname === STRIPE_MESSAGE_PATH
    ? STRIPE_MESSAGE_BYTES_MAX
    : DASHBOARD_BODY_BYTES_MAX;

const UNTRUSTED_PROXY =
  "A request has an X-Forwarded-For header but comes from an address that is not in TOOLBOOTH_TRUSTED_PROXIES. If this is your proxy, add it; until then all users behind it count as one client and share the limits on signing in, signing up and emails. (This warning appears once.)";

/** Plain HTTP on the loopback interface: the operator is trying the service, and a forwarding client is no proxy. */
const isBehindNothing = ({ host, publicUrl }: Config) =>
  isLoopback(host) && !publicUrl?.startsWith("https:");
