/** Contract of the event store: endpoints that ask to be paused, and endpoints with too many waiting deliveries. */
import assert from "node:assert/strict";
import { WAITING_FOR_ENDPOINT_MAX } from "#events/bounds.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";
import {
  ACCOUNT,
  endpoint,
  fill,
  lowEvent,
  OTHER,
  type Rule,
  START,
  takeAt,
} from "./event-store-fixture.ts";

export function describeReceivers(rule: Rule): void {
  describeGone(rule);
  describeBacklog(rule);
}

function describeGone(rule: Rule) {
  rule("an endpoint that asks for it is paused, and its deliveries wait", async (fixture) => {
    const { eventStore, list } = fixture;
    const [place, beside] = [endpoint(), endpoint({ account: OTHER })];
    for (const each of [place, beside]) await fill(fixture, each, 2);
    const gone = { account: ACCOUNT, id: place.id, url: place.url, now: START + 5 };
    assert.deepEqual(await eventStore.pauseEndpoint(gone), { found: true });
    const paused = { ...place, pausedAt: START + 5, pausedBy: "gone" };
    assert.deepEqual(await eventStore.listEndpoints({ account: ACCOUNT }), [paused]);
    const rows = (await list(place.id)).map(({ status, dueAt }) => [status, dueAt]);
    assert.deepEqual(rows, Array(2).fill(["waiting", null]));
    const taken = await takeAt(fixture, START + 9_000);
    assert.deepEqual(
      taken.map(({ endpoint: of }) => of),
      [beside.id],
    );
  });

  rule(
    "what the owner has changed meanwhile stays unchanged",
    async ({ eventStore, handle, list }) => {
      const place = endpoint();
      await eventStore.addEndpoint({ endpoint: place });
      const gone = { account: ACCOUNT, id: place.id, url: place.url, now: START + 5 };
      const moved = { ...place, url: "https://new.example/", kinds: ["credits.low"] as const };
      await eventStore.changeEndpoint(moved);
      await handle(lowEvent());
      assert.deepEqual(await eventStore.pauseEndpoint(gone), { found: false });
      assert.deepEqual(await eventStore.listEndpoints({ account: ACCOUNT }), [moved]);
      assert.equal((await list(place.id))[0]?.dueAt, START);
      const its = { ...gone, url: moved.url };
      assert.deepEqual(await eventStore.pauseEndpoint({ ...its, account: OTHER }), {
        found: false,
      });
      await eventStore.changeEndpoint({ ...moved, pausedAt: START + 1 });
      assert.deepEqual(await eventStore.pauseEndpoint(its), { found: false });
      const [after] = await eventStore.listEndpoints({ account: ACCOUNT });
      assert.equal(after?.pausedAt, START + 1);
    },
  );
}

function describeBacklog(rule: Rule) {
  rule(
    `with ${WAITING_FOR_ENDPOINT_MAX} deliveries waiting for an endpoint the next one fails at once, and those of other endpoints do not`,
    async ({ eventStore, db, handle, list }) => {
      const [slow, quick] = [endpoint(), endpoint()];
      for (const place of [slow, quick]) await eventStore.addEndpoint({ endpoint: place });
      await fillBacklog(db, slow.id, WAITING_FOR_ENDPOINT_MAX - 1);
      await handle(lowEvent());
      assert.equal((await list(slow.id))[0]?.status, "waiting");
      const outcome = { handled: true, emailSkipped: null };
      assert.deepEqual(await handle(lowEvent()), outcome);
      const [failed] = await list(slow.id);
      assert.ok(failed);
      const { status, dueAt, tries, lastError } = failed;
      assert.deepEqual([status, dueAt, tries], ["failed", null, 0]);
      assert.match(lastError ?? "", /1,000 other deliveries were waiting/);
      const theirs = (await list(quick.id)).map((each) => each.status);
      assert.deepEqual(theirs, ["waiting", "waiting"]);
      const again = { account: ACCOUNT, endpoint: slow.id, id: failed.id, newId: "dlv_again" };
      const sent = { found: true, isRateLimited: false };
      assert.deepEqual(await eventStore.sendAgain({ ...again, now: START }), sent);
    },
  );
}

const fillBacklog = (db: SqlDatabase, place: string, count: number) =>
  db.batch([
    sql`INSERT INTO webhook_delivery (id, endpoint, account, event, kind, body, created_at, again)
        WITH RECURSIVE numbers (n) AS (
          SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
        SELECT 'fill_' || n, ${place}, ${ACCOUNT}, 'n' || n, 'credits.low', '{}', ${START}, 0
        FROM numbers`,
    sql`INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
        SELECT id, 'webhook', kind, endpoint, '', '', created_at, created_at
        FROM webhook_delivery WHERE endpoint = ${place}`,
  ]);
