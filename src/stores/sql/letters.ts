import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { ASKED_PER_DAY_MAX, ASKED_PER_HOUR_MAX, NOTICES_PER_RECIPIENT_MAX } from "#mail/bounds.ts";
import { groupOf, isAskedFor, kindsOf, roomFor } from "#mail/letter-group.ts";
import type {
  LetterQueue,
  LetterQueueOperations,
  TakenLetter,
  WaitingLetter,
} from "#mail/letter-queue.ts";
import type { LetterKind } from "#mail/mail.ts";
import type { Way } from "#mail/transport.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";
import { lastRows, readNumber, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** The queue of letters over a database. What decides and what writes are one batch, so bounds hold under any load. */
export function createLetterQueue(db: SqlDatabase): LetterQueue {
  const found = async (query: SqlQuery) => ({ found: (await lastRows(db, query)).length > 0 });
  return {
    add: ({ letter, now }) =>
      isAskedFor(letter.kind) ? addAsked(db, letter, now) : addNotice(db, letter, now),
    take: (order) => take(db, order),
    done: ({ id }) => found(sql`DELETE FROM letter WHERE id = ${id} RETURNING id`),
    later: ({ id, take, at, failures }) =>
      found(sql`UPDATE letter SET due_at = ${at}, leased_until = 0, failures = ${failures}
                WHERE id = ${id} AND takes = ${take} RETURNING id`),
    giveUp: ({ id, take }) =>
      found(sql`DELETE FROM letter WHERE id = ${id} AND takes = ${take} RETURNING id`),
    async nextDue({ way }) {
      const [row] = await lastRows(
        db,
        sql`SELECT min(due_at) AS at FROM letter WHERE ${mayGo(way)}`,
      );
      return { at: readNumber(row?.["at"]) };
    },
    async count({ way }) {
      const [row] = await lastRows(
        db,
        sql`SELECT count(*) AS waiting, min(posted_at) AS oldest FROM letter WHERE ${mayGo(way)}`,
      );
      return { waiting: Number(row?.["waiting"] ?? 0), oldestAt: readNumber(row?.["oldest"]) };
    },
  };
}

/** What was posted for the outbox may go any way. */
const mayGo = (way: Way): SqlQuery => (way === "smtp" ? sql`1 = 1` : sql`way = 'outbox'`);

type Added = Promise<LetterQueueOperations["add"][1]>;

/** In `leased_until`, within the batch that adds a letter and never after it: the letter is this batch's. */
const NEW = -1;

/** A batch that has put the letter there has added it; else the verdict says why not. */
const outcomeOf = (verdict: SqlRow | undefined): LetterQueueOperations["add"][1] => {
  const outcome = verdict?.["verdict"];
  return outcome === "queue_full" || outcome === "recipient_full" || outcome === "too_often"
    ? { outcome }
    : { outcome: "added" };
};

export const insertIf = (
  letter: WaitingLetter,
  now: number,
  leasedUntil: number,
  condition: SqlQuery,
) => {
  const { id, to, subject, text, html, kind, usefulUntil, way, unsubscribe = null } = letter;
  return sql`INSERT INTO letter
      (id, recipient, subject, body_text, body_html, kind, way, posted_at, useful_until, due_at, leased_until,
       unsubscribe)
    SELECT ${id}, ${to}, ${subject}, ${text}, ${html}, ${kind}, ${way}, ${now}, ${usefulUntil}, ${now}, ${leasedUntil},
      ${unsubscribe}
    WHERE ${condition}`;
};

const isHere = (id: string) => sql`EXISTS (SELECT 1 FROM letter WHERE id = ${id})`;
/** Whether the queue has no room for a letter of this kind. */
export const isFullFor = (kind: LetterKind) =>
  sql`(SELECT count(*) FROM letter) >= ${roomFor(kind)}`;

/** Those that share a bound with this one. */
const likeIt = (kind: LetterKind): SqlQuery => {
  const kinds = kindsOf(groupOf(kind)).map((each) => `'${each}'`);
  return { sql: `kind IN (${kinds.join(", ")})`, values: [] };
};

/** Whether a letter that nobody asked for may wait: `new`, or why not. */
export const noticeVerdict = (letter: WaitingLetter, now: number): SqlQuery => sql`CASE
    WHEN ${isHere(letter.id)} THEN 'known'
    WHEN ${isFullFor(letter.kind)} THEN 'queue_full'
    WHEN (SELECT count(*) FROM letter
          WHERE recipient = ${letter.to} AND (useful_until IS NULL OR useful_until > ${now})
            AND ${likeIt(letter.kind)}) >= ${NOTICES_PER_RECIPIENT_MAX} THEN 'recipient_full'
    ELSE 'new' END`;

async function addNotice(db: SqlDatabase, letter: WaitingLetter, now: number): Added {
  const verdict = noticeVerdict(letter, now);
  const [rows] = await db.batch([
    sql`SELECT ${verdict} AS verdict`,
    insertIf(letter, now, 0, sql`${verdict} = 'new'`),
  ]);
  return outcomeOf(rows?.[0]);
}

/** A letter that anybody can cause: it takes the place of older ones, or counts for its recipient's hour and day. */
async function addAsked(db: SqlDatabase, letter: WaitingLetter, now: number): Added {
  const { id, to, kind } = letter;
  const [recipient, group] = [hashOf(to), groupOf(kind)];
  // What is in somebody's hands may be on its way already: it is no longer ours to take back.
  const older = sql`recipient = ${to} AND kind = ${kind} AND id <> ${id}
    AND leased_until <= ${now}`;
  const countAsked = (since: number) => sql`(SELECT count(*) FROM letter_asked
    WHERE recipient = ${recipient} AND letter_group = ${group} AND at > ${since})`;
  const verdict = sql`CASE
    WHEN ${isHere(id)} THEN 'known'
    WHEN EXISTS (SELECT 1 FROM letter WHERE ${older}) THEN 'instead'
    WHEN ${isFullFor(kind)} THEN 'queue_full'
    WHEN ${countAsked(now - HOUR_MS)} >= ${ASKED_PER_HOUR_MAX} THEN 'too_often'
    WHEN ${countAsked(now - DAY_MS)} >= ${ASKED_PER_DAY_MAX} THEN 'too_often'
    ELSE 'new' END`;
  const isNew = sql`EXISTS (SELECT 1 FROM letter WHERE id = ${id} AND leased_until = ${NEW})`;
  const [, rows] = await db.batch([
    // After the clock was set back, times to come do not count for ever.
    sql`DELETE FROM letter_asked WHERE at <= ${now - DAY_MS} OR at > ${now + HOUR_MS}`,
    sql`SELECT ${verdict} AS verdict`,
    insertIf(letter, now, NEW, sql`${verdict} IN ('instead', 'new')`),
    sql`INSERT INTO letter_asked (recipient, letter_group, at)
        SELECT ${recipient}, ${group}, ${now}
        WHERE ${isNew} AND NOT EXISTS (SELECT 1 FROM letter WHERE ${older})`,
    sql`DELETE FROM letter WHERE ${older} AND ${isNew}`,
    sql`UPDATE letter SET leased_until = 0 WHERE id = ${id} AND leased_until = ${NEW}`,
  ]);
  return outcomeOf(rows?.[0]);
}

/** Of an address only its hash is kept: who was written to is nobody's business. */
const hashOf = (address: string) =>
  bytesToHex(sha256(new TextEncoder().encode(address.toLowerCase())));

async function take(
  db: SqlDatabase,
  { now, leaseUntil, max, way }: LetterQueueOperations["take"][0],
): Promise<LetterQueueOperations["take"][1]> {
  const due = sql`FROM letter WHERE due_at <= ${now} AND ${mayGo(way)}`;
  const first = sql`SELECT no ${due} ORDER BY due_at, no LIMIT ${max}`;
  // Most looks find nothing; those need no write lock.
  if ((await lastRows(db, sql`SELECT no ${due} LIMIT 1`)).length === 0) return { letters: [] };
  const [order = [], rows = []] = await db.batch([
    first,
    sql`UPDATE letter SET due_at = ${leaseUntil}, leased_until = ${leaseUntil}, takes = takes + 1
        WHERE no IN (${first}) RETURNING *`,
  ]);
  const places = new Map(order.map(({ no }, place) => [Number(no), place]));
  const placeOf = ({ no }: SqlRow) => places.get(Number(no)) ?? 0;
  const sorted = rows.toSorted((one, other) => placeOf(one) - placeOf(other));
  return { letters: sorted.map(readTaken) };
}

const readTaken = (row: SqlRow): TakenLetter => ({
  id: row["id"] as string,
  to: row["recipient"] as string,
  subject: row["subject"] as string,
  text: row["body_text"] as string,
  html: row["body_html"] as string,
  kind: row["kind"] as LetterKind,
  usefulUntil: readNumber(row["useful_until"]),
  ...(row["unsubscribe"] === null ? {} : { unsubscribe: row["unsubscribe"] as string }),
  way: row["way"] as Way,
  postedAt: Number(row["posted_at"]),
  failures: Number(row["failures"]),
  take: Number(row["takes"]),
});
