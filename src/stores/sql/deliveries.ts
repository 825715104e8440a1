import { SENT_AGAIN_A_DAY_MAX } from "#events/bounds.ts";
import type { Delivery, DeliveryKind, DeliveryToSend, EventStore } from "#events/event-store.ts";
import type { Settlement } from "#jobs/job-queue.ts";
import { DAY_MS } from "#limits.ts";
import { rowOf } from "../stored-row.ts";
import { isHeld } from "./jobs.ts";
import { lastRows, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** Webhook deliveries as their owner sees them. Their jobs determine whether and until when they wait. */
export const deliveries = (
  db: SqlDatabase,
): Pick<EventStore, "listDeliveries" | "sendAgain" | "sendTest" | "findDelivery"> => ({
  async listDeliveries({ account, endpoint, after, max }) {
    const older =
      after === null
        ? sql`1 = 1`
        : sql`d.no < (SELECT no FROM webhook_delivery WHERE id = ${after})`;
    const rows = await lastRows(
      db,
      sql`SELECT ${WITH_JOB} WHERE d.endpoint = ${endpoint} AND d.account = ${account} AND ${older}
          ORDER BY d.no DESC LIMIT ${max}`,
    );
    return rows.map(DELIVERY.read);
  },
  sendAgain: ({ account, endpoint, id, ...sent }) =>
    sendByHand(
      db,
      { endpoint, ...sent },
      sql`FROM webhook_delivery d WHERE d.id = ${id} AND d.endpoint = ${endpoint} AND d.account = ${account}`,
      sql`d.endpoint, d.account, d.event, d.kind, d.body`,
    ),
  sendTest: ({ account, endpoint, event, body, ...sent }) =>
    sendByHand(
      db,
      { endpoint, ...sent },
      sql`FROM webhook_endpoint e WHERE e.id = ${endpoint} AND e.account = ${account}`,
      sql`e.id, e.account, ${event}, ${TEST_KIND}, ${body}`,
    ),
  async findDelivery({ id }) {
    const [row] = await lastRows(
      db,
      sql`SELECT e.url, e.secret, e.previous_secret, e.previous_until, e.paused_at, ${WITH_JOB}
          JOIN webhook_endpoint e ON e.id = d.endpoint WHERE d.id = ${id}`,
    );
    return row === undefined ? null : { ...TO_SEND.read(row), isPaused: row["paused_at"] !== null };
  },
});

const DELIVERY = rowOf<Delivery>(
  "id, endpoint, account, event, kind, body, created_at, status, tries, due_at, last_tried_at, last_status, last_error",
);
const TO_SEND = rowOf<Omit<DeliveryToSend, "isPaused">>(
  `${DELIVERY.columns}, url, secret, previous_secret, previous_until`,
);

const WITH_JOB = sql`d.*, j.due_at, CASE WHEN j.id IS NOT NULL AND j.died_at IS NULL THEN 'waiting'
    WHEN d.last_status BETWEEN 200 AND 299 THEN 'delivered' ELSE 'failed' END AS status
  FROM webhook_delivery d LEFT JOIN job j ON j.id = d.id`;

/** Returns statements that record the result of an attempt, for the transaction that settles its job. */
export function logAttempt(settlement: Settlement): SqlQuery[] {
  const { id, now, status } = settlement;
  if (status === undefined) return [];
  const error = "error" in settlement ? settlement.error : null;
  return [
    sql`UPDATE webhook_delivery
        SET tries = tries + 1, last_tried_at = ${now}, last_status = ${status}, last_error = ${error}
        WHERE id = ${id} AND EXISTS (SELECT 1 FROM job WHERE ${isHeld(settlement)})`,
  ];
}

/** Returns a statement that adds the jobs of deliveries. The job of a paused endpoint is paused. */
export const insertDeliveryJobs = (condition: SqlQuery, now: number): SqlQuery => sql`
  INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
  SELECT d.id, 'webhook', d.kind, d.endpoint, d.endpoint, '', ${now}, CASE WHEN e.paused_at IS NULL THEN ${now} END
  FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint WHERE ${condition}`;

/**
 * Pauses the waiting jobs of an endpoint, or makes the paused ones due: also those that are under way, which may have found the endpoint
 * paused.
 */
export function holdJobs(account: string, endpoint: string, isPaused: boolean): SqlQuery {
  const isOfEndpoint = sql`died_at IS NULL AND id IN (
    SELECT id FROM webhook_delivery WHERE endpoint = ${endpoint} AND account = ${account})`;
  return isPaused
    ? sql`UPDATE job SET due_at = NULL WHERE due_at IS NOT NULL AND ${isOfEndpoint}`
    : sql`UPDATE job SET due_at = created_at
          WHERE (due_at IS NULL OR due_at = leased_until) AND ${isOfEndpoint}`;
}

/**
 * Adds a delivery that the owner sends by hand, if the endpoint may have another one within the day. `source`: what it is made of, from FROM
 * on. `values`: its endpoint, account, event, kind and body.
 */
async function sendByHand(
  db: SqlDatabase,
  { endpoint, newId, now }: { endpoint: string; newId: string; now: number },
  source: SqlQuery,
  values: SqlQuery,
): Promise<{ found: boolean; isRateLimited: boolean }> {
  const [found, sent] = await db.batch([
    sql`SELECT 1 ${source}`,
    sql`INSERT INTO webhook_delivery (id, endpoint, account, event, kind, body, created_at, again)
        SELECT ${newId}, ${values}, ${now}, 1 ${source} AND ${isWithinDay(endpoint, now)}
        RETURNING id`,
    insertDeliveryJobs(sql`d.id = ${newId}`, now),
  ]);
  const isFound = found?.length === 1;
  return { found: isFound, isRateLimited: isFound && sent?.length !== 1 };
}

const TEST_KIND: DeliveryKind = "test";

/** Whether the owner may send another delivery to the endpoint by hand. */
const isWithinDay = (endpoint: string, now: number): SqlQuery =>
  sql`${SENT_AGAIN_A_DAY_MAX} > (
    SELECT count(*) FROM webhook_delivery
    WHERE endpoint = ${endpoint} AND again = 1 AND created_at > ${now - DAY_MS})`;
