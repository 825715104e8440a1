import type { LedgerEventKind } from "#ledger/events.ts";
import type { Delivery, NoticeBook, TakenDelivery } from "#notices/notice-book.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";
import { readNumber, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** Which deliveries have their turn, and what came of them. */
type Order = Parameters<NoticeBook["take"]>[0];

/**
 * Whoever is next is found without a lock, and then taken where nobody else has been quicker: a long backlog keeps no call
 * waiting.
 */
export async function take(db: SqlDatabase, order: Order): Promise<TakenDelivery[]> {
  const { now, leaseUntil, max, unprovenMax = max } = order;
  const [candidates = []] = await db.batch([nextOnes(now, max)]);
  const isWell = (row: SqlRow) => Number(row["did_well"]) === 1;
  const unproven = candidates.filter((row) => !isWell(row)).slice(0, Math.max(0, unprovenMax));
  const chosen = [...candidates.filter(isWell), ...unproven].map((row) => Number(row["no"]));
  const [first, ...others] = chosen;
  if (first === undefined) return [];
  const these = others.reduce((list: SqlQuery, no) => sql`${list}, ${no}`, sql`${first}`);
  const [taken = [], places = []] = await db.batch([
    sql`UPDATE webhook_delivery
        SET due_at = ${leaseUntil}, leased_until = ${leaseUntil}, takes = takes + 1
        WHERE no IN (${these}) AND due_at <= ${now}
          AND NOT ${isOnItsWay(sql`webhook_delivery.endpoint`, now)}
        RETURNING *`,
    sql`SELECT id, url, secret, did_well FROM webhook_endpoint WHERE id IN (
          SELECT endpoint FROM webhook_delivery WHERE no IN (${these}))`,
  ]);
  const rows = new Map(taken.map((row) => [Number(row["no"]), row]));
  const endpointOf = new Map(places.map((row) => [row["id"], row]));
  const mine = chosen.flatMap((no) => {
    const row = rows.get(no);
    const place = endpointOf.get(row?.["endpoint"] ?? "");
    return row === undefined || place === undefined ? [] : [readTaken(row, place)];
  });
  const missed = chosen.length - mine.length;
  if (missed === 0) return mine;
  // Others took them meanwhile; there may be more.
  const left = unprovenMax - mine.filter(({ isProven }) => !isProven).length;
  const more = { now, leaseUntil, max: max - mine.length, unprovenMax: left };
  return [...mine, ...(await take(db, more))];
}

const isOnItsWay = (endpoint: SqlQuery, now: number) => sql`EXISTS (
  SELECT 1 FROM webhook_delivery o
  WHERE o.endpoint = ${endpoint} AND o.leased_until > 0 AND o.leased_until > ${now})`;

/**
 * The oldest of each endpoint for which anything waits. They are found from endpoint to endpoint along the index, however
 * much waits for each and however many have nothing that waits.
 */
const nextOnes = (now: number, max: number) => sql`
  SELECT d.no, e.did_well FROM (
    WITH RECURSIVE waiting (endpoint) AS (
      SELECT (SELECT endpoint FROM webhook_delivery
              WHERE due_at IS NOT NULL ORDER BY endpoint LIMIT 1)
      WHERE EXISTS (SELECT 1 FROM webhook_delivery WHERE due_at <= ${now})
      UNION ALL
      SELECT (SELECT o.endpoint FROM webhook_delivery o
              WHERE o.due_at IS NOT NULL AND o.endpoint > waiting.endpoint
              ORDER BY o.endpoint LIMIT 1)
      FROM waiting WHERE waiting.endpoint IS NOT NULL)
    SELECT endpoint FROM waiting) w
  JOIN webhook_endpoint e ON e.id = w.endpoint
  JOIN webhook_delivery d ON d.no = (
    SELECT o.no FROM webhook_delivery o
    WHERE o.endpoint = e.id AND o.due_at IS NOT NULL ORDER BY o.due_at, o.no LIMIT 1)
  WHERE d.due_at <= ${now} AND NOT ${isOnItsWay(sql`e.id`, now)}
  ORDER BY e.did_well DESC, e.tried_at, d.due_at, d.no LIMIT ${max}`;

export async function noteTries(
  db: SqlDatabase,
  tries: Parameters<NoticeBook["noteTries"]>[0],
): ReturnType<NoticeBook["noteTries"]> {
  const rows = await db.batch(tries.flatMap(noting));
  return { noted: rows.filter((each, index) => index % 2 === 1 && each.length === 1).length };
}

function noting(tried: Parameters<NoticeBook["noteTries"]>[0][number]): [SqlQuery, SqlQuery] {
  const { id, take: number, now, status, dueAt, lastStatus, lastFault } = tried;
  const isIt = sql`id = ${id} AND takes = ${number} AND status = 'waiting'`;
  const isPaused = sql`EXISTS (
    SELECT 1 FROM webhook_endpoint WHERE id = endpoint AND paused_at IS NOT NULL)`;
  const due = dueAt === null ? sql`NULL` : sql`CASE WHEN ${isPaused} THEN NULL ELSE ${dueAt} END`;
  return [
    sql`UPDATE webhook_endpoint SET tried_at = ${now}, did_well = ${Number(status === "delivered")}
        WHERE id = (SELECT endpoint FROM webhook_delivery WHERE ${isIt})`,
    sql`UPDATE webhook_delivery
        SET status = ${status}, due_at = ${due}, leased_until = 0, tries = tries + 1,
          last_tried_at = ${now}, last_status = ${lastStatus}, last_fault = ${lastFault}
        WHERE ${isIt} RETURNING id`,
  ];
}

const readTaken = (row: SqlRow, place: SqlRow): TakenDelivery => ({
  ...readDelivery(row),
  take: Number(row["takes"]),
  url: place["url"] as string,
  secret: place["secret"] as string,
  isProven: Number(place["did_well"]) === 1,
});

export const readDelivery = (row: SqlRow): Delivery => ({
  id: row["id"] as string,
  endpoint: row["endpoint"] as string,
  account: row["account"] as string,
  notice: row["notice"] as string,
  kind: row["kind"] as LedgerEventKind,
  body: row["body"] as string,
  createdAt: Number(row["created_at"]),
  status: row["status"] as Delivery["status"],
  tries: Number(row["tries"]),
  dueAt: readNumber(row["due_at"]),
  lastTriedAt: readNumber(row["last_tried_at"]),
  lastStatus: readNumber(row["last_status"]),
  lastFault: row["last_fault"] as string | null,
});
