import { emailJob } from "#email/email-queue.ts";
import { ENDPOINTS_MAX, HISTORY_DELIVERIES_MAX, WAITING_FOR_ENDPOINT_MAX } from "#events/bounds.ts";
import type { Endpoint, EndpointHistory, EventStore } from "#events/event-store.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowOf } from "../stored-row.ts";
import { insertJob } from "./add-jobs.ts";
import { deliveries, holdJobs, insertDeliveryJobs } from "./deliveries.ts";
import { isFullFor, notificationVerdict } from "./emails.ts";
import {
  lastRows,
  listOf,
  readNumber,
  type SqlDatabase,
  type SqlQuery,
  sql,
} from "./sql-database.ts";

/** The store of notification settings, webhook endpoints and deliveries over a database. Each operation is one batch. */
export function createEventStore(db: SqlDatabase): EventStore {
  return {
    async choice({ account }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM notification_choice WHERE account = ${account}`,
      );
      const { low = 1, expiring = 1 } = rows[0] ?? {};
      return { emails: { low: Number(low) === 1, expiring: Number(expiring) === 1 } };
    },
    async choose({ account, choice: { emails } }) {
      const [low, expiring] = [Number(emails.low), Number(emails.expiring)];
      await db.batch([
        sql`INSERT INTO notification_choice (account, low, expiring) VALUES (${account}, ${low}, ${expiring})
            ON CONFLICT (account) DO UPDATE SET low = excluded.low, expiring = excluded.expiring`,
      ]);
    },
    async unsubscribe({ account, topic }) {
      const [low, expiring] = topic === "low" ? [0, 1] : [1, 0];
      const ended = topic === "low" ? sql`low = 0` : sql`expiring = 0`;
      await db.batch([
        sql`INSERT INTO notification_choice (account, low, expiring) VALUES (${account}, ${low}, ${expiring})
            ON CONFLICT (account) DO UPDATE SET ${ended}`,
      ]);
    },
    ...endpoints(db),
    handle: (order) => handle(db, order),
    ...deliveries(db),
    async forget({ before, max, now }) {
      const [, ...forgotten] = await db.batch([
        sql`UPDATE webhook_endpoint SET previous_secret = NULL, previous_until = NULL
            WHERE previous_until <= ${now}`,
        sql`DELETE FROM webhook_delivery WHERE no IN (
              SELECT no FROM webhook_delivery WHERE created_at < ${before}
              ORDER BY created_at LIMIT ${max})
            RETURNING no`,
        sql`DELETE FROM event_handled WHERE event IN (
              SELECT event FROM event_handled WHERE handled_at < ${before}
              ORDER BY handled_at LIMIT ${max})
            RETURNING event`,
      ]);
      return {
        forgotten: forgotten.flat().length,
        more: forgotten.some(({ length }) => length >= max),
      };
    },
  };
}

function endpoints(db: SqlDatabase) {
  const found = (rows: SqlRow[]) => ({ found: rows.length > 0 });
  return {
    async addEndpoint({ endpoint }) {
      const { id, account, url, secret, kinds, createdAt, pausedAt, pausedBy } = endpoint;
      const added = await lastRows(
        db,
        sql`INSERT INTO webhook_endpoint (id, account, url, secret, kinds, created_at, paused_at, paused_by)
            SELECT ${id}, ${account}, ${url}, ${secret}, ${JSON.stringify(kinds)}, ${createdAt}, ${pausedAt}, ${pausedBy}
            WHERE (SELECT count(*) FROM webhook_endpoint WHERE account = ${account}) < ${ENDPOINTS_MAX}
            RETURNING id`,
      );
      return { outcome: added.length === 1 ? "added" : "full" };
    },
    async listEndpoints({ account }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM webhook_endpoint WHERE account = ${account} ORDER BY created_at, id`,
      );
      return rows.map(ENDPOINT.read);
    },
    async readHistory({ account }) {
      const rows = await lastRows(
        db,
        sql`SELECT e.id, e.delivered_at, d.last_tried_at, d.last_status, d.last_error
            FROM (SELECT o.id,
                (SELECT max(last_tried_at) FROM ${RECENT} WHERE ${IS_DELIVERED}) AS delivered_at,
                (SELECT r.id FROM ${RECENT} WHERE r.last_tried_at IS NOT NULL AND NOT (${IS_DELIVERED})
                  ORDER BY r.last_tried_at DESC, r.no DESC LIMIT 1) AS failed
              FROM webhook_endpoint o WHERE o.account = ${account}) e
            LEFT JOIN webhook_delivery d ON d.id = e.failed`,
      );
      return new Map(rows.map((row) => [row["id"] as string, readHistoryRow(row)]));
    },
    async changeEndpoint({ account, id, url, kinds, pausedAt }) {
      const [rows = []] = await db.batch([
        sql`UPDATE webhook_endpoint
            SET url = ${url ?? sql`url`}, kinds = ${kinds ? JSON.stringify(kinds) : sql`kinds`},
              ${pauseSql(pausedAt)}
            WHERE id = ${id} AND account = ${account} RETURNING id`,
        ...(pausedAt === undefined ? [] : [holdJobs(account, id, pausedAt !== null)]),
      ]);
      return found(rows);
    },
    async replaceSecrets({ id, from, secret, previousSecret, previousUntil }) {
      const changed = await lastRows(
        db,
        sql`UPDATE webhook_endpoint SET secret = ${secret},
              previous_secret = ${previousSecret}, previous_until = ${previousUntil}
            WHERE id = ${id} AND secret = ${from} RETURNING id`,
      );
      return { changed: changed.length > 0 };
    },
    async pauseEndpoint({ account, id, url, now }) {
      const [paused = []] = await db.batch([
        sql`UPDATE webhook_endpoint SET paused_at = ${now}, paused_by = 'gone'
            WHERE id = ${id} AND account = ${account} AND url = ${url} AND paused_at IS NULL
            RETURNING id`,
        sql`${holdJobs(account, id, true)} AND EXISTS (
              SELECT 1 FROM webhook_endpoint WHERE id = ${id} AND paused_at IS NOT NULL)`,
      ]);
      return found(paused);
    },
    async dropEndpoint({ account, id }) {
      return found(
        await lastRows(
          db,
          sql`DELETE FROM webhook_endpoint WHERE id = ${id} AND account = ${account} RETURNING id`,
        ),
      );
    },
  } satisfies Partial<EventStore>;
}

function pauseSql(pausedAt: number | null | undefined): SqlQuery {
  if (pausedAt === undefined) return sql`paused_at = paused_at`;
  if (pausedAt === null) return sql`paused_at = NULL, paused_by = NULL`;
  return sql`paused_at = coalesce(paused_at, ${pausedAt}), paused_by = coalesce(paused_by, 'owner')`;
}

/** The value of `handled_at` by which the statements of a batch recognize the event that the batch handles. Reset at its end. */
const NEW = -1;

async function handle(
  db: SqlDatabase,
  { event, email, webhookId, body, deliveryIds, now }: Parameters<EventStore["handle"]>[0],
): ReturnType<EventStore["handle"]> {
  const { id, account, kind } = event;
  const isNew = sql`EXISTS (
    SELECT 1 FROM event_handled WHERE event = ${id} AND handled_at = ${NEW})`;
  const ids = deliveryIds(ENDPOINTS_MAX);
  const [first = "", ...others] = ids;
  const nthId = others.reduce(
    (before, each, index) => sql`${before} WHEN ${index + 2} THEN ${each}`,
    sql`CASE row_number() OVER (ORDER BY created_at, id) WHEN 1 THEN ${first}`,
  );
  const verdict = email === null ? sql`'none'` : notificationVerdict(email, now);
  const addEmail =
    email === null ? [] : [insertJob(emailJob(email), now, sql`${isNew} AND ${verdict} = 'new'`)];
  const tooMany = sql`EXISTS (
    SELECT 1 FROM job o
    WHERE o.queue = 'webhook' AND o.target = webhook_endpoint.id AND o.due_at IS NOT NULL
    LIMIT 1 OFFSET ${WAITING_FOR_ENDPOINT_MAX - 1})`;
  const fits = email === null ? sql`1 = 1` : sql`NOT (${isFullFor(email.kind)})`;
  const [claimed, judged] = await db.batch([
    sql`INSERT INTO event_handled (event, handled_at) SELECT ${id}, ${NEW} WHERE ${fits}
        ON CONFLICT DO NOTHING RETURNING event`,
    sql`SELECT ${verdict} AS verdict,
          (SELECT count(*) FROM event_handled WHERE event = ${id}) AS known`,
    ...addEmail,
    sql`INSERT INTO webhook_delivery
          (id, endpoint, account, event, kind, body, created_at, again, last_error)
        SELECT ${nthId} END, id, account, ${webhookId}, ${kind}, ${body}, ${now}, 0,
          CASE WHEN ${tooMany} THEN ${TOO_MANY_WAITED} END
        FROM webhook_endpoint
        WHERE account = ${account} AND paused_at IS NULL AND kinds LIKE ${`%"${kind}"%`}
          AND ${isNew}`,
    insertDeliveryJobs(sql`d.id IN (${listOf(ids)}) AND d.last_error IS NULL AND ${isNew}`, now),
    sql`UPDATE event_handled SET handled_at = ${now} WHERE event = ${id} AND handled_at = ${NEW}`,
  ]);
  const handled = claimed?.length === 1;
  const { verdict: outcome, known } = judged?.[0] ?? {};
  if (Number(known) === 0) return { handled, emailSkipped: "queue_full" };
  return { handled, emailSkipped: handled && outcome === "recipient_full" ? outcome : null };
}

const TOO_MANY_WAITED = `Not sent: ${WAITING_FOR_ENDPOINT_MAX.toLocaleString("en")} other deliveries were waiting for this endpoint.`;

const ENDPOINT = rowOf<Endpoint>(
  "id, account, url, secret, previous_secret, previous_until, kinds, created_at, paused_at, paused_by",
);

/** The newest deliveries to the endpoint `o`. */
const RECENT = sql`(SELECT no, id, last_tried_at, last_status FROM webhook_delivery
  WHERE endpoint = o.id ORDER BY no DESC LIMIT ${HISTORY_DELIVERIES_MAX}) r`;
const IS_DELIVERED = sql`coalesce(r.last_status, 0) BETWEEN 200 AND 299`;

function readHistoryRow(row: SqlRow): EndpointHistory {
  const at = readNumber(row["last_tried_at"]);
  return {
    lastDeliveredAt: readNumber(row["delivered_at"]),
    lastFailure:
      at === null
        ? null
        : {
            at,
            lastStatus: readNumber(row["last_status"]),
            lastError: row["last_error"] as string | null,
          },
  };
}
