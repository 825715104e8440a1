import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { NOTICES_KEPT_MS } from "#events/bounds.ts";
import { DAY_MS } from "#limits.ts";
import { startPeople } from "../../../src/apps/node/dashboard.ts";
import { createNodeLog } from "../../../src/apps/node/log.ts";
import { type NoticesWiring, startNotices } from "../../../src/apps/node/notifications.ts";
import {
  ACCOUNT,
  answering,
  lowNotice,
  openNotices,
  type Scene,
  SECRET,
  START,
} from "../../events/event-fixture.ts";
import { startReceiver } from "../../events/receiver.ts";

/** Waits for what comes in its own time. */
async function until(isThere: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await isThere())) {
    assert.ok(Date.now() < deadline, `still not so: ${isThere}`);
    await sleep(5);
  }
}

function start(t: TestContext, scene: Scene, changes: Partial<NoticesWiring> = {}) {
  const { transport, sent } = answering(() => 204);
  let told = 0;
  const notices = startNotices({
    ...scene.wiring,
    ...{ ledger: scene.ledger, book: scene.book, jobs: scene.jobs, transport, everyMs: 5 },
    onLetters: () => {
      told += 1;
    },
    ...changes,
  });
  t.after(() => notices.stop());
  return { ...notices, sent, told: () => told };
}

const grant = ({ ledger, clock }: Scene, id: string, expiresAt: number | null) =>
  ledger.grant({
    ...{ account: ACCOUNT, id, kind: "operator", amount: 50, expiresAt, now: clock.now },
  });

test("what time brings is told as it comes: a month and a week before credits end, and that they are gone", async (t) => {
  const scene = await openNotices();
  const kinds = ["credits.expiring", "credits.granted", "credits.depleted"] as const;
  await scene.addEndpoint({ kinds });
  await grant(scene, "one", START + 40 * DAY_MS);
  const running = start(t, scene);
  const told = () =>
    running.sent.map(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { days?: number } };
      return data.days === undefined ? type : `${type} ${data.days}`;
    });
  const expected = ["credits.granted"];
  await until(() => told().length === 1);
  for (const [day, what] of [
    [10, "credits.expiring 30"],
    [33, "credits.expiring 7"],
    [40, "credits.depleted"],
  ] as const) {
    scene.clock.now = START + day * DAY_MS;
    expected.push(what);
    await until(() => told().length === expected.length);
    assert.deepEqual(told(), expected);
  }
  assert.deepEqual(
    (await scene.letters()).map(({ kind }) => kind),
    ["credits_expiring", "credits_expiring", "credits_gone"],
  );
  assert.ok(running.told() >= 3);
  assert.deepEqual(scene.complaints, []);
});

test("deliveries that are old are forgotten", async (t) => {
  const scene = await openNotices();
  const endpoint = await scene.addEndpoint({ kinds: ["credits.granted"] });
  await grant(scene, "one", null);
  const running = start(t, scene);
  await until(() => running.sent.length === 1);
  scene.clock.now = START + NOTICES_KEPT_MS + 1;
  await until(async () => (await scene.log(endpoint)).length === 0);
});

test("of grants and old deliveries a round takes ten batches, and the next ones take the rest", async (t) => {
  const scene = await openNotices();
  let round = 0;
  const rounds: { grants: number[]; old: number[] } = { grants: [], old: [] };
  const ledger = {
    ...scene.ledger,
    async recordExpiries() {
      rounds.grants.push(round);
      return { noticed: 100, more: rounds.grants.length < 15 };
    },
    async listEvents() {
      round += 1;
      return { notices: [] };
    },
  };
  const book = {
    ...scene.book,
    async forget() {
      rounds.old.push(round);
      return { forgotten: 500, more: rounds.old.length < 12 };
    },
  };
  start(t, scene, { ledger, book });
  await until(() => rounds.grants.length === 15);
  scene.clock.now += 10 * 60_000;
  await until(() => rounds.old.length === 12);
  const [first = 0] = rounds.old;
  assert.deepEqual(rounds.old, [...Array(10).fill(first), first + 1, first + 1]);
  assert.deepEqual(rounds.grants.slice(0, 15), [...Array(10).fill(0), 1, 1, 1, 1, 1]);
  assert.deepEqual(scene.complaints, []);
});

test("a step that fails is told of in its own words, and the others go on", async (t) => {
  const scene = await openNotices();
  const endpoint = await scene.addEndpoint({ kinds: ["credits.granted"] });
  await grant(scene, "one", null);
  const failing = async () => {
    throw new Error("made to fail");
  };
  const ledger = { ...scene.ledger, recordExpiries: failing };
  let [forgets, looks] = [0, 0];
  const book = {
    ...scene.book,
    async forget() {
      forgets += 1;
      return failing();
    },
  };
  const jobs = {
    ...scene.jobs,
    async take() {
      looks += 1;
      return failing();
    },
  };
  start(t, scene, { ledger, book, jobs });
  await until(async () => (await scene.log(endpoint)).length === 1 && looks > 1);
  scene.clock.now += 10 * 60_000;
  await until(() => forgets > 1);
  assert.deepEqual(
    scene.complaints.map((line) => line.split(";")[0]),
    [
      "Grants that end could not be looked for",
      "Webhooks could not be taken or recorded",
      "Old webhooks could not be removed",
    ],
  );
});

test("while the ledger is away that is told once, and afterwards all goes on", async (t) => {
  const scene = await openNotices();
  await scene.addEndpoint({ kinds: ["credits.granted"] });
  await grant(scene, "one", null);
  let asked = 0;
  const ledger = {
    ...scene.ledger,
    async listEvents(order: { max: number }) {
      asked += 1;
      if (asked < 5) throw new Error("made to fail");
      return scene.ledger.listEvents(order);
    },
  };
  const running = start(t, scene, { ledger });
  await until(() => running.sent.length === 1);
  assert.deepEqual(scene.complaints, [
    "Notices could not be carried on; it is tried again soon: Error: made to fail",
  ]);
});

test("a stop ends it, whatever is on its way", async (t) => {
  const scene = await openNotices();
  await scene.addEndpoint();
  scene.unsettled.push(lowNotice());
  await scene.carryOn();
  let isUnderWay = false;
  const transport = {
    post: (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        isUnderWay = true;
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  };
  const running = start(t, scene, { transport });
  await until(() => isUnderWay);
  await running.stop();
  await grant(scene, "late", null);
  assert.equal((await scene.ledger.listEvents({ max: 9 })).notices.length, 1);
});

test("on the thread of the pages a debit becomes a letter in the outbox and a webhook at its receiver", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-people-notices-"));
  const file = path.join(folder, "toolbooth.sqlite");
  const scene = await openNotices(file);
  const receiver = await startReceiver(t, () => SECRET);
  await scene.addEndpoint({ url: receiver.url, kinds: ["credits.granted", "credits.depleted"] });
  const key = { sha256: "a".repeat(64), id: "key_00000000000100000000aa" };
  const made = { account: ACCOUNT, ...key, start: "tb_A", label: "prod", now: START };
  await scene.ledger.createKey(made);
  const one = { id: "one", kind: "operator", amount: 1, expiresAt: null } as const;
  await scene.ledger.grant({ account: ACCOUNT, ...one, now: START });
  for (const callId of ["call_1", "call_2"]) {
    const order = { account: ACCOUNT, keySha256: key.sha256, callId, tool: "hash" };
    await scene.ledger.debit({
      ...order,
      now: START + 1,
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    });
  }
  const people = await startPeople(
    {
      ...{ data: { file }, dataDir: folder, secrets: ["a secret"] },
      ...{ publicUrl: "http://127.0.0.1:8787", origins: [], signUp: "open", providers: {} },
      ...{
        starter: { credits: 100, days: 90 },
        isOwnMachine: false,
        operatorTokens: [],
        webhookNetworks: "any",
      },
      ...{ prices: null, stripe: null },
      ...{ prices: null, stripe: null },
      mail: { smtp: null, api: null, from: { name: "Toolbooth", address: "toolbooth@localhost" } },
    },
    createNodeLog("silent"),
  );
  t.after(async () => {
    await people.stop();
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
  const isLetter = (name: string) => name.endsWith(".eml");
  const filesIn = () => {
    try {
      return readdirSync(path.join(folder, "outbox")).filter(isLetter);
    } catch {
      return [];
    }
  };
  await until(() => filesIn().length === 1);
});
