/** The specification of the notice book in sentences, to be held by every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { LETTERS_BEFORE_CREDITS_WAIT } from "#email/bounds.ts";
import type { LetterQueue } from "#email/email-queue.ts";
import { ENDPOINTS_MAX } from "#events/bounds.ts";
import type { NoticeBook } from "#events/event-store.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import { DAY_MS } from "#limits.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";
import { emailsOf } from "./email-queue-fixture.ts";
import { describeDeliveries } from "./event-store-deliveries.ts";
import {
  ACCOUNT,
  deliveryIds,
  endpoint,
  fillLetters,
  type Kept,
  letter,
  lowNotice,
  OTHER,
  type Rule,
  START,
  withJobs,
} from "./event-store-fixture.ts";
import { describeReceivers } from "./event-store-receivers.ts";

export type OpenNoticeBook = (t: TestContext) => Promise<{
  notices: NoticeBook;
  letterQueue: LetterQueue;
  jobs: JobQueue;
  db: SqlDatabase;
}>;

export function noticeBookContract(name: string, open: OpenNoticeBook): void {
  const rule: Rule = (sentence, proof) => {
    test(sentence, async (t) => proof(keptOf(await open(t))));
  };
  describe(`the notice book, ${name}`, () => {
    describeChoices(rule);
    describeEndpoints(rule);
    describeHandling(rule);
    describeDeliveries(rule);
    describeReceivers(rule);
  });
}

function keptOf(opened: Awaited<ReturnType<OpenNoticeBook>>): Kept {
  const { notices, jobs, db } = opened;
  const book = withJobs(notices, jobs);
  const emails = emailsOf(opened);
  return {
    ...{ book, db },
    letters: async () =>
      (await emails.take({ now: 9e15, leaseUntil: 9e15, max: 99, way: "smtp" })).letters,
    handle: (notice, more = {}) =>
      book.handle({
        ...{ notice, letter: null, body: `{"of":"${notice.id}"}`, deliveryIds, now: START },
        ...more,
      }),
    list: (of, max = 99, after = null) =>
      book.listDeliveries({ account: ACCOUNT, endpoint: of, after, max }),
  };
}

function describeChoices(rule: Rule) {
  rule("an owner gets every letter until they choose otherwise", async ({ book }) => {
    const both = { letters: { low: true, expiring: true } };
    assert.deepEqual(await book.choice({ account: ACCOUNT }), both);
    for (const letters of [
      { low: false, expiring: true },
      { low: true, expiring: false },
      { low: false, expiring: false },
    ]) {
      await book.choose({ account: ACCOUNT, choice: { letters } });
      assert.deepEqual(await book.choice({ account: ACCOUNT }), { letters });
    }
    assert.deepEqual(await book.choice({ account: OTHER }), both);
  });

  rule("letters of one sort end alone, whatever is chosen of the other", async ({ book }) => {
    const end = (account: string, sort: "low" | "expiring") => book.endLetters({ account, sort });
    await Promise.all([end(ACCOUNT, "low"), end(ACCOUNT, "expiring"), end(OTHER, "expiring")]);
    const none = { letters: { low: false, expiring: false } };
    assert.deepEqual(await book.choice({ account: ACCOUNT }), none);
    assert.deepEqual(await book.choice({ account: OTHER }), {
      letters: { low: true, expiring: false },
    });
    await book.choose({ account: OTHER, choice: { letters: { low: true, expiring: true } } });
    await end(OTHER, "low");
    await end(OTHER, "low");
    assert.deepEqual(await book.choice({ account: OTHER }), {
      letters: { low: false, expiring: true },
    });
  });
}

function describeEndpoints(rule: Rule) {
  rule(
    "endpoints are listed as they were added, oldest first, to their account alone",
    async ({ book }) => {
      const one = endpoint({ createdAt: START + 1, pausedAt: START + 2, kinds: ["key.created"] });
      const two = endpoint({ createdAt: START });
      for (const each of [one, two])
        assert.deepEqual(await book.addEndpoint({ endpoint: each }), { outcome: "added" });
      assert.deepEqual(await book.listEndpoints({ account: ACCOUNT }), [two, one]);
      assert.deepEqual(await book.listEndpoints({ account: OTHER }), []);
    },
  );

  rule(`of many that are added at once an account gets ${ENDPOINTS_MAX}`, async ({ book }) => {
    const all = Array.from({ length: ENDPOINTS_MAX + 2 }, () => endpoint());
    const added = await Promise.all(all.map((each) => book.addEndpoint({ endpoint: each })));
    const outcomes = added.map(({ outcome }) => outcome).sort();
    assert.deepEqual(outcomes, [...Array(ENDPOINTS_MAX).fill("added"), "full", "full"]);
    const other = endpoint({ account: OTHER });
    assert.deepEqual(await book.addEndpoint({ endpoint: other }), { outcome: "added" });
    const [first] = await book.listEndpoints({ account: ACCOUNT });
    await book.dropEndpoint({ account: ACCOUNT, id: first?.id ?? "" });
    assert.deepEqual(await book.addEndpoint({ endpoint: endpoint() }), { outcome: "added" });
  });

  rule("an endpoint is changed and dropped by its account alone", async ({ book }) => {
    const one = endpoint();
    await book.addEndpoint({ endpoint: one });
    const changes = { url: "https://two.example/", kinds: ["key.revoked"] as const, pausedAt: 7 };
    const found = { found: true };
    const missing = { found: false };
    const change = (account: string, id: string) =>
      book.changeEndpoint({ account, id, ...changes });
    assert.deepEqual(await change(OTHER, one.id), missing);
    assert.deepEqual(await change(ACCOUNT, "whk_none"), missing);
    assert.deepEqual(await book.listEndpoints({ account: ACCOUNT }), [one]);
    assert.deepEqual(await change(ACCOUNT, one.id), found);
    assert.deepEqual(await book.listEndpoints({ account: ACCOUNT }), [{ ...one, ...changes }]);
    assert.deepEqual(await book.dropEndpoint({ account: OTHER, id: one.id }), missing);
    assert.deepEqual(await book.dropEndpoint({ account: ACCOUNT, id: one.id }), found);
    assert.deepEqual(await book.dropEndpoint({ account: ACCOUNT, id: one.id }), missing);
    assert.deepEqual(await book.listEndpoints({ account: ACCOUNT }), []);
  });

  rule(
    "with the address of an account go its endpoints, their deliveries and its choice",
    async ({ book, db, handle }) => {
      for (const [account, email] of [
        [ACCOUNT, "a@example.org"],
        [OTHER, "b@example.org"],
      ] as const) {
        await db.batch([
          sql`INSERT INTO address (email, account, created_at) VALUES (${email}, ${account}, 1)`,
        ]);
        await book.addEndpoint({ endpoint: endpoint({ account }) });
        await book.choose({ account, choice: { letters: { low: false, expiring: false } } });
        await handle(lowNotice({ account }));
      }
      await db.batch([sql`DELETE FROM address WHERE account = ${ACCOUNT}`]);
      const [left] = await db.batch([
        sql`SELECT account FROM webhook_endpoint UNION ALL SELECT account FROM webhook_delivery
          UNION ALL SELECT account FROM notice_choice`,
      ]);
      assert.deepEqual(
        left?.map(({ account }) => account),
        [OTHER, OTHER, OTHER],
      );
    },
  );
}

function describeHandling(rule: Rule) {
  rule(
    "a notice becomes its letter and a delivery for each endpoint that wants its kind",
    async ({ book, handle, letters, list }) => {
      const wanted = [endpoint({ createdAt: START + 5 }), endpoint({ createdAt: START + 4 })];
      const others = [
        endpoint({ kinds: ["credits.depleted", "key.created"] }),
        endpoint({ pausedAt: START }),
        endpoint({ account: OTHER }),
      ];
      for (const each of [...wanted, ...others]) await book.addEndpoint({ endpoint: each });
      const [notice, posted] = [
        lowNotice(),
        letter({ unsubscribe: "https://x.example/u?token=t" }),
      ];
      const body = `{"text":"Grüße 'n' \\"?\\" 🐝"}`;
      assert.deepEqual(await handle(notice, { letter: posted, body }), {
        handled: true,
        leftOut: null,
      });
      assert.deepEqual(await letters(), [{ ...posted, postedAt: START, failures: 0, take: 1 }]);
      const made = (await Promise.all(wanted.map(({ id }) => list(id)))).flat();
      assert.deepEqual(made, [
        ...wanted.map(({ id }, index) => ({
          ...{ id: made[index]?.id, endpoint: id, account: ACCOUNT, notice: notice.id },
          ...{ kind: "credits.low", body, createdAt: START, status: "waiting", tries: 0 },
          ...{ dueAt: START, lastTriedAt: null, lastStatus: null, lastFault: null },
        })),
      ]);
      assert.equal(new Set(made.map(({ id }) => id)).size, 2);
      for (const { id } of others) assert.deepEqual(await list(id), []);
    },
  );

  rule(
    "a notice is handled once, however many handle it at once and later",
    async ({ book, handle, letters, list }) => {
      const place = endpoint();
      await book.addEndpoint({ endpoint: place });
      const notice = lowNotice();
      const attempt = () => handle(notice, { letter: letter() });
      const outcomes = await Promise.all([attempt(), attempt(), attempt(), attempt()]);
      outcomes.push(await attempt(), await handle(notice, { now: START + DAY_MS }));
      assert.equal(outcomes.filter(({ handled }) => handled).length, 1);
      assert.equal((await letters()).length, 1);
      assert.equal((await list(place.id)).length, 1);
      const next: LedgerEvent = { ...notice, id: `${notice.id}1` };
      assert.equal((await handle(next, { letter: letter() })).handled, true);
      assert.equal((await list(place.id)).length, 2);
    },
  );

  rule(
    "where the queue has no room for its letter nothing comes of a notice until there is some",
    async ({ book, db, handle, list }) => {
      const place = endpoint();
      await book.addEndpoint({ endpoint: place });
      const earlier = lowNotice();
      await handle(earlier, { letter: letter() });
      await fillLetters(db, LETTERS_BEFORE_CREDITS_WAIT - 1);
      const notice = lowNotice();
      const full = { handled: false, leftOut: "queue_full" };
      assert.deepEqual(await handle(notice, { letter: letter() }), full);
      assert.deepEqual(await handle(notice, { letter: letter() }), full);
      // What was handled stays so, and what brings no letter needs no room.
      const known = { handled: false, leftOut: null };
      assert.deepEqual(await handle(earlier, { letter: letter() }), known);
      assert.deepEqual(await handle(lowNotice()), { handled: true, leftOut: null });
      assert.equal((await list(place.id)).length, 2);
      await db.batch([sql`DELETE FROM job WHERE id = 'fill_1'`]);
      const posted = letter();
      const done = { handled: true, leftOut: null };
      assert.deepEqual(await handle(notice, { letter: posted }), done);
      const [rows] = await db.batch([sql`SELECT id FROM job WHERE id = ${posted.id}`]);
      assert.equal(rows?.length, 1);
      assert.equal((await list(place.id))[0]?.notice, notice.id);
    },
  );

  rule(
    "a letter beyond the bounds of the queue is left out, and the webhooks go all the same",
    async ({ book, handle, letters, list }) => {
      const place = endpoint();
      await book.addEndpoint({ endpoint: place });
      for (let count = 0; count < 20; count += 1) await handle(lowNotice(), { letter: letter() });
      const notice = lowNotice();
      const outcome = { handled: true, leftOut: "recipient_full" };
      assert.deepEqual(await handle(notice, { letter: letter() }), outcome);
      const again = { handled: false, leftOut: null };
      assert.deepEqual(await handle(notice, { letter: letter() }), again);
      assert.equal((await letters()).length, 20);
      assert.equal((await list(place.id)).length, 21);
    },
  );

  rule(
    "that a notice was handled is forgotten when its time is over, as its deliveries are",
    async ({ book, handle, list }) => {
      const place = endpoint();
      await book.addEndpoint({ endpoint: place });
      const [old, young] = [lowNotice(), lowNotice()];
      await handle(old);
      await handle(young, { now: START + 1 });
      const order = { before: START + 1, max: 9 };
      assert.deepEqual(await book.forget(order), { forgotten: 2, more: false });
      assert.deepEqual(await book.forget(order), { forgotten: 0, more: false });
      assert.deepEqual(
        (await list(place.id)).map(({ notice }) => notice),
        [young.id],
      );
      assert.equal((await handle(young)).handled, false);
      assert.equal((await handle(old)).handled, true);
      assert.deepEqual(await book.forget({ before: START + 9, max: 1 }), {
        forgotten: 2,
        more: true,
      });
      assert.deepEqual(await book.forget({ before: START + 9, max: 1 }), {
        forgotten: 2,
        more: true,
      });
    },
  );
}
