import { ENDPOINTS_MAX, SENT_AGAIN_A_DAY_MAX } from "#events/bounds.ts";
import { newDeliveryId } from "#events/dispatch-events.ts";
import { checkEndpointUrl } from "#events/endpoint-url.ts";
import type { Delivery, Endpoint } from "#events/event-store.ts";
import { randomBase62 } from "#ids.ts";
import { LEDGER_EVENT_KINDS, type LedgerEventKind } from "#ledger/events.ts";
import { DashboardError } from "./dashboard-error.ts";
import {
  json,
  note,
  type RequestContext,
  readJson,
  requireActiveMember,
  requireMember,
} from "./request-context.ts";
import type {
  DeliveriesView,
  DeliveryView,
  EndpointOrder,
  EndpointsView,
  EndpointView,
} from "./shapes.ts";

/** An account's own endpoints, and the log of what was sent there. */
export async function listEndpoints(context: RequestContext): Promise<Response> {
  const { account } = await requireMember(context);
  const endpoints = await context.deps.events.listEndpoints({ account });
  const view: EndpointsView = { endpoints: endpoints.map(viewEndpoint), max: ENDPOINTS_MAX };
  return json(view);
}

export async function addEndpoint(context: RequestContext): Promise<Response> {
  const { account, person } = await requireActiveMember(context);
  const { deps, now } = context;
  const { random } = deps.accountDeps;
  const { url, kinds, paused } = await readEndpoint(context);
  const endpoint: Endpoint = {
    id: `whk_${randomBase62(ID_CHARS, random)}`,
    ...{ account, url, kinds, createdAt: now },
    secret: `whsec_${base64(random(SECRET_BYTES))}`,
    pausedAt: paused ? now : null,
  };
  const { outcome } = await deps.events.addEndpoint({ endpoint });
  if (outcome === "full") {
    throw new DashboardError(
      "invalid_request",
      `An account has at most ${ENDPOINTS_MAX} webhook addresses. Remove one that you no longer use.`,
    );
  }
  await note(context, person.id, "endpoint_added", nameOf(endpoint));
  return json({ endpoint: viewEndpoint(endpoint) }, 201);
}

export async function changeEndpoint(context: RequestContext): Promise<Response> {
  const { account, person } = await requireActiveMember(context);
  const before = await findEndpoint(context, account);
  const { url, kinds, paused } = await readEndpoint(context);
  const pausedAt = paused ? (before.pausedAt ?? context.now) : null;
  const { id } = before;
  const order = { account, id, url, kinds, pausedAt };
  const { found } = await context.deps.events.changeEndpoint(order);
  if (!found) throw noSuchEndpoint();
  const after = { ...before, ...order };
  if (url !== before.url) await note(context, person.id, "endpoint_changed", moveOf(before, after));
  return json({ endpoint: viewEndpoint(after) });
}

export async function dropEndpoint(context: RequestContext): Promise<Response> {
  const { account, person } = await requireMember(context);
  const endpoint = await findEndpoint(context, account);
  await context.deps.events.dropEndpoint({ account, id: endpoint.id });
  await note(context, person.id, "endpoint_removed", nameOf(endpoint));
  return json({});
}

const DELIVERIES_A_PAGE = 30;

export async function listDeliveries(context: RequestContext): Promise<Response> {
  const { account } = await requireMember(context);
  const { id: endpoint } = await findEndpoint(context, account);
  const after = context.url.searchParams.get("after");
  const order = { account, endpoint, after, max: DELIVERIES_A_PAGE + 1 };
  const found = await context.deps.events.listDeliveries(order);
  const deliveries = found.slice(0, DELIVERIES_A_PAGE).map(viewDelivery);
  const isLast = found.length <= DELIVERIES_A_PAGE;
  const view: DeliveriesView = {
    deliveries,
    next: isLast ? null : (deliveries.at(-1)?.id ?? null),
  };
  return json(view);
}

export async function sendAgain(context: RequestContext): Promise<Response> {
  const { deps, now, delivery: id } = context;
  const { account } = await requireActiveMember(context);
  const endpoint = await findEndpoint(context, account);
  if (endpoint.pausedAt !== null) {
    throw new DashboardError(
      "invalid_request",
      "This address is paused, so nothing is sent there. Resume it, then send again.",
    );
  }
  const newId = newDeliveryId(deps.accountDeps.random);
  const order = { account, endpoint: endpoint.id, id, newId, now };
  const { found, isRateLimited } = await deps.events.sendAgain(order);
  if (!found) {
    throw new DashboardError("not_found", "There is no such delivery; they are kept for 30 days.");
  }
  if (isRateLimited) {
    throw new DashboardError(
      "too_many_requests",
      `At most ${SENT_AGAIN_A_DAY_MAX} webhooks are sent again to one address within 24 hours. Try again later.`,
      TRY_LATER_SECONDS,
    );
  }
  return json({ id: newId }, 201);
}

const ID_CHARS = 16;
/** 24 to 64 bytes by the specification of Standard Webhooks. */
const SECRET_BYTES = 32;
const TRY_LATER_SECONDS = 3_600;

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** For the journal: an address may have a token in its path. */
const nameOf = ({ url }: Endpoint) => new URL(url).host;

function moveOf(before: Endpoint, after: Endpoint): string {
  const [from, to] = [nameOf(before), nameOf(after)];
  return from === to ? to : `${from} to ${to}`;
}

async function readEndpoint(context: RequestContext): Promise<EndpointOrder> {
  const { url, kinds, paused } = await readJson(context);
  const checked = checkEndpointUrl(
    typeof url === "string" ? url : "",
    context.deps.settings.webhookNetworks,
  );
  if ("error" in checked) throw new DashboardError("invalid_request", checked.error);
  const wanted = Array.isArray(kinds) ? kinds : [];
  if (wanted.length === 0 || !wanted.every(isKind)) {
    throw new DashboardError(
      "invalid_request",
      `Choose at least one of what can be sent: ${LEDGER_EVENT_KINDS.join(", ")}.`,
    );
  }
  if (typeof paused !== "boolean") {
    throw new DashboardError("invalid_request", "Say whether it is paused.");
  }
  return {
    url: checked.url,
    kinds: LEDGER_EVENT_KINDS.filter((kind) => wanted.includes(kind)),
    paused,
  };
}

const isKind = (value: unknown): value is LedgerEventKind =>
  LEDGER_EVENT_KINDS.includes(value as LedgerEventKind);

async function findEndpoint(context: RequestContext, account: string): Promise<Endpoint> {
  const endpoints = await context.deps.events.listEndpoints({ account });
  const found = endpoints.find(({ id }) => id === context.id);
  if (found === undefined) throw noSuchEndpoint();
  return found;
}

const noSuchEndpoint = () =>
  new DashboardError("not_found", "This account has no such webhook address.");

const viewEndpoint = ({ id, url, kinds, pausedAt, createdAt, secret }: Endpoint): EndpointView => ({
  ...{ id, url, kinds: [...kinds], paused: pausedAt !== null, createdAt, secret },
});

const viewDelivery = (delivery: Delivery): DeliveryView => {
  const { endpoint: _, account: __, createdAt: at, ...rest } = delivery;
  return { ...rest, at };
};
