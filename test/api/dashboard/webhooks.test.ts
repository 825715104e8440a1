import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  DeliveriesView,
  EndpointOrder,
  EndpointSecretView,
  EndpointsView,
  EndpointView,
} from "#api/dashboard/shapes.ts";
import { ENDPOINTS_MAX, SENT_AGAIN_A_DAY_MAX } from "#events/bounds.ts";
import { endpointSealer } from "#events/endpoint-secrets.ts";
import { LEDGER_EVENT_KINDS, type LedgerEvent } from "#ledger/events.ts";
import { DAY_MS } from "#limits.ts";
import {
  eventsOf,
  type Fixture,
  type Member,
  openFixture,
  openMember,
} from "./dashboard-fixture.ts";

const PATH = "/dashboard/webhooks";
const ORDER: EndpointOrder = {
  url: "https://shop.example/hooks?of=toolbooth",
  kinds: ["credits.low", "key.created"],
  paused: false,
};

const endpointsOf = async ({ browser }: Member) => (await browser.get(PATH)).body as EndpointsView;

async function addTo({ browser }: Member, changes: Partial<EndpointOrder> = {}) {
  const response = await browser.post(PATH, { ...ORDER, ...changes });
  assert.equal(response.status, 201, response.text);
  return (response.body as EndpointSecretView).endpoint;
}

let count = 0;
async function deliverTo(fixture: Fixture, account: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    count += 1;
    const id = `evt_${account}_${count}_1`;
    const event: LedgerEvent = {
      id,
      account,
      at: 1,
      kind: "credits.low",
      balance: 1,
      lowBalance: 2,
    };
    const ids = (wanted: number) => Array.from({ length: wanted }, (_, n) => `dlv_${count}x${n}`);
    const order = {
      ...{ event, email: null, webhookId: id, body: `{"count":${count}}`, deliveryIds: ids },
    };
    await fixture.store.events.handle({ ...order, now: Date.now() });
  }
}

const deliveriesAt = async ({ browser }: Member, id: string, after = "") =>
  (await browser.get(`${PATH}/${id}/deliveries${after}`)).body as DeliveriesView;

test("an endpoint is added, changed, paused, resumed and removed, and the activity log lists it", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { browser } = member;
  assert.deepEqual(await endpointsOf(member), { endpoints: [], max: ENDPOINTS_MAX });
  const added = await addTo(member);
  assert.deepEqual(added, {
    ...{ ...ORDER, id: added.id, createdAt: added.createdAt, previousSecretUntil: null },
    ...{ pausedAt: null, pausedBy: null, lastDeliveredAt: null, lastFailure: null },
  });
  assert.deepEqual((await endpointsOf(member)).endpoints, [added]);
  const changes: EndpointOrder = {
    ...{ url: "https://two.example:8443/", kinds: ["credits.granted"], paused: true },
  };
  const changed = await browser.patch(`${PATH}/${added.id}`, changes);
  const { endpoint: paused } = changed.body as { endpoint: EndpointView };
  assert.ok((paused.pausedAt ?? 0) >= added.createdAt);
  assert.deepEqual([changed.status, paused.pausedBy], [200, "owner"]);
  assert.deepEqual({ ...paused, pausedAt: null, pausedBy: null }, { ...added, ...changes });
  await browser.patch(`${PATH}/${added.id}`, { paused: false });
  const secretPath = `${changes.url}?token=hunter2`;
  await browser.patch(`${PATH}/${added.id}`, { url: secretPath });
  await browser.patch(`${PATH}/${added.id}`, { url: changes.url });
  const [resumed] = (await endpointsOf(member)).endpoints;
  assert.deepEqual(resumed, { ...added, ...changes, paused: false });
  assert.equal((await browser.delete(`${PATH}/${added.id}`)).status, 200);
  assert.equal((await browser.delete(`${PATH}/${added.id}`)).code, "not_found");
  assert.deepEqual((await endpointsOf(member)).endpoints, []);
  const events = await eventsOf(browser);
  assert.deepEqual(
    events.slice(0, 5).map(({ kind, detail }) => [kind, detail]),
    [
      ["endpoint_removed", "two.example:8443"],
      ["endpoint_changed", "two.example:8443"],
      ["endpoint_changed", "two.example:8443"],
      ["endpoint_changed", "shop.example to two.example:8443"],
      ["endpoint_added", "shop.example"],
    ],
  );
});

test("a change of one thing leaves what another tab has changed meanwhile", async () => {
  const member = await openMember(openFixture());
  const { id } = await addTo(member);
  const change = (what: Partial<EndpointOrder>) => member.browser.patch(`${PATH}/${id}`, what);
  const seen = async () => {
    const [{ url, kinds, paused } = ORDER] = (await endpointsOf(member)).endpoints;
    return { url, kinds, paused };
  };
  await Promise.all([change({ url: "https://two.example/" }), change({ paused: true })]);
  assert.deepEqual(await seen(), { ...ORDER, url: "https://two.example/", paused: true });
  await Promise.all([change({ kinds: ["key.revoked"] }), change({ paused: false })]);
  const after = { url: "https://two.example/", kinds: ["key.revoked"], paused: false };
  assert.deepEqual(await seen(), after);
  assert.equal((await change({})).code, "invalid_request");
});

test("a secret is shown when it is made and when it is rotated, and never again; the database has neither", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { browser } = member;
  const made = (await browser.post(PATH, ORDER)).body as EndpointSecretView;
  const { id } = made.endpoint;
  const rotated = await browser.post(`${PATH}/${id}/secret`, {});
  assert.equal(rotated.status, 201);
  const { secret, endpoint } = rotated.body as EndpointSecretView;
  for (const each of [made.secret, secret]) assert.match(each, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(secret, made.secret);
  const until = endpoint.previousSecretUntil ?? 0;
  assert.ok(Math.abs(until - Date.now() - DAY_MS) < 60_000, String(until));
  const changed = await browser.patch(`${PATH}/${id}`, { paused: true });
  const shown = [await browser.get(PATH), changed, await browser.get("/dashboard/events")];
  for (const { text } of shown) {
    assert.ok(!text.includes("whsec_"), text);
    assert.ok(!text.includes("sealed1"), text);
  }
  assert.deepEqual(await fixture.traces(secret), []);
  assert.deepEqual(await fixture.traces("whsec_"), []);
  const events = await eventsOf(browser);
  assert.deepEqual(
    events.slice(0, 2).map(({ kind, detail }) => [kind, detail]),
    [
      ["endpoint_secret_rotated", "shop.example"],
      ["endpoint_added", "shop.example"],
    ],
  );
  assert.equal((await browser.post(`${PATH}/whk_1/secret`, {})).code, "not_found");
});

test("two rotations at once leave one secret that was shown", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const made = (await browser.post(PATH, ORDER)).body as EndpointSecretView;
  const { id } = made.endpoint;
  const both = await Promise.all([1, 2].map(() => browser.post(`${PATH}/${id}/secret`, {})));
  const shown = both.filter(({ status }) => status === 201);
  for (const { status, text } of both) {
    if (status !== 201) assert.match(text, /rotated at the same time in another place/);
  }
  const [row] = await fixture.rows(`SELECT * FROM webhook_endpoint WHERE id = '${id}'`);
  const stored = await endpointSealer(fixture.accountDeps.secrets).open(
    String(row?.["secret"]),
    id,
  );
  assert.ok(shown.some(({ body }) => (body as EndpointSecretView).secret === stored));
});

test("an endpoint may be on this machine if the operator allows it", async () => {
  const member = await openMember(openFixture({ webhookNetworks: "any" }));
  const added = await addTo(member, { url: "http://127.0.0.1:9999/hooks" });
  assert.equal(added.url, "http://127.0.0.1:9999/hooks");
});

test("the kinds of an endpoint are stored once each", async () => {
  const member = await openMember(openFixture());
  const twice = ["key.created", "credits.low", "key.created"] as EndpointOrder["kinds"];
  assert.deepEqual((await addTo(member, { kinds: twice })).kinds, ["credits.low", "key.created"]);
  const all = [...LEDGER_EVENT_KINDS];
  assert.deepEqual((await addTo(member, { kinds: all })).kinds, all);
});

test(`an account has at most ${ENDPOINTS_MAX} endpoints`, async () => {
  const member = await openMember(openFixture());
  for (let times = 0; times < ENDPOINTS_MAX; times += 1) await addTo(member);
  const response = await member.browser.post(PATH, ORDER);
  assert.equal(response.status, 400);
  assert.match(response.text, new RegExp(`at most ${ENDPOINTS_MAX}`));
});

test("deliveries are listed page by page, with their exact bodies", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { id } = await addTo(member);
  await deliverTo(fixture, member.account, 31);
  const first = await deliveriesAt(member, id);
  assert.equal(first.deliveries.length, 30);
  const [newest] = first.deliveries;
  assert.deepEqual(newest, {
    ...{ id: newest?.id, event: `evt_${member.account}_${count}_1`, kind: "credits.low" },
    ...{ body: `{"count":${count}}`, at: Date.now(), status: "waiting", tries: 0 },
    ...{ dueAt: Date.now(), lastTriedAt: null, lastStatus: null, lastError: null },
  });
  const second = await deliveriesAt(member, id, `?after=${first.next}`);
  assert.deepEqual([second.deliveries.length, second.next], [1, null]);
});

test("a delivery is sent again, unless its endpoint is paused or it was sent too often", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { browser } = member;
  const { id } = await addTo(member);
  await deliverTo(fixture, member.account);
  const [before] = (await deliveriesAt(member, id)).deliveries;
  const path = `${PATH}/${id}/deliveries/${before?.id}/again`;
  const response = await browser.post(path);
  assert.equal(response.status, 201);
  const [again] = (await deliveriesAt(member, id)).deliveries;
  assert.deepEqual(response.body, { id: again?.id });
  assert.deepEqual([again?.event, again?.body], [before?.event, before?.body]);
  assert.equal((await browser.post(path.replace("dlv_", "dlx_"))).code, "not_found");
  const tested = await browser.post(`${PATH}/${id}/test`);
  assert.equal(tested.status, 201);
  const [test] = (await deliveriesAt(member, id)).deliveries;
  assert.deepEqual([{ id: test?.id }, test?.kind], [tested.body, "test"]);
  assert.deepEqual(JSON.parse(test?.body ?? "").data.account, member.account);
  await browser.patch(`${PATH}/${id}`, { paused: true });
  assert.equal((await browser.post(`${PATH}/${id}/test`)).status, 400);
  const paused = await browser.post(path);
  assert.deepEqual([paused.status, /Resume the endpoint/.test(paused.text)], [400, true]);
  await browser.patch(`${PATH}/${id}`, { paused: false });
  for (let sent = 2; sent < SENT_AGAIN_A_DAY_MAX; sent += 1)
    assert.equal((await browser.post(path)).status, 201);
  const refused = await browser.post(path);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "3600"]);
  assert.equal((await browser.post(`${PATH}/${id}/test`)).status, 429);
});
