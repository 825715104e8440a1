import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "#config/config.ts";
import { EVENTS_KEPT_MS } from "#events/bounds.ts";
import { startDashboard } from "../../../src/apps/node/dashboard.ts";
import { createNodeLog } from "../../../src/apps/node/log.ts";
import {
  type NotificationsDeps,
  startNotifications,
} from "../../../src/apps/node/notifications.ts";
import { openNodeStore } from "../../../src/apps/node/store.ts";
import {
  ACCOUNT,
  ENDPOINT_SEALER,
  type Fixture,
  lowEvent,
  openEvents,
  responding,
  SECRET,
  START,
} from "../../events/event-fixture.ts";
import { startReceiver } from "../../events/receiver.ts";
import { eventually } from "../../http/test-api.ts";

const until = (isSo: () => boolean | Promise<boolean>) =>
  eventually(String(isSo), async () => isSo());

function start(t: TestContext, fixture: Fixture, changes: Partial<NotificationsDeps> = {}) {
  const { transport, sent } = responding(() => 204);
  const events = startNotifications({
    ...fixture.wiring,
    source: fixture.store.ledgerEvents,
    eventStore: fixture.eventStore,
    jobs: fixture.jobs,
    transport,
    endpointSealer: ENDPOINT_SEALER,
    onEmails() {},
    everyMs: 5,
    ...changes,
  });
  t.after(() => events.stop());
  return { ...events, sent };
}

const grant = ({ ledger, clock }: Fixture, id: string) =>
  ledger.grant({
    account: ACCOUNT,
    id,
    kind: "operator",
    amount: 50,
    expiresAt: null,
    now: clock.now,
  });

test("wakes the sender of emails, and deletes old deliveries", async (t) => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint({ kinds: ["credits.granted"] });
  await grant(fixture, "one");
  let woken = 0;
  const onEmails = () => {
    woken += 1;
  };
  const running = start(t, fixture, { onEmails });
  await until(() => running.sent.length === 1);
  assert.ok(woken > 0);
  fixture.clock.now = START + EVENTS_KEPT_MS + 1;
  await until(async () => (await fixture.log(endpoint)).length === 0);
});

test("a round deletes a batch of old deliveries, and later rounds the rest", async (t) => {
  const fixture = await openEvents();
  let round = 0;
  const rounds: number[] = [];
  const source = {
    ...fixture.source,
    async list() {
      round += 1;
      return [];
    },
  };
  const eventStore = {
    ...fixture.eventStore,
    async forget() {
      rounds.push(round);
      return { forgotten: 500, more: rounds.length < 3 };
    },
  };
  start(t, fixture, { source, eventStore });
  await until(() => round > 1);
  fixture.clock.now += 10 * 60_000;
  await until(() => rounds.length === 3);
  const [first = 0] = rounds;
  assert.deepEqual(rounds, [first, first + 1, first + 2]);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("logs a step that fails and continues with the others", async (t) => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint({ kinds: ["credits.granted"] });
  await grant(fixture, "one");
  const failing = async () => {
    throw new Error("made to fail");
  };
  let [forgets, looks] = [0, 0];
  const eventStore = {
    ...fixture.eventStore,
    async forget() {
      forgets += 1;
      return failing();
    },
  };
  const jobs = {
    ...fixture.jobs,
    async take() {
      looks += 1;
      return failing();
    },
  };
  start(t, fixture, { eventStore, jobs });
  await until(async () => (await fixture.log(endpoint)).length === 1 && looks > 1);
  fixture.clock.now += 10 * 60_000;
  await until(() => forgets > 1);
  assert.deepEqual(
    [...new Set(fixture.loggedErrors.map((line) => line.split(";")[0]))],
    ["Webhooks: the job queue failed", "Deleting old webhook deliveries failed"],
  );
});

test("logs that the ledger is unavailable, and continues when it is back", async (t) => {
  const fixture = await openEvents();
  await fixture.addEndpoint({ kinds: ["credits.granted"] });
  await grant(fixture, "one");
  let asked = 0;
  const { ledgerEvents } = fixture.store;
  const source = {
    ...ledgerEvents,
    async list(order: { max: number }) {
      asked += 1;
      if (asked < 5) throw new Error("made to fail");
      return ledgerEvents.list(order);
    },
  };
  const running = start(t, fixture, { source });
  await until(() => running.sent.length === 1);
  assert.deepEqual(
    [...new Set(fixture.loggedErrors)],
    ["Dispatching events failed; retrying: Error: made to fail"],
  );
});

test("stops during any step", async (t) => {
  const fixture = await openEvents();
  await fixture.addEndpoint();
  fixture.unsettled.push(lowEvent());
  await fixture.dispatchEvents();
  let isUnderWay = false;
  const transport = {
    post: (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        isUnderWay = true;
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  };
  const running = start(t, fixture, { transport });
  await until(() => isUnderWay);
  await running.stop();
  await grant(fixture, "late");
  assert.equal((await fixture.store.ledgerEvents.list({ max: 9 })).length, 1);
});

test("on the dashboard thread a debit becomes an email in the outbox and a webhook delivery", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-notifications-"));
  const file = path.join(folder, "toolbooth.sqlite");
  const fixture = await openEvents(file);
  const receiver = await startReceiver(t, () => SECRET);
  await fixture.addEndpoint({ url: receiver.url, kinds: ["credits.granted", "credits.depleted"] });
  const key = { sha256: "a".repeat(64), id: "key_00000000000100000000aa" };
  const made = { account: ACCOUNT, ...key, start: "tb_A", label: "prod", now: START };
  await fixture.ledger.createKey(made);
  const one = { id: "one", kind: "operator", amount: 1, expiresAt: null } as const;
  await fixture.ledger.grant({ account: ACCOUNT, ...one, now: START });
  for (const callId of ["call_1", "call_2"]) {
    const order = { account: ACCOUNT, keySha256: key.sha256, callId, tool: "hash" };
    await fixture.ledger.debit({
      ...order,
      now: START + 1,
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    });
  }
  fixture.driver.close();
  const store = await openNodeStore(
    readConfig({ DATA_DIR: folder, SECRET: "a new secret for all" }),
    {
      ...{ onBatch() {}, onCrash() {}, onFault() {} },
    },
  );
  const dashboard = startDashboard(
    {
      ...readConfig({ DATA_DIR: folder, TOOLBOOTH_WEBHOOK_NETWORKS: "any" }),
      ...{ publicUrl: "http://127.0.0.1:8787", origins: [], secrets: ["new secret"], prices: null },
    },
    store.connect,
    createNodeLog("silent"),
  );
  t.after(async () => {
    await dashboard.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await until(() => receiver.received.length === 2);
  assert.deepEqual(
    receiver.received.map(({ body, isGood }) => [JSON.parse(body).type, isGood]),
    [
      ["credits.granted", true],
      ["credits.depleted", true],
    ],
  );
  const isEmail = (name: string) => name.endsWith(".eml");
  const filesIn = () => {
    try {
      return readdirSync(path.join(folder, "outbox")).filter(isEmail);
    } catch {
      return [];
    }
  };
  await until(() => filesIn().length === 1);
});
