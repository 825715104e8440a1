import type { IncomingMessage } from "node:http";
import { viewPrices } from "#api/dashboard/prices.ts";
import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { readBody } from "#api/pipeline/body.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { Config } from "#config/config.ts";
import { ApiError } from "#errors.ts";
import { isLoopback } from "#hosts.ts";
import type { JobCount } from "#jobs/job-queue.ts";
import { DASHBOARD_BODY_BYTES_MAX, STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import type { DashboardSite } from "#site/site-context.ts";
import { isOwnMachine, originsOf } from "./addresses.ts";
import { createClientAddress } from "./client-address.ts";
import { DashboardAway, type People, startDashboard } from "./dashboard.ts";
import { databaseFile } from "./data-folder.ts";
import type { NodeLog } from "./log.ts";
import { createOperatorServer } from "./operator-server.ts";

/** What the hall hands on to the thread of the people's side, and how that is started and stopped. */
export type DashboardServer = DashboardSite &
  Pick<People, "stop"> & {
    /** Answers everything below `/operator`. */
    fetchForOperator(request: Request, connection: unknown): Promise<Response>;
    /** As of a moment ago; none where the thread is gone. */
    countJobs(): Promise<readonly JobCount[]>;
  };

export function openDashboardServer(
  config: Config,
  at: { publicUrl: string; port: number; secrets: readonly string[]; prices: PriceList | null },
  log: NodeLog,
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
          ? { file: databaseFile(config.dataDir) }
          : { databaseUrl: config.databaseUrl },
      dataDir: config.dataDir,
      publicUrl: at.publicUrl,
      origins: originsOf(config, at.port),
      secrets: at.secrets,
      mail: config.mail,
      isOwnMachine: isOwnMachine(config),
      signUp: config.signUp,
      ...{ prices: at.prices, stripe: config.stripe, webhookNetworks: config.webhookNetworks },
      ...{ starter, providers: config.providers, operatorTokens: config.operatorTokens },
    },
    log,
  );
  const people: Promise<People | null> = started.catch((cause) => {
    log.logError("The thread of the pages could not be started", { cause });
    return null;
  });
  async function forward(
    request: Request,
    body: Uint8Array | null,
    connection: unknown,
  ): Promise<Response> {
    const peer = clientAddress(connection as IncomingMessage | undefined);
    const thread = await people;
    if (thread === null) throw new DashboardAway("Never started");
    return thread.fetch(request, body === null || body.byteLength === 0 ? null : body, peer);
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
      const body = await readBody(request, bodyBytesMaxOf(request), () => {});
      try {
        return await forward(request, body, connection);
      } catch (cause) {
        if (!(cause instanceof DashboardAway)) throw cause;
        const headers = { "Retry-After": "2" };
        throw new ApiError("unavailable", "The pages cannot be served just now.", {
          cause,
          headers,
        });
      }
    },
    fetchForOperator: (request, connection) =>
      operatorServer(request, (own, body) => forward(own, body, connection)),
    stop: async () => (await people)?.stop(),
    countJobs: async () => (await people)?.countJobs() ?? [],
  };
}

const bodyBytesMaxOf = ({ url }: Request) =>
  new URL(url).pathname === STRIPE_MESSAGE_PATH
    ? STRIPE_MESSAGE_BYTES_MAX
    : DASHBOARD_BODY_BYTES_MAX;

const UNTRUSTED_PROXY =
  "A request for the pages came with X-Forwarded-For from an address that is not in TOOLBOOTH_TRUSTED_PROXIES. If that is your proxy, name it there: until then all visitors count as one, and the limits on signing in, signing up and letters hit them together. (Told once.)";

/** Plain HTTP to this machine alone: whatever speaks for others here is being tried out. */
const isBehindNothing = ({ host, publicUrl }: Config) =>
  isLoopback(host) && !publicUrl?.startsWith("https:");
