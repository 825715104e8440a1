import { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { AccountError } from "#accounts/accounts.ts";
import type { RequestCounts } from "#accounts/request-counts.ts";
import { problemResponse } from "#calls/problem.ts";
import { ProblemError } from "#errors.ts";
import { NotCarriedOut, OutcomeUnknown, UsageNotSummed } from "#ledger/port.ts";
import { createThrottle, type Throttle } from "#ledger/throttle.ts";
import { HOUR_MS } from "#limits.ts";
import { networkOf, spellAddress } from "#networks.ts";
import { transportPolicy } from "../transport-policy.ts";
import { closeMyAccount, endSession, listEvents, listSessions, showVisitor } from "./account.ts";
import { beginEmailChange, confirmEmailChange } from "./address.ts";
import { AUTH_ROUTES } from "./auth-routes.ts";
import type { DashboardDeps } from "./dashboard-deps.ts";
import { DashboardError, retryAfter, tooManyRequests, wrongMethod } from "./dashboard-error.ts";
import { exportLedger, listEntries } from "./entries.ts";
import { checkDownload, checkExport, exportData, exportEntries, exportEvents } from "./export.ts";
import { showProof } from "./fresh-proof.ts";
import { showHome } from "./home.ts";
import { changeKey, listKeys, makeKey, revokeKey, rotate } from "./keys.ts";
import {
  chooseNotifications,
  openUnsubscribe,
  showNotifications,
  unsubscribe,
} from "./notifications.ts";
import { removePasskey, renamePasskey, requirePasskey, showPasskeys } from "./passkeys.ts";
import { showPrices } from "./prices.ts";
import { beginPurchase, LOOKS_PER_SECOND, listPurchases, showPurchase } from "./purchases.ts";
import {
  createRejectionCounter,
  createTally,
  type RejectionCounter,
  type Tally,
} from "./rejections.ts";
import type { DashboardMethod, DashboardRoutes, RequestContext } from "./request-context.ts";
import { exportRequests, listRequests, summarizeRequests } from "./requests.ts";
import { receiveStripeMessage, STRIPE_MESSAGE_PATH } from "./stripe-message.ts";
import { showCredits, showUsage } from "./usage.ts";
import {
  addEndpoint,
  changeEndpoint,
  dropEndpoint,
  listDeliveries,
  listEndpoints,
  rotateEndpointSecret,
  sendAgain,
  sendTest,
} from "./webhooks.ts";

/**
 * The dashboard's API: everything below `/dashboard/`, and the endpoint for Stripe's webhooks. `peer` is the network
 * address of the client, null if the runtime does not know it. Errors become responses here and nowhere else.
 */
export type DashboardApp = { fetch(request: Request, peer: string | null): Promise<Response> };

/** Changes per second by one client, with bursts of twice as many. */
const CHANGES_PER_SECOND = 5;
/** Reads per second by one client: a page sends several at once, and many people may share a network. */
const READS_PER_SECOND = 30;

/** Counters across requests. They outlive the app, because the edge creates one for each request. */
export type DashboardBounds = {
  /** Counts of codes, tries and emails, which several processes may share. */
  counts: RequestCounts;
  changes: Throttle;
  reads: Throttle;
  /**
   * Mail providers unsubscribe for their users from a few networks, so unsubscribing does not count against the limit
   * of a network.
   */
  unsubscriptions: Throttle;
  /** How often the payment provider is asked about a purchase. */
  looks: Throttle;
  /** How often the log reports messages that did not come from the payment provider. */
  rejected: Tally;
  countRejection: RejectionCounter;
};

export const createDashboardBounds = (counts: RequestCounts): DashboardBounds => ({
  counts,
  changes: createThrottle(CHANGES_PER_SECOND),
  reads: createThrottle(READS_PER_SECOND),
  unsubscriptions: createThrottle(READS_PER_SECOND),
  looks: createThrottle(LOOKS_PER_SECOND),
  rejected: createTally(HOUR_MS),
  countRejection: createRejectionCounter(),
});

/** Mail programs send this by themselves (RFC 8058), from any origin; the token authorizes it. */
const UNSUBSCRIBE_PATH = "/dashboard/notifications/unsubscribe";

/** Every path below `/dashboard/`, once. */
export const DASHBOARD_ROUTES: DashboardRoutes = {
  "/dashboard/visitor": { GET: showVisitor },
  "/dashboard/home": { GET: showHome },
  "/dashboard/keys": { GET: listKeys, POST: makeKey },
  "/dashboard/keys/:id{[\\w-]+}": { PATCH: changeKey, DELETE: revokeKey },
  "/dashboard/keys/:id{[\\w-]+}/rotate": { POST: rotate },
  "/dashboard/usage": { GET: showUsage },
  "/dashboard/requests": { GET: listRequests },
  "/dashboard/requests/summary": { GET: summarizeRequests },
  "/dashboard/requests/export": { GET: exportRequests },
  "/dashboard/credits": { GET: showCredits },
  "/dashboard/credits/entries": { GET: listEntries },
  "/dashboard/credits/entries/export": { GET: exportLedger },
  "/dashboard/downloads/ready": { GET: checkDownload },
  "/dashboard/prices": { GET: showPrices },
  "/dashboard/purchases": { GET: listPurchases, POST: beginPurchase },
  "/dashboard/purchases/:id{[\\w-]+}": { GET: showPurchase },
  "/dashboard/notifications": { GET: showNotifications, PUT: chooseNotifications },
  [UNSUBSCRIBE_PATH]: { GET: openUnsubscribe, POST: unsubscribe },
  "/dashboard/webhooks": { GET: listEndpoints, POST: addEndpoint },
  "/dashboard/webhooks/:id{[\\w-]+}": { PATCH: changeEndpoint, DELETE: dropEndpoint },
  "/dashboard/webhooks/:id{[\\w-]+}/secret": { POST: rotateEndpointSecret },
  "/dashboard/webhooks/:id{[\\w-]+}/deliveries": { GET: listDeliveries },
  "/dashboard/webhooks/:id{[\\w-]+}/deliveries/:delivery{[\\w-]+}/again": { POST: sendAgain },
  "/dashboard/webhooks/:id{[\\w-]+}/test": { POST: sendTest },
  "/dashboard/sessions": { GET: listSessions },
  "/dashboard/sessions/:id{[\\w-]+}": { DELETE: endSession },
  "/dashboard/events": { GET: listEvents },
  "/dashboard/events/export": { GET: exportEvents },
  "/dashboard/account/export": { GET: exportData },
  "/dashboard/account/export/ready": { GET: checkExport },
  "/dashboard/account/export/entries": { GET: exportEntries },
  "/dashboard/account/close": { POST: closeMyAccount },
  "/dashboard/passkeys": { GET: showPasskeys },
  "/dashboard/passkeys/required": { PUT: requirePasskey },
  "/dashboard/passkeys/:id{[\\w-]+}": { PATCH: renamePasskey, DELETE: removePasskey },
  "/dashboard/proof": { GET: showProof },
  "/dashboard/account/email": { POST: beginEmailChange },
  "/dashboard/account/email/code": { POST: confirmEmailChange },
  ...AUTH_ROUTES,
};

export function createDashboardApp(deps: DashboardDeps, bounds: DashboardBounds): DashboardApp {
  const headers = { ...HEADERS, ...transportPolicy(deps.settings.publicUrl) };
  const app = createRouter(bounds);
  const { counts, looks } = bounds;
  const keyTurns = new Map<string, Promise<void>>();
  return {
    async fetch(received, address) {
      const isHead = received.method === "HEAD";
      const request = isHead ? new Request(received, { method: "GET" }) : received;
      const requestId = deps.newRequestId();
      const context: RequestContext = {
        ...{ deps, request, isHead, requestId },
        peer: address === null ? null : spellAddress(address),
        now: deps.now(),
        url: new URL(withoutNul(request.url)),
        id: "",
        delivery: "",
        cookies: [],
        ...{ counts, looks, keyTurns },
      };
      const response = await app.fetch(request, context);
      // A download that its client does not read would keep its place.
      if (isHead) await response.body?.cancel();
      const all = new Headers(response.headers);
      for (const cookie of context.cookies) all.append("Set-Cookie", cookie);
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      all.set("X-Request-Id", requestId);
      return new Response(isHead ? null : response.body, { status: response.status, headers: all });
    },
  };
}

/** PostgreSQL takes no NUL, and nothing that a query can ask for has one. */
const withoutNul = (url: string): string => url.replaceAll("%00", "%EF%BF%BD");

function createRouter(bounds: DashboardBounds) {
  // The trie router is cheap to build, and the edge creates the app for every request.
  const app = new Hono<{ Bindings: RequestContext }>({ router: new TrieRouter() });
  // Comes before the checks below: Stripe's messages have no cookies and no origin, and are authorized by their
  // signature.
  app.post(STRIPE_MESSAGE_PATH, (c) => receiveStripeMessage(c.env, bounds));
  app.use(async ({ env }, next) => {
    const isUnsubscription = env.request.method === "POST" && env.url.pathname === UNSUBSCRIBE_PATH;
    const isRead = env.request.method === "GET";
    if (!isRead && !isUnsubscription) requireSameOrigin(env);
    const bound = isRead
      ? bounds.reads
      : isUnsubscription
        ? bounds.unsubscriptions
        : bounds.changes;
    const { allowed, retryAfterSeconds } = bound.take(networkOf(env.peer ?? ""), env.now);
    if (!allowed) throw tooManyRequests(retryAfterSeconds * 1_000);
    await next();
  });
  for (const [path, methods] of Object.entries(DASHBOARD_ROUTES)) {
    app.all(path, (c) => {
      const { request, url } = c.env;
      const handler = methods[request.method as DashboardMethod];
      if (handler === undefined) {
        throw wrongMethod(request.method, url.pathname, Object.keys(methods));
      }
      const { id = "", delivery = "" } = c.req.param() as { id?: string; delivery?: string };
      return handler({ ...c.env, id, delivery });
    });
  }
  app.notFound((c) => {
    const path = c.env.url.pathname.slice(0, 200);
    const problem = new DashboardError("not_found", `No endpoint has the path ${path}.`);
    return problemResponse(problem, c.env.requestId, c.req.header("accept") ?? null);
  });
  app.onError((error, c) =>
    problemResponse(
      problemOf(c.env, bounds, error),
      c.env.requestId,
      c.req.header("accept") ?? null,
    ),
  );
  return app;
}

const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * Only our own pages may make changes with their user's cookies. Browsers send `Origin` with every method but GET and
 * HEAD (Fetch standard).
 */
function requireSameOrigin({ request: { headers }, deps }: RequestContext): void {
  const { origins } = deps.settings;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOurs = origin !== null && origins.includes(origin);
  if (isOurs && (site === null || site === "same-origin")) return;
  throw new DashboardError(
    "cross_site",
    `This request must come from a page of this service. Open ${origins[0]} and try there.`,
  );
}

function problemOf(
  { deps, requestId, now }: RequestContext,
  { countRejection }: DashboardBounds,
  thrown: unknown,
): ProblemError {
  countRejection(deps, thrown, now);
  if (thrown instanceof ProblemError) return thrown;
  if (thrown instanceof AccountError) return new DashboardError("invalid_request", thrown.message);
  // The operator can do nothing about it, and a later attempt succeeds.
  if (thrown instanceof UsageNotSummed) return unavailable(NOT_SUMMED);
  deps.logError("A dashboard request failed", { requestId, cause: thrown });
  if (thrown instanceof OutcomeUnknown) return unavailable(OUTCOME_UNKNOWN);
  // Earlier steps may have succeeded, so the message does not say that nothing changed.
  if (thrown instanceof NotCarriedOut) return unavailable(NOT_NOW);
  return new DashboardError("internal", "Something went wrong on our side. Try again in a moment.");
}

const unavailable = (detail: string) =>
  new DashboardError("unavailable", detail, retryAfter(2_000));
const NOT_NOW = "The service cannot do this right now. Try again in a moment.";
const NOT_SUMMED =
  "Your calls are being added up, which takes a few seconds because there are very many.";
const OUTCOME_UNKNOWN =
  "The service does not know whether this change was made. Reload the page to check, and try again if it was not.";
