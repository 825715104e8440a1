import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { RETRY_WAITS_MS } from "#events/bounds.ts";
import { signedHeaders } from "#events/deliver-webhooks.ts";
import { endpointSealer, rotated } from "#events/endpoint-secrets.ts";
import { createNodeWebhookTransport } from "#events/node-webhook-transport.ts";
import type { WebhookTransport } from "#events/webhook-transport.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { eventually } from "../http/test-api.ts";
import {
  ACCOUNT,
  ENDPOINT_SEALER,
  notify,
  openEvents,
  random,
  responding,
  SECRET,
  START,
} from "./event-fixture.ts";
import { startReceiver } from "./receiver.ts";

test("the Standard Webhooks package verifies the signature of any text", () => {
  const at = Math.floor(Date.now() / 1_000) * 1_000;
  const body = `{"type":"credits.low","label":"Käse 🐝"}`;
  const headers = signedHeaders({ secrets: [SECRET], id: "evt_1", body, at });
  assert.deepEqual(new Webhook(SECRET).verify(body, headers), JSON.parse(body));
});

test("a real receiver gets the webhook and verifies its signature", async (t) => {
  const fixture = await openEvents();
  // The package uses the system clock to check the age of a webhook.
  fixture.clock.now = Date.now();
  let secret = SECRET;
  const receiver = await startReceiver(t, () => secret);
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await notify(fixture, 3);
  const deliverer = fixture.deliverer(createNodeWebhookTransport({ networks: "any" }));
  assert.equal(await deliverer.deliverDue(), null);
  const log = (await fixture.log(endpoint)).toReversed();
  assert.deepEqual(
    receiver.received,
    log.map(({ event, body }) => ({ id: event, body, isGood: true })),
  );
  assert.deepEqual(
    log.map(({ status, tries, lastStatus, lastError }) => [status, tries, lastStatus, lastError]),
    Array(3).fill(["delivered", 1, 200, null]),
  );
  secret = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY=";
  await notify(fixture);
  await deliverer.deliverDue();
  assert.equal(receiver.received.at(-1)?.isGood, false);
});

test("a retry has the same id, and the time and signature of the new attempt", async (t) => {
  const fixture = await openEvents();
  fixture.clock.now = Date.now();
  const receiver = await startReceiver(
    t,
    () => SECRET,
    (before, response) => {
      response.writeHead(before === 0 ? 503 : 204).end();
    },
  );
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await notify(fixture);
  const deliverer = fixture.deliverer(createNodeWebhookTransport({ networks: "any" }));
  assert.equal(await deliverer.deliverDue(), fixture.clock.now + 5_000);
  const [waiting] = await fixture.log(endpoint);
  assert.deepEqual(
    [waiting?.status, waiting?.lastError],
    ["waiting", "The endpoint responded with 503."],
  );
  fixture.clock.now += 5_000;
  assert.equal(await deliverer.deliverDue(), null);
  const [first, second] = receiver.received;
  assert.deepEqual(first, second);
  assert.equal(second?.isGood, true);
});

test("an endpoint that never responds is tried for a day and then given up", async () => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint();
  await notify(fixture);
  const { transport, sent } = responding(() => "The connection was refused.");
  const deliverer = fixture.deliverer(transport);
  const waits: number[] = [];
  for (let due = await deliverer.deliverDue(); due !== null; due = await deliverer.deliverDue()) {
    waits.push(due - fixture.clock.now);
    fixture.clock.now = due - 1;
    await deliverer.deliverDue();
    fixture.clock.now = due;
  }
  assert.deepEqual(waits, [...RETRY_WAITS_MS]);
  assert.equal(sent.length, RETRY_WAITS_MS.length + 1);
  const total = waits.reduce((sum, wait) => sum + wait, 0);
  assert.ok(total > DAY_MS && total < DAY_MS + HOUR_MS);
  const [failed] = await fixture.log(endpoint);
  assert.deepEqual(
    [failed?.status, failed?.tries, failed?.dueAt, failed?.lastStatus, failed?.lastError],
    ["failed", 9, null, null, "The connection was refused."],
  );
  assert.equal(failed?.lastTriedAt, fixture.clock.now);
});

test("an operator can retry a failed webhook, but not while its endpoint is paused", async () => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint();
  await notify(fixture);
  let status = 410;
  const deliverer = fixture.deliverer(responding(() => status).transport);
  await deliverer.deliverDue();
  const operator = operatorJobs([fixture.jobs]);
  const listed = await operator.listJobs({ dead: true, after: null, max: 1 });
  const [{ id = "" } = {}] = listed.jobs;
  assert.deepEqual(
    [listed.jobs[0]?.kind, listed.jobs[0]?.label, listed.next],
    ["credits.low", endpoint.id, null],
  );
  assert.deepEqual(await operator.retryJob({ id, now: START }), { outcome: "retried" });
  status = 200;
  assert.equal(await deliverer.deliverDue(), null);
  const statusNow = async () => (await fixture.log(endpoint))[0]?.status;
  assert.equal(await statusNow(), "waiting", "the endpoint is paused");
  await fixture.eventStore.changeEndpoint({ ...endpoint, pausedAt: null });
  await deliverer.deliverDue();
  assert.equal(await statusNow(), "delivered");
});

test("only 2xx counts as delivered; for a redirect the error says what to do", async () => {
  for (const status of [200, 201, 202, 204, 299, 301, 302, 307, 400, 401, 404, 429, 500, 503]) {
    const fixture = await openEvents();
    const endpoint = await fixture.addEndpoint();
    await notify(fixture);
    await fixture.deliverer(responding(() => status).transport).deliverDue();
    const [tried] = await fixture.log(endpoint);
    const isGood = status < 300;
    assert.deepEqual(
      [tried?.status, tried?.lastStatus],
      [isGood ? "delivered" : "waiting", status],
    );
    if (status > 300 && status < 400)
      assert.match(tried?.lastError ?? "", /Redirects are not followed/);
  }
});

test("an endpoint that responds with 410 is paused, and its deliveries wait until it is resumed", async () => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint();
  await notify(fixture, 3);
  let status = 410;
  const { transport, sent } = responding(() => status);
  const deliverer = fixture.deliverer(transport);
  assert.equal(await deliverer.deliverDue(), null);
  assert.equal(sent.length, 1);
  const [paused] = await fixture.eventStore.listEndpoints({ account: ACCOUNT });
  assert.equal(paused?.pausedAt, START);
  await notify(fixture);
  status = 200;
  const { id, url, kinds } = endpoint;
  await fixture.eventStore.changeEndpoint({ account: ACCOUNT, id, url, kinds, pausedAt: null });
  await deliverer.deliverDue();
  assert.deepEqual(
    (await fixture.log(endpoint)).map((each) => each.status),
    ["delivered", "delivered", "failed"],
  );
});

test("a slow endpoint gets one delivery at a time and delays only itself", async () => {
  const fixture = await openEvents();
  const slow = await fixture.addEndpoint({ url: "https://slow.example/" });
  const quick = await fixture.addEndpoint({ url: "https://quick.example/" });
  await notify(fixture, 4);
  let release = () => {};
  let atOnce = 0;
  const transport: WebhookTransport = {
    async post({ url }) {
      if (url !== slow.url) return { status: 200 };
      atOnce += 1;
      assert.equal(atOnce, 1);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      atOnce -= 1;
      return { status: 200 };
    },
  };
  const deliverer = fixture.deliverer(transport);
  const delivering = deliverer.deliverDue();
  const statusesOf = async (of: typeof slow) => (await fixture.log(of)).map(({ status }) => status);
  const isDone = async (of: typeof slow) => !(await statusesOf(of)).includes("waiting");
  await eventually("the quick one's", () => isDone(quick));
  assert.deepEqual(await statusesOf(slow), Array(4).fill("waiting"));
  await eventually("the slow one's", () => {
    release();
    return isDone(slow);
  });
  assert.equal(await delivering, null);
});

test("after a rotation webhooks carry both signatures for a day, those queued before it too", async () => {
  const fixture = await openEvents();
  fixture.clock.now = Date.now();
  const { sent, transport } = responding(() => (sent.length === 1 ? 500 : 200));
  const deliverer = fixture.deliverer(transport);
  const endpoint = await fixture.addEndpoint();
  await notify(fixture);
  await deliverer.deliverDue();
  const { now } = fixture.clock;
  const { shown, secrets } = await rotated(endpoint, ENDPOINT_SEALER, random, now);
  const order = { id: endpoint.id, from: endpoint.secret, ...secrets };
  assert.deepEqual(await fixture.eventStore.replaceSecrets(order), { changed: true });
  assert.deepEqual(await fixture.eventStore.replaceSecrets(order), { changed: false });

  const verifies = (request: (typeof sent)[number] | undefined) =>
    [SECRET, shown].map((secret) => {
      try {
        new Webhook(secret).verify(request?.body ?? "", request?.headers ?? {});
        return true;
      } catch {
        return false;
      }
    });
  fixture.clock.now = now + RETRY_WAITS_MS[0];
  await deliverer.deliverDue();
  assert.deepEqual(verifies(sent[0]), [true, false]);
  assert.deepEqual(verifies(sent[1]), [true, true]);
  assert.match(sent[1]?.headers["webhook-signature"] ?? "", /^v1,\S{44} v1,\S{44}$/);

  const signaturesAt = async (at: number) => {
    fixture.clock.now = at;
    await notify(fixture);
    await deliverer.deliverDue();
    return sent.at(-1)?.headers["webhook-signature"]?.split(" ").length;
  };
  assert.equal(await signaturesAt(now + DAY_MS - 1), 2);
  assert.equal(await signaturesAt(now + DAY_MS), 1);
  await fixture.eventStore.forget({ before: 0, max: 1, now: now + DAY_MS });
  const [kept] = await fixture.eventStore.listEndpoints(endpoint);
  assert.deepEqual([kept?.previousSecret, kept?.previousUntil], [null, null]);
});

test("a delivery seals the secret again after SECRET was rotated; one that cannot be read fails with a reason", async () => {
  const fixture = await openEvents();
  const { sent, transport } = responding(() => 200);
  const endpoint = await fixture.addEndpoint();
  const later = { sealer: endpointSealer(["a later secret", "new secret"]) };
  await notify(fixture);
  await fixture.deliverer(transport, later).deliverDue();
  assert.equal(sent.length, 1);
  const [kept] = await fixture.eventStore.listEndpoints(endpoint);
  const only = endpointSealer(["a later secret"]);
  assert.equal(await only.open(kept?.secret ?? "", endpoint.id), SECRET);

  await notify(fixture);
  await fixture.deliverer(transport, { sealer: endpointSealer(["a lost one"]) }).deliverDue();
  const [failed] = await fixture.log(endpoint);
  assert.match(failed?.lastError ?? "", /can no longer be read.*Rotate the endpoint's secret/);
  const other = await fixture.addEndpoint({ secret: kept?.secret ?? "" });
  await notify(fixture);
  await fixture.deliverer(transport, later).deliverDue();
  const [moved] = await fixture.log(other);
  assert.match(moved?.lastError ?? "", /can no longer be read/, "a secret of another endpoint");
  const { secrets } = await rotated(kept ?? endpoint, endpointSealer(["a lost one"]), random, 0);
  assert.equal(secrets.previousSecret, null);
});
