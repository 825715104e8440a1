import { ENDPOINTS_MAX, SENT_AGAIN_A_DAY_MAX } from "#events/bounds.ts";
import { newDeliveryId } from "#events/dispatch-events.ts";
import { endpointSealer, newEndpointSecret, rotated } from "#events/endpoint-secrets.ts";
import { checkEndpointUrl } from "#events/endpoint-url.ts";
import type { Delivery, Endpoint, EndpointHistory } from "#events/event-store.ts";
import { testBody } from "#events/webhook-body.ts";
import { randomBase62 } from "#ids.ts";
import { LEDGER_EVENT_KINDS, type LedgerEventKind } from "#ledger/events.ts";
import { HOUR_MS } from "#limits.ts";
import { DashboardError, retryAfter } from "./dashboard-error.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import {
  json,
  type RequestContext,
  readAsActiveMember,
  readAsMember,
  readJson,
  recordEvent,
  requireActiveMember,
} from "./request-context.ts";
import type {
  DeliveriesView,
  DeliveryView,
  EndpointOrder,
  EndpointSecretView,
  EndpointsView,
  EndpointView,
} from "./shapes.ts";

/** The webhook endpoints of an account, and the deliveries to them. */
export async function listEndpoints(context: RequestContext): Promise<Response> {
  const { events } = context.deps;
  const [, [endpoints, history]] = await readAsMember(context, ({ account }) =>
    Promise.all([events.listEndpoints({ account }), events.readHistory({ account })]),
  );
  const view: EndpointsView = {
    endpoints: endpoints.map((each) => viewEndpoint(each, context.now, history.get(each.id))),
    max: ENDPOINTS_MAX,
  };
  return json(view);
}

export async function addEndpoint(context: RequestContext): Promise<Response> {
  const member = await requireActiveMember(context);
  // Checked first, so that users are not asked for a proof for a URL that is not allowed.
  const { url, kinds, paused } = await readEndpoint(context);
  // An endpoint gets the events of the account.
  requireFreshProof(context, member);
  const { account, user } = member;
  const { deps, now } = context;
  const { random, secrets } = deps.accountDeps;
  const id = `whk_${randomBase62(ID_CHARS, random)}`;
  const secret = newEndpointSecret(random);
  const endpoint: Endpoint = {
    id,
    account,
    url,
    kinds,
    createdAt: now,
    secret: await endpointSealer(secrets).seal(secret, id),
    previousSecret: null,
    previousUntil: null,
    pausedAt: paused ? now : null,
    pausedBy: paused ? "owner" : null,
  };
  const { outcome } = await deps.events.addEndpoint({ endpoint });
  if (outcome === "full") {
    throw new DashboardError(
      "invalid_request",
      `An account can have at most ${ENDPOINTS_MAX} webhook endpoints. Delete one that you no longer use.`,
    );
  }
  await recordEvent(context, user, "endpoint_added", nameOf(endpoint));
  const view: EndpointSecretView = { endpoint: viewEndpoint(endpoint, now), secret };
  return json(view, 201);
}

/** Makes a new secret. Webhooks are signed with the old one too for a day. */
export async function rotateEndpointSecret(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const [member, endpoints] = await readAsActiveMember(context, readEndpoints(context));
  // The new secret is shown; with it webhooks can be forged.
  requireFreshProof(context, member);
  const endpoint = findEndpoint(context, endpoints);
  const { random, secrets } = deps.accountDeps;
  const { shown, secrets: fresh } = await rotated(endpoint, endpointSealer(secrets), random, now);
  const { id, secret: from } = endpoint;
  const { changed } = await deps.events.replaceSecrets({ id, from, ...fresh });
  if (!changed) {
    throw new DashboardError(
      "invalid_request",
      "This secret was rotated at the same time in another place. Reload the page.",
    );
  }
  const name = nameOf(endpoint);
  const recording = recordEvent(context, member.user, "endpoint_secret_rotated", name);
  const after = await viewChanged(context, { ...endpoint, ...fresh }, recording);
  const view: EndpointSecretView = { endpoint: after, secret: shown };
  return json(view, 201);
}

export async function changeEndpoint(context: RequestContext): Promise<Response> {
  const [member, endpoints] = await readAsActiveMember(context, readEndpoints(context));
  const { account, user } = member;
  const before = findEndpoint(context, endpoints);
  const { paused, ...change } = await readEndpointChange(context);
  const after = { ...before, ...change };
  // Events at another URL go to someone else, as with a new endpoint.
  if (after.url !== before.url) requireFreshProof(context, member);
  const order = {
    ...{ account, id: before.id, ...change },
    ...(paused === undefined ? {} : { pausedAt: paused ? context.now : null }),
  };
  const { found } = await context.deps.events.changeEndpoint(order);
  if (!found) throw noSuchEndpoint();
  if (paused !== undefined) {
    after.pausedAt = paused ? (before.pausedAt ?? context.now) : null;
    after.pausedBy = paused ? (before.pausedBy ?? "owner") : null;
  }
  const recording =
    after.url === before.url
      ? Promise.resolve()
      : recordEvent(context, user, "endpoint_changed", moveOf(before, after));
  return json({ endpoint: await viewChanged(context, after, recording) });
}

export async function dropEndpoint(context: RequestContext): Promise<Response> {
  const [{ account, user }, endpoints] = await readAsMember(context, readEndpoints(context));
  const endpoint = findEndpoint(context, endpoints);
  await context.deps.events.dropEndpoint({ account, id: endpoint.id });
  await recordEvent(context, user, "endpoint_removed", nameOf(endpoint));
  return json({});
}

const DELIVERIES_A_PAGE = 30;

export async function listDeliveries(context: RequestContext): Promise<Response> {
  const after = context.url.searchParams.get("after");
  const { events } = context.deps;
  const [, [endpoints, found]] = await readAsMember(context, ({ account }) => {
    const order = { account, endpoint: context.id, after, max: DELIVERIES_A_PAGE + 1 };
    return Promise.all([events.listEndpoints({ account }), events.listDeliveries(order)]);
  });
  findEndpoint(context, endpoints);
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
  const { account, endpoint } = await findActiveEndpoint(context);
  const newId = newDeliveryId(deps.accountDeps.random);
  const order = { account, endpoint, id, newId, now };
  const { found, isRateLimited } = await deps.events.sendAgain(order);
  if (!found) {
    throw new DashboardError(
      "not_found",
      "This endpoint has no such delivery. Deliveries are kept for 30 days.",
    );
  }
  if (isRateLimited) throw tooManyByHand();
  return json({ id: newId }, 201);
}

/** Sends a test event, whatever kinds the endpoint has chosen. */
export async function sendTest(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const { account, endpoint } = await findActiveEndpoint(context);
  const { random } = deps.accountDeps;
  const order = {
    ...{ account, endpoint, now },
    newId: newDeliveryId(random),
    event: `evt_test_${randomBase62(ID_CHARS, random)}`,
    body: testBody(account, now),
  };
  const { found, isRateLimited } = await deps.events.sendTest(order);
  if (!found) throw noSuchEndpoint();
  if (isRateLimited) throw tooManyByHand();
  return json({ id: order.newId }, 201);
}

async function findActiveEndpoint(
  context: RequestContext,
): Promise<{ account: string; endpoint: string }> {
  const [{ account }, endpoints] = await readAsActiveMember(context, readEndpoints(context));
  const { id, pausedAt } = findEndpoint(context, endpoints);
  if (pausedAt === null) return { account, endpoint: id };
  throw new DashboardError(
    "invalid_request",
    "This endpoint is paused, so we send it nothing. Resume the endpoint, then try again.",
  );
}

const tooManyByHand = () =>
  new DashboardError(
    "too_many_requests",
    `You can send at most ${SENT_AGAIN_A_DAY_MAX} test events and resent webhooks to one endpoint within 24 hours. Try again later.`,
    retryAfter(HOUR_MS),
  );

const ID_CHARS = 16;

/** Only the host goes to the activity list, because the URL may have a token in its path. */
const nameOf = ({ url }: Endpoint) => new URL(url).host;

function moveOf(before: Endpoint, after: Endpoint): string {
  const [from, to] = [nameOf(before), nameOf(after)];
  return from === to ? to : `${from} to ${to}`;
}

async function readEndpoint(context: RequestContext): Promise<EndpointOrder> {
  const { url, kinds, paused } = await readJson(context);
  return { url: readUrl(context, url), kinds: readKinds(kinds), paused: readPaused(paused) };
}

async function readEndpointChange(context: RequestContext): Promise<Partial<EndpointOrder>> {
  const { url, kinds, paused } = await readJson(context);
  if (url === undefined && kinds === undefined && paused === undefined) {
    throw new DashboardError(
      "invalid_request",
      "Send what changes: `url`, `kinds`, `paused`, or several of them.",
    );
  }
  return {
    ...(url === undefined ? {} : { url: readUrl(context, url) }),
    ...(kinds === undefined ? {} : { kinds: readKinds(kinds) }),
    ...(paused === undefined ? {} : { paused: readPaused(paused) }),
  };
}

function readUrl({ deps }: RequestContext, url: unknown): string {
  const checked = checkEndpointUrl(
    typeof url === "string" ? url : "",
    deps.settings.webhookNetworks,
  );
  if ("error" in checked) throw new DashboardError("invalid_url", checked.error);
  return checked.url;
}

function readKinds(kinds: unknown): LedgerEventKind[] {
  const wanted = Array.isArray(kinds) ? kinds : [];
  if (wanted.length === 0 || !wanted.every(isKind)) {
    throw new DashboardError(
      "invalid_request",
      `\`kinds\` must list at least one of these events: ${LEDGER_EVENT_KINDS.join(", ")}.`,
    );
  }
  return LEDGER_EVENT_KINDS.filter((kind) => wanted.includes(kind));
}

function readPaused(paused: unknown): boolean {
  if (typeof paused === "boolean") return paused;
  throw new DashboardError("invalid_request", "`paused` must be true or false.");
}

const isKind = (value: unknown): value is LedgerEventKind =>
  LEDGER_EVENT_KINDS.includes(value as LedgerEventKind);

const readEndpoints =
  ({ deps }: RequestContext) =>
  ({ account }: { account: string }): Promise<Endpoint[]> =>
    deps.events.listEndpoints({ account });

function findEndpoint(context: RequestContext, endpoints: readonly Endpoint[]): Endpoint {
  const found = endpoints.find(({ id }) => id === context.id);
  if (found === undefined) throw noSuchEndpoint();
  return found;
}

const noSuchEndpoint = () =>
  new DashboardError("not_found", "This account has no such webhook endpoint.");

/** Never contains a secret: its owner sees it once, when it is made. */
const viewEndpoint = (
  { id, url, kinds, pausedAt, pausedBy, createdAt, previousUntil }: Endpoint,
  now: number,
  history: EndpointHistory = { lastDeliveredAt: null, lastFailure: null },
): EndpointView => ({
  id,
  url,
  kinds: [...kinds],
  paused: pausedAt !== null,
  ...{ pausedAt, pausedBy, createdAt, ...history },
  previousSecretUntil: previousUntil !== null && now < previousUntil ? previousUntil : null,
});

/** The endpoint after a change, which is recorded meanwhile; it is also recorded if the history cannot be read. */
async function viewChanged(
  context: RequestContext,
  endpoint: Endpoint,
  recording: Promise<void>,
): Promise<EndpointView> {
  const { account } = endpoint;
  const reading = context.deps.events.readHistory({ account });
  const history = await reading.finally(() => recording);
  return viewEndpoint(endpoint, context.now, history.get(endpoint.id));
}

const viewDelivery = (delivery: Delivery): DeliveryView => {
  const { endpoint: _, account: __, createdAt: at, ...rest } = delivery;
  return { ...rest, at };
};
