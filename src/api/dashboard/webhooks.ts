import { ENDPOINTS_MAX, SENT_AGAIN_A_DAY_MAX } from "#events/bounds.ts";
import { newDeliveryId } from "#events/dispatch-events.ts";
import { judgeEndpoint } from "#events/endpoint-address.ts";
import type { Delivery, Endpoint } from "#events/event-store.ts";
import { randomBase62 } from "#ids.ts";
import { LEDGER_EVENT_KINDS, type LedgerEventKind } from "#ledger/events.ts";
import { PeopleFault } from "./dashboard-error.ts";
import {
  json,
  note,
  readJson,
  requireActiveMember,
  requireMember,
  type Visit,
} from "./request-context.ts";
import type {
  DeliveriesView,
  DeliveryView,
  EndpointOrder,
  EndpointsView,
  EndpointView,
} from "./shapes.ts";

/** An account's own endpoints, and the log of what was sent there. */
export async function listEndpoints(visit: Visit): Promise<Response> {
  const { account } = await requireMember(visit);
  const endpoints = await visit.house.notices.listEndpoints({ account });
  const view: EndpointsView = { endpoints: endpoints.map(viewEndpoint), max: ENDPOINTS_MAX };
  return json(view);
}

export async function addEndpoint(visit: Visit): Promise<Response> {
  const { account, person } = await requireActiveMember(visit);
  const { house, now } = visit;
  const { random } = house.desk;
  const { url, kinds, paused } = await readEndpoint(visit);
  const endpoint: Endpoint = {
    id: `whk_${randomBase62(ID_CHARS, random)}`,
    ...{ account, url, kinds, createdAt: now },
    secret: `whsec_${base64(random(SECRET_BYTES))}`,
    pausedAt: paused ? now : null,
  };
  const { outcome } = await house.notices.addEndpoint({ endpoint });
  if (outcome === "full") {
    throw new PeopleFault(
      "invalid_request",
      `An account has at most ${ENDPOINTS_MAX} webhook addresses. Remove one that you no longer use.`,
    );
  }
  await note(visit, person.id, "endpoint_added", nameOf(endpoint));
  return json({ endpoint: viewEndpoint(endpoint) }, 201);
}

export async function changeEndpoint(visit: Visit): Promise<Response> {
  const { account, person } = await requireActiveMember(visit);
  const before = await findEndpoint(visit, account);
  const { url, kinds, paused } = await readEndpoint(visit);
  const pausedAt = paused ? (before.pausedAt ?? visit.now) : null;
  const { id } = before;
  const order = { account, id, url, kinds, pausedAt };
  const { found } = await visit.house.notices.changeEndpoint(order);
  if (!found) throw noSuchEndpoint();
  const after = { ...before, ...order };
  if (url !== before.url) await note(visit, person.id, "endpoint_changed", moveOf(before, after));
  return json({ endpoint: viewEndpoint(after) });
}

export async function dropEndpoint(visit: Visit): Promise<Response> {
  const { account, person } = await requireMember(visit);
  const endpoint = await findEndpoint(visit, account);
  await visit.house.notices.dropEndpoint({ account, id: endpoint.id });
  await note(visit, person.id, "endpoint_removed", nameOf(endpoint));
  return json({});
}

const DELIVERIES_A_PAGE = 30;

export async function listDeliveries(visit: Visit): Promise<Response> {
  const { account } = await requireMember(visit);
  const { id: endpoint } = await findEndpoint(visit, account);
  const after = visit.url.searchParams.get("after");
  const order = { account, endpoint, after, max: DELIVERIES_A_PAGE + 1 };
  const found = await visit.house.notices.listDeliveries(order);
  const deliveries = found.slice(0, DELIVERIES_A_PAGE).map(viewDelivery);
  const isLast = found.length <= DELIVERIES_A_PAGE;
  const view: DeliveriesView = {
    deliveries,
    next: isLast ? null : (deliveries.at(-1)?.id ?? null),
  };
  return json(view);
}

export async function sendAgain(visit: Visit): Promise<Response> {
  const { house, now, delivery: id } = visit;
  const { account } = await requireActiveMember(visit);
  const endpoint = await findEndpoint(visit, account);
  if (endpoint.pausedAt !== null) {
    throw new PeopleFault(
      "invalid_request",
      "This address is paused, so nothing is sent there. Resume it, then send again.",
    );
  }
  const newId = newDeliveryId(house.desk.random);
  const order = { account, endpoint: endpoint.id, id, newId, now };
  const { found, isTooOften } = await house.notices.sendAgain(order);
  if (!found) {
    throw new PeopleFault("not_found", "There is no such delivery; they are kept for 30 days.");
  }
  if (isTooOften) {
    throw new PeopleFault(
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

async function readEndpoint(visit: Visit): Promise<EndpointOrder> {
  const { url, kinds, paused } = await readJson(visit);
  const judged = judgeEndpoint(
    typeof url === "string" ? url : "",
    visit.house.settings.webhookNetworks,
  );
  if ("fault" in judged) throw new PeopleFault("invalid_request", judged.fault);
  const wanted = Array.isArray(kinds) ? kinds : [];
  if (wanted.length === 0 || !wanted.every(isKind)) {
    throw new PeopleFault(
      "invalid_request",
      `Choose at least one of what can be sent: ${LEDGER_EVENT_KINDS.join(", ")}.`,
    );
  }
  if (typeof paused !== "boolean") {
    throw new PeopleFault("invalid_request", "Say whether it is paused.");
  }
  return {
    url: judged.url,
    kinds: LEDGER_EVENT_KINDS.filter((kind) => wanted.includes(kind)),
    paused,
  };
}

const isKind = (value: unknown): value is LedgerEventKind =>
  LEDGER_EVENT_KINDS.includes(value as LedgerEventKind);

async function findEndpoint(visit: Visit, account: string): Promise<Endpoint> {
  const endpoints = await visit.house.notices.listEndpoints({ account });
  const found = endpoints.find(({ id }) => id === visit.id);
  if (found === undefined) throw noSuchEndpoint();
  return found;
}

const noSuchEndpoint = () =>
  new PeopleFault("not_found", "This account has no such webhook address.");

const viewEndpoint = ({ id, url, kinds, pausedAt, createdAt, secret }: Endpoint): EndpointView => ({
  ...{ id, url, kinds: [...kinds], paused: pausedAt !== null, createdAt, secret },
});

const viewDelivery = (delivery: Delivery): DeliveryView => {
  const { endpoint: _, account: __, createdAt: at, ...rest } = delivery;
  return { ...rest, at };
};
