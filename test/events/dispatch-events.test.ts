import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { carryOn, noticesOf } from "#events/dispatch-events.ts";
import { createAside } from "#events/set-aside.ts";
import { readUnsubscription } from "#events/unsubscribe.ts";
import type { EventContent, LedgerEvent } from "#ledger/events.ts";
import { DAY_MS } from "#limits.ts";
import {
  ACCOUNT,
  EMAIL,
  lowNotice,
  openNotices,
  type Scene,
  SITE,
  START,
} from "./event-fixture.ts";

const GRANT = {
  id: "stripe:pi_1",
  kind: "pack",
  amount: 1_000,
  expiresAt: START + DAY_MS,
} as const;
const EXPIRING = {
  id: "starter:x",
  kind: "starter",
  remaining: 80,
  expiresAt: START + 6 * DAY_MS,
} as const;
const KEY = { id: "key_1", label: "prod", start: "tb_AbC" };
const CONTENTS: EventContent[] = [
  { kind: "credits.low", balance: 19, lowBalance: 20 },
  { kind: "credits.depleted" },
  { kind: "credits.granted", grant: GRANT },
  { kind: "credits.expiring", days: 7, grant: EXPIRING },
  { kind: "key.created", key: KEY },
  { kind: "key.revoked", key: KEY },
];
const kindsOf = (letters: { kind: string }[]) => letters.map(({ kind }) => kind);

const put = (scene: Scene, contents: readonly EventContent[], account = ACCOUNT) => {
  for (const content of contents) {
    const id = `ntc_${account}_${START}_${scene.unsettled.length + 1}`;
    scene.unsettled.push({ id, account, at: START, ...content });
  }
};

test("each kind becomes its webhook, and those about what is left a letter with a way out of it", async () => {
  const scene = await openNotices();
  const kinds = CONTENTS.map(({ kind }) => kind);
  const endpoint = await scene.addEndpoint({ kinds });
  put(scene, CONTENTS);
  assert.deepEqual(await scene.carryOn(), { carried: 6, more: false });
  assert.deepEqual(scene.unsettled, []);
  const letters = await scene.letters();
  assert.deepEqual(kindsOf(letters), ["credits_low", "credits_gone", "credits_expiring"]);
  for (const letter of letters) {
    assert.equal(letter.to, EMAIL);
    const link = new URL(letter.unsubscribe ?? "");
    assert.equal(`${link.origin}${link.pathname}`, `${SITE}/people/notices/unsubscribe`);
    const sort = letter.kind === "credits_expiring" ? "expiring" : "low";
    const found = readUnsubscription(link.searchParams.get("token") ?? "", ["new secret"]);
    assert.deepEqual(found, { account: ACCOUNT, sort });
    assert.ok(letter.text.includes(`${SITE}/unsubscribe?${link.searchParams}`));
  }
  assert.equal(letters[2]?.usefulUntil, EXPIRING.expiresAt);
  const bodies = (await scene.log(endpoint)).toReversed().map(({ body }) => JSON.parse(body));
  const timestamp = "2026-11-22T10:00:00.000Z";
  const account = ACCOUNT;
  const key = { account, key: KEY };
  const granted = { ...GRANT, expiresAt: "2026-11-23T10:00:00.000Z" };
  const expiring = { ...EXPIRING, expiresAt: "2026-11-28T10:00:00.000Z" };
  assert.deepEqual(bodies, [
    { type: "credits.low", timestamp, data: { account, balance: 19, lowBalance: 20 } },
    { type: "credits.depleted", timestamp, data: { account, balance: 0 } },
    { type: "credits.granted", timestamp, data: { account, grant: granted } },
    { type: "credits.expiring", timestamp, data: { account, days: 7, grant: expiring } },
    { type: "key.created", timestamp, data: key },
    { type: "key.revoked", timestamp, data: key },
  ]);
});

test("who wants no letters of a sort gets none of it, and their webhooks all the same", async () => {
  const scene = await openNotices();
  const endpoint = await scene.addEndpoint({ kinds: ["credits.low", "credits.expiring"] });
  const letters = { low: false, expiring: true };
  await scene.book.choose({ account: ACCOUNT, choice: { letters } });
  put(scene, CONTENTS);
  await scene.carryOn();
  assert.deepEqual(kindsOf(await scene.letters()), ["credits_expiring"]);
  assert.equal((await scene.log(endpoint)).length, 2);
});

test("a closed or suspended account is told nothing, one that nobody knows neither, and all is settled", async () => {
  const scene = await openNotices();
  const accounts = ["acc_closed000000", "acc_suspended000", "acc_unknown00000"];
  const [closed = "", suspended = ""] = accounts;
  for (const account of [closed, suspended]) {
    await scene.ledger.openAccount({ account, freeCall: "open", now: START });
    await scene.directory.register({ email: `${account}@x.test`, account, createdAt: START });
    await scene.addEndpoint({ account });
  }
  await scene.ledger.closeAccount({ account: closed, now: START });
  await scene.ledger.suspendAccount({ account: suspended, now: START });
  for (const account of accounts) put(scene, CONTENTS.slice(0, 1), account);
  assert.equal((await scene.carryOn()).carried, 3);
  assert.deepEqual([scene.unsettled, await scene.letters()], [[], []]);
  assert.equal((await scene.jobs.nextDue({ queues: ["webhook"] })).at, null);
});

test("an account that the operator made gets its letters at the address it was made for", async () => {
  const scene = await openNotices();
  const account = "acc_000operator0";
  await scene.ledger.openAccount({ account, freeCall: "open", now: START });
  await scene.directory.register({ email: "ops@example.org", account, createdAt: START });
  scene.unsettled.push(lowNotice(account));
  await scene.carryOn();
  assert.deepEqual(
    (await scene.letters()).map(({ to }) => to),
    ["ops@example.org"],
  );
});

test("of credits that have ended meanwhile no letter says that they will", async () => {
  const scene = await openNotices();
  scene.clock.now = EXPIRING.expiresAt;
  put(scene, CONTENTS);
  await scene.carryOn();
  assert.deepEqual(kindsOf(await scene.letters()), ["credits_low", "credits_gone"]);
});

test("a letter that finds no room is told of, and holds up nothing", async () => {
  const scene = await openNotices();
  for (let times = 0; times < 22; times += 1) scene.unsettled.push(lowNotice());
  assert.equal((await scene.carryOn()).carried, 22);
  assert.equal((await scene.letters()).length, 20);
  assert.equal(scene.complaints.filter((each) => /too many wait/.test(each)).length, 2);
  assert.ok(!scene.complaints.join().includes(EMAIL));
});

test("one notice that cannot be handled holds up no other; where none can, the round ends soon", async () => {
  const scene = await openNotices();
  const [first, second] = [lowNotice(), lowNotice()];
  scene.unsettled.push(first, second);
  let tries = 0;
  const failing = (mayFail: (notice: LedgerEvent) => boolean) => ({
    ...scene.book,
    async handle(order: Parameters<typeof scene.book.handle>[0]) {
      tries += 1;
      if (mayFail(order.notice)) throw new Error("made to fail");
      return scene.book.handle(order);
    },
  });
  const one = await scene.carryOn({ book: failing(({ id }) => id === first.id) });
  assert.deepEqual(one, { carried: 1, more: false });
  assert.deepEqual(scene.unsettled, [first]);
  for (let times = 0; times < 9; times += 1) scene.unsettled.push(lowNotice());
  tries = 0;
  assert.deepEqual(await scene.carryOn({ book: failing(() => true) }), { carried: 0, more: false });
  assert.equal(tries, 3);
});

test("notices that cannot be handled are passed over for a while, and hold up nothing behind them", async () => {
  const scene = await openNotices();
  const odd = Array.from({ length: 150 }, () => lowNotice());
  const good = Array.from({ length: 130 }, () => lowNotice());
  scene.unsettled.push(...odd, ...good);
  const ids = new Set(odd.map(({ id }) => id));
  const tried = new Map<string, number>();
  let isMended = false;
  const book: Pick<Scene["book"], "choice" | "handle"> = {
    ...scene.book,
    async handle(order) {
      const { id } = order.notice;
      tried.set(id, (tried.get(id) ?? 0) + 1);
      if (!isMended && ids.has(id)) throw new Error("made to fail");
      return scene.book.handle(order);
    },
  };
  const live = async (until: number) => {
    for (; scene.clock.now < until; scene.clock.now += 5_000)
      for (let more = true; more; ) ({ more } = await scene.carryOn({ book }));
  };
  await live(START + 60 * 60_000);
  assert.deepEqual(scene.unsettled, odd);
  for (const { id } of good) assert.equal(tried.get(id), 1);
  for (const { id } of odd) assert.ok((tried.get(id) ?? 0) > 1, "each is tried again");
  isMended = true;
  await live(scene.clock.now + 10 * 60_000);
  assert.deepEqual(scene.unsettled, []);
});

/** Dies at the given operation, before or after it was carried out. */
class Killed extends Error {}
function killedAt(scene: Scene, step: number, isAfter: boolean) {
  let steps = 0;
  const dying =
    <Order, Outcome>(act: (order: Order) => Promise<Outcome>) =>
    async (order: Order): Promise<Outcome> => {
      steps += 1;
      if (steps > step) throw new Killed();
      if (steps < step) return act(order);
      if (isAfter) await act(order);
      throw new Killed();
    };
  const { source, book, ledger, directory } = scene;
  return {
    source: { list: dying(source.list), settle: dying(source.settle) },
    // It dies with its process.
    aside: createAside(),
    book: { handle: dying(book.handle), choice: dying(book.choice) },
    ledger: { findAccount: dying(ledger.findAccount) },
    directory: { findByAccount: dying(directory.findByAccount) },
    wasReached: () => steps >= step,
  };
}

test("killed at whatever point, a notice becomes one letter and one delivery for each endpoint", async () => {
  for (const isAfter of [false, true]) {
    for (let step = 1; ; step += 1) {
      const scene = await openNotices();
      const endpoints = [await scene.addEndpoint(), await scene.addEndpoint()];
      const notices = [lowNotice(), lowNotice()];
      scene.unsettled.push(...notices);
      const dying = killedAt(scene, step, isAfter);
      await scene.carryOn(dying).catch((error) => assert.ok(error instanceof Killed));
      await scene.carryOn();
      assert.deepEqual(scene.unsettled, []);
      assert.equal((await scene.letters()).length, 2, `step ${step}`);
      for (const endpoint of endpoints) {
        const ids = (await scene.log(endpoint)).map(({ notice }) => notice).toReversed();
        assert.deepEqual(
          ids,
          notices.map(({ id }) => id),
          `step ${step}`,
        );
      }
      if (!dying.wasReached()) break;
    }
  }
});

test("two nodes on one file carry on the same notices at once, and each is handled once", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-notices-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "toolbooth.sqlite");
  const [one, other] = [await openNotices(file), await openNotices(file)];
  const endpoint = await one.addEndpoint();
  for (let times = 0; times < 15; times += 1) one.unsettled.push(lowNotice());
  other.unsettled.push(...one.unsettled);
  await Promise.all([one.carryOn(), other.carryOn(), one.carryOn(), other.carryOn()]);
  assert.deepEqual([one.unsettled, other.unsettled, one.complaints], [[], [], []]);
  assert.equal((await one.letters()).length, 15);
  assert.equal((await one.log(endpoint)).length, 15);
});

test("what the ledger writes comes through: one letter for each crossing, however many calls come after it", async () => {
  const scene = await openNotices();
  const { ledger, clock } = scene;
  const key = { id: "key_00000000000100000000aa", sha256: "a".repeat(64) };
  const made = { account: ACCOUNT, ...key, start: "tb_A", label: "prod", now: START };
  await ledger.createKey(made);
  const grant = (id: string, amount: number) =>
    ledger.grant({
      account: ACCOUNT,
      id,
      kind: "operator",
      amount,
      expiresAt: null,
      now: clock.now,
    });
  const call = () => {
    clock.now += 1;
    const order = { account: ACCOUNT, keySha256: key.sha256, callId: `call_${clock.now}` };
    return ledger.debit({
      ...order,
      tool: "hash",
      now: clock.now,
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    });
  };
  const round = async () => {
    await carryOn({ ...scene.wiring, source: noticesOf(ledger) });
    return kindsOf(await scene.letters());
  };
  await grant("one", 22);
  const seen: string[][] = [];
  // The first call is free.
  for (let calls = 0; calls < 25; calls += 1) {
    await call();
    if (calls % 4 === 3) seen.push(await round());
  }
  await round();
  assert.deepEqual(seen.at(-1), ["credits_low", "credits_gone"]);
  await grant("two", 21);
  for (let calls = 0; calls < 3; calls += 1) await call();
  assert.deepEqual(await round(), ["credits_low", "credits_gone", "credits_low"]);
  assert.deepEqual(await ledger.listEvents({ max: 9 }), { notices: [] });
});
