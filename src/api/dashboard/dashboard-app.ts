import { TooManyPasswords } from "#accounts/auth-options.ts";
import { createSignInThrottle, type SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { createThrottle, type Throttle } from "#ledger/throttle.ts";
import { transportPolicy } from "../transport-policy.ts";
import {
  createCloseAccount,
  endSession,
  listEvents,
  listSessions,
  showVisitor,
} from "./account.ts";
import { createAuthHandler } from "./auth-handler.ts";
import { busy } from "./call-auth.ts";
import { placeOf } from "./client-network.ts";
import type { DashboardDeps } from "./dashboard-deps.ts";
import { DashboardError, problemResponse, tooFast, WrongMethod } from "./dashboard-error.ts";
import { createMakeKey, listKeys, renameKey, revokeKey } from "./keys.ts";
import { networkOf, spellAddress } from "./network.ts";
import {
  chooseNotifications,
  openUnsubscribe,
  showNotifications,
  unsubscribe,
} from "./notifications.ts";
import { showPrices } from "./prices.ts";
import {
  beginPurchase,
  createListPurchases,
  createShowPurchase,
  LOOKS_PER_SECOND,
} from "./purchases.ts";
import { createRefusedMessages, type RefusedMessages } from "./rejected-stripe-messages.ts";
import type { RequestContext } from "./request-context.ts";
import { receiveStripeMessage, STRIPE_MESSAGE_PATH } from "./stripe-message.ts";
import { listEntries, showCredits, showHome, showUsage } from "./usage.ts";
import {
  addEndpoint,
  changeEndpoint,
  dropEndpoint,
  listDeliveries,
  listEndpoints,
  sendAgain,
} from "./webhooks.ts";

/**
 * The people's side of the service as a function from a request to a response: everything below `/dashboard/`, and what
 * Stripe has to say.
 * `peer` is the network address of the client, as the door knows it. Faults become answers here and nowhere else.
 */
export type DashboardApp = { fetch(request: Request, peer: string | null): Promise<Response> };

type Handler = (context: RequestContext) => Promise<Response>;

/** Changes a second by one client, bursts of twice as many: people click, they do not loop. */
const CHANGES_PER_SECOND = 5;
/** The same for what is only read: a page asks for several things at once, and many people may share a network. */
const READS_PER_SECOND = 30;

/** What is counted across requests: it outlives the app where that is made anew for each of them. */
export type DashboardBounds = {
  signIn: SignInThrottle;
  changes: Throttle;
  reads: Throttle;
  /** What a mail provider ends for all of its people comes from few networks, and takes nothing from their changes. */
  unsubscriptions: Throttle;
  /** At the payment provider, for a purchase. */
  looks: Throttle;
  /** What the log has of messages that were not the payment provider's. */
  refused: RefusedMessages;
};

export const createDashboardBounds = (
  signIn: SignInThrottle = createSignInThrottle(),
): DashboardBounds => ({
  signIn,
  changes: createThrottle(CHANGES_PER_SECOND),
  reads: createThrottle(READS_PER_SECOND),
  unsubscriptions: createThrottle(READS_PER_SECOND),
  looks: createThrottle(LOOKS_PER_SECOND),
  refused: createRefusedMessages(),
});

export function createDashboardApp(
  deps: DashboardDeps,
  { signIn: signInThrottle, ...bounds }: DashboardBounds = createDashboardBounds(),
): DashboardApp {
  const { changes, reads, unsubscriptions, looks, refused } = bounds;
  const auth = createAuthHandler(signInThrottle);
  const fixed = { ...HEADERS, ...transportPolicy(deps.settings.publicUrl) };
  const routes: Record<string, Handler> = {
    "GET /dashboard/visitor": showVisitor,
    "GET /dashboard/home": showHome,
    "GET /dashboard/keys": listKeys,
    "POST /dashboard/keys": createMakeKey(),
    "PATCH /dashboard/keys/:id": renameKey,
    "DELETE /dashboard/keys/:id": revokeKey,
    "GET /dashboard/usage": showUsage,
    "GET /dashboard/credits": showCredits,
    "GET /dashboard/credits/entries": listEntries,
    "GET /dashboard/prices": showPrices,
    "GET /dashboard/purchases": createListPurchases(looks),
    "POST /dashboard/purchases": beginPurchase,
    "GET /dashboard/purchases/:id": createShowPurchase(looks),
    "GET /dashboard/notifications": showNotifications,
    "PUT /dashboard/notifications": chooseNotifications,
    "GET /dashboard/notifications/unsubscribe": openUnsubscribe,
    [UNSUBSCRIBE]: unsubscribe,
    "GET /dashboard/webhooks": listEndpoints,
    "POST /dashboard/webhooks": addEndpoint,
    "PUT /dashboard/webhooks/:id": changeEndpoint,
    "DELETE /dashboard/webhooks/:id": dropEndpoint,
    "GET /dashboard/webhooks/:id/deliveries": listDeliveries,
    "POST /dashboard/webhooks/:id/deliveries/:delivery/again": sendAgain,
    "GET /dashboard/sessions": listSessions,
    "DELETE /dashboard/sessions/:id": endSession,
    "GET /dashboard/events": listEvents,
    "POST /dashboard/account/close": createCloseAccount(signInThrottle),
  };

  function findHandler(method: string, path: string, place: string): Handler {
    const name = `${method} ${place}`;
    const handler = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (handler !== undefined) return handler;
    const methods = METHODS.filter((each) => Object.hasOwn(routes, `${each} ${place}`));
    if (methods.length > 0) throw new WrongMethod(method, methods);
    throw new DashboardError(
      "not_found",
      `There is nothing to ${method} at ${path.slice(0, 200)}.`,
    );
  }

  async function result(context: RequestContext): Promise<Response> {
    const { request, url, peer, now } = context;
    if (url.pathname === STRIPE_MESSAGE_PATH && request.method === "POST") {
      return receiveStripeMessage(context, { changes, refused });
    }
    const isRead = request.method === "GET";
    const isFromAnywhere = `${request.method} ${url.pathname}` === UNSUBSCRIBE;
    if (!isRead && !isFromAnywhere) requireSameOrigin(request, deps.settings.origins);
    const bound = isRead ? reads : isFromAnywhere ? unsubscriptions : changes;
    const { allowed, retryAfterSeconds } = bound.take(networkOf(peer ?? ""), now);
    if (!allowed) throw tooFast(retryAfterSeconds * 1_000);
    if (url.pathname.startsWith("/dashboard/auth/")) return auth(context);
    const { place, id, delivery } = placeOf(url.pathname);
    const handler = findHandler(request.method, url.pathname, place);
    return handler({ ...context, id, delivery });
  }

  return {
    async fetch(asked, address) {
      const now = deps.now();
      const peer = address === null ? null : spellAddress(address);
      const isHead = asked.method === "HEAD";
      const request = isHead ? new Request(asked, { method: "GET" }) : asked;
      const requestId = deps.newRequestId();
      const context: RequestContext = {
        ...{ deps, request, requestId, peer, now },
        url: new URL(request.url),
        id: "",
        delivery: "",
        cookies: [],
      };
      const response = await result(context).catch((thrown) =>
        problemResponse(explain(deps, thrown, requestId), requestId),
      );
      const headers = new Headers(response.headers);
      for (const cookie of context.cookies) headers.append("Set-Cookie", cookie);
      for (const [name, value] of Object.entries(fixed)) headers.set(name, value);
      headers.set("X-Request-Id", requestId);
      return new Response(isHead ? null : response.body, { status: response.status, headers });
    },
  };
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Mail programs send it by themselves (RFC 8058); its token says what may be done. */
const UNSUBSCRIBE = "POST /dashboard/notifications/unsubscribe";

const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * A browser tells where a request comes from (Fetch standard: `Origin` goes with every method but GET and HEAD). Only
 * our own pages may change something with the cookies of whoever looks at them.
 */
function requireSameOrigin({ headers }: Request, origins: readonly string[]): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const fromHere = origin !== null && origins.includes(origin);
  if (fromHere && (site === null || site === "same-origin")) return;
  throw new DashboardError(
    "cross_site",
    `This can be done only from the pages of this service itself, at ${origins[0]}.`,
  );
}

function explain(deps: DashboardDeps, thrown: unknown, requestId: string): DashboardError {
  if (thrown instanceof DashboardError) return thrown;
  deps.logError("A request of the pages failed", { requestId, cause: thrown });
  if (thrown instanceof TooManyPasswords) return busy();
  if (thrown instanceof OutcomeUnknown) return unavailable(IN_DOUBT);
  // It tells of the last of several steps, maybe: nobody says that nothing was changed.
  if (thrown instanceof NotCarriedOut) return unavailable(NOT_NOW);
  return new DashboardError("internal", "Something went wrong on our side. Try again in a moment.");
}

const RETRY_AFTER_SECONDS = 2;
const unavailable = (detail: string) =>
  new DashboardError("unavailable", detail, RETRY_AFTER_SECONDS);
const NOT_NOW = "The service cannot do this just now. Try again in a moment.";
const IN_DOUBT =
  "The service cannot tell whether this was done. Look whether it was, and if not, try again in a moment.";
