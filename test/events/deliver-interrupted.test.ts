import assert from "node:assert/strict";
import { test } from "node:test";
import { DELIVERY_LEASE_MS } from "#events/bounds.ts";
import type { WebhookTransport } from "#events/webhook-transport.ts";
import { eventually } from "../http/test-api.ts";
import { notify, openEvents, responding, START } from "./event-fixture.ts";

/** Deliveries whose process is killed or stopped or loses its database, and deliveries by several processes. */

test("after a crash between the request and its result, the webhook is sent again under the same id when the lease ends", async () => {
  for (const when of ["before the request", "after the request", "before the note"] as const) {
    const fixture = await openEvents();
    const endpoint = await fixture.addEndpoint();
    await notify(fixture);
    const { transport, sent } = responding(() => 200);
    const never = new Promise<never>(() => {});
    const dying: WebhookTransport = {
      async post(request, signal) {
        if (when !== "before the request") await transport.post(request, signal);
        return when === "before the note" ? { status: 200 } : never;
      },
    };
    let reached = () => {};
    const noting = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const settle = () => {
      reached();
      return never;
    };
    const jobs = { ...fixture.jobs, settle };
    // A killed process does nothing more.
    void fixture.deliverer(dying, { jobs }).deliverDue();
    if (when === "before the note") await noting;
    else
      await eventually(
        "the lease",
        async () => (await fixture.jobs.nextDue({ queues: ["webhook"] })).at !== START,
      );
    const next = fixture.deliverer(transport);
    assert.equal(await next.deliverDue(), START + DELIVERY_LEASE_MS, when);
    fixture.clock.now = START + DELIVERY_LEASE_MS;
    assert.equal(await next.deliverDue(), null, when);
    const [delivered] = await fixture.log(endpoint);
    assert.deepEqual([delivered?.status, delivered?.tries], ["delivered", 1], when);
    const ids = sent.map(({ headers }) => headers["webhook-id"]);
    const times = when === "before the request" ? 1 : 2;
    assert.deepEqual(ids, Array(times).fill(delivered?.event), when);
  }
});

test("a stop aborts requests in progress and does not count them as attempts", async () => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint();
  await notify(fixture);
  let isUnderWay = false;
  const transport: WebhookTransport = {
    post: (_, signal) =>
      new Promise((_resolve, reject) => {
        isUnderWay = true;
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  };
  const deliverer = fixture.deliverer(transport);
  const delivering = deliverer.deliverDue();
  await eventually("a request under way", async () => isUnderWay);
  deliverer.abort();
  assert.equal(await delivering, START, "due at once, for the next start");
  const [waiting] = await fixture.log(endpoint);
  assert.deepEqual([waiting?.status, waiting?.tries], ["waiting", 0]);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("a stopped sender takes no more deliveries and records the responses that arrive", async () => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint();
  await notify(fixture, 3);
  const transport: WebhookTransport = {
    async post() {
      deliverer.abort();
      return { status: 204 };
    },
  };
  const deliverer = fixture.deliverer(transport);
  assert.equal(await deliverer.deliverDue(), START);
  const statuses = (await fixture.log(endpoint)).map(({ status }) => status);
  assert.deepEqual(statuses, ["waiting", "waiting", "delivered"]);
});

test("a database error is logged and the next run continues", async () => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint();
  await notify(fixture);
  let failing = true;
  const jobs = {
    ...fixture.jobs,
    settle(order: Parameters<typeof fixture.jobs.settle>[0]) {
      if (failing) throw new Error("made to fail");
      return fixture.jobs.settle(order);
    },
  };
  const deliverer = fixture.deliverer(responding(() => 200).transport, { jobs });
  assert.equal(await deliverer.deliverDue(), START + DELIVERY_LEASE_MS);
  assert.match(fixture.loggedErrors.join(), /Webhooks: the job queue failed; .*made to fail/);
  failing = false;
  fixture.clock.now += DELIVERY_LEASE_MS;
  assert.equal(await deliverer.deliverDue(), null);
  assert.equal((await fixture.log(endpoint))[0]?.status, "delivered");
});
