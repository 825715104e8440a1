import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import {
  ASKED_PER_DAY_MAX,
  ASKED_PER_HOUR_MAX,
  LETTERS_WAITING_MAX,
  NOTICES_PER_RECIPIENT_MAX,
} from "#mail/bounds.ts";
import { groupOf, NOTICE_KINDS } from "#mail/letter-group.ts";
import type {
  LetterQueue,
  SyncLetterQueue,
  TakenLetter,
  WaitingLetter,
} from "#mail/letter-queue.ts";
import type { LetterKind } from "#mail/mail.ts";
import type { Way } from "#mail/transport.ts";
import type { SqlDriver, SqlRow } from "./sqlite-driver.ts";

/** The queue's operations as SQLite statements; each opens its own transaction. */
export function createSqliteLetters(driver: SqlDriver): SyncLetterQueue {
  return { ...writing(driver), ...reading(driver) };
}

/** The port itself, for a driver that is on this thread. */
export function openSqliteLetters(driver: SqlDriver): LetterQueue {
  const sync = createSqliteLetters(driver);
  return {
    add: async (order) => sync.add(order),
    take: async (order) => sync.take(order),
    done: async (order) => sync.done(order),
    later: async (order) => sync.later(order),
    giveUp: async (order) => sync.giveUp(order),
    nextDue: async (order) => sync.nextDue(order),
    count: async (order) => sync.count(order),
  };
}

type Writing = Pick<SyncLetterQueue, "add" | "take" | "done" | "later" | "giveUp">;

/** Whether a letter may go the way of the last parameter: what was posted for the outbox may by any. */
const GOES = "(? = 'smtp' OR way = 'outbox')";

function writing(driver: SqlDriver): Writing {
  const findById = driver.prepare("SELECT 1 AS found FROM letter WHERE id = ?");
  const insert = driver.prepare(
    `INSERT INTO letter
       (id, recipient, subject, body_text, body_html, kind, way, posted_at, useful_until, due_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const anyDue = driver.prepare(
    `SELECT 1 AS found FROM letter WHERE due_at <= ? AND ${GOES} LIMIT 1`,
  );
  const due = driver.prepare(
    `SELECT * FROM letter WHERE due_at <= ? AND ${GOES} ORDER BY due_at, no LIMIT ?`,
  );
  const lease = driver.prepare(
    "UPDATE letter SET due_at = ?1, leased_until = ?1, takes = takes + 1 WHERE no = ?2",
  );
  const remove = driver.prepare("DELETE FROM letter WHERE id = ?");
  const removeHeld = driver.prepare("DELETE FROM letter WHERE id = ? AND takes = ?");
  const putBack = driver.prepare(
    "UPDATE letter SET due_at = ?, leased_until = 0, failures = ? WHERE id = ? AND takes = ?",
  );
  const makeRoom = createRoom(driver);
  return {
    add: ({ letter, now }) =>
      driver.transaction("write", () => {
        if (findById.get(letter.id) !== undefined) return { outcome: "added" };
        const outcome = makeRoom(letter, now);
        if (outcome !== "added") return { outcome };
        const { id, to, subject, text, html, kind, usefulUntil, way } = letter;
        insert.run(id, to, subject, text, html, kind, way, now, usefulUntil, now);
        return { outcome };
      }),
    take({ now, leaseUntil, max, way }) {
      // Most looks find nothing; those need no write lock.
      if (anyDue.get(now, way) === undefined) return { letters: [] };
      return driver.transaction("write", () => {
        const rows = due.all(now, way, max);
        for (const row of rows) lease.run(leaseUntil, row["no"] as number);
        return { letters: rows.map(readTaken) };
      });
    },
    done: ({ id }) => ({ found: remove.run(id) > 0 }),
    later: ({ id, take, at, failures }) => ({ found: putBack.run(at, failures, id, take) > 0 }),
    giveUp: ({ id, take }) => ({ found: removeHeld.run(id, take) > 0 }),
  };
}

/** Makes room for a letter, or says why there is none. */
function createRoom(driver: SqlDriver) {
  const countAll = driver.prepare("SELECT count(*) AS count FROM letter");
  const countNotices = driver.prepare(
    `SELECT count(*) AS count FROM letter
     WHERE recipient = ? AND (useful_until IS NULL OR useful_until > ?)
       AND kind IN (${NOTICE_KINDS.map((kind) => `'${kind}'`).join(", ")})`,
  );
  // What is in somebody's hands may be on its way already: it is no longer ours to take back.
  const removeOlder = driver.prepare(
    "DELETE FROM letter WHERE recipient = ? AND kind = ? AND leased_until <= ?",
  );
  // After the clock was set back, times to come do not count for ever.
  const forgetAsked = driver.prepare("DELETE FROM letter_asked WHERE at <= ? OR at > ?");
  const countAsked = driver.prepare(
    `SELECT count(*) AS day, count(*) FILTER (WHERE at > ?) AS hour FROM letter_asked
     WHERE recipient = ? AND letter_group = ?`,
  );
  const noteAsked = driver.prepare(
    "INSERT INTO letter_asked (recipient, letter_group, at) VALUES (?, ?, ?)",
  );

  function ask({ to, kind }: WaitingLetter, now: number) {
    const [recipient, group] = [hashOf(to), groupOf(kind)];
    forgetAsked.run(now - DAY_MS, now + HOUR_MS);
    const count = countAsked.get(now - HOUR_MS, recipient, group);
    const isOften =
      Number(count?.["hour"]) >= ASKED_PER_HOUR_MAX || Number(count?.["day"]) >= ASKED_PER_DAY_MAX;
    if (isOften) return "too_often";
    noteAsked.run(recipient, group, now);
    return "added";
  }

  return (letter: WaitingLetter, now: number) => {
    const isNotice = groupOf(letter.kind) === "notice";
    if (!isNotice && removeOlder.run(letter.to, letter.kind, now) > 0) return "added";
    if (Number(countAll.get()?.["count"]) >= LETTERS_WAITING_MAX) return "queue_full";
    if (!isNotice) return ask(letter, now);
    const waiting = Number(countNotices.get(letter.to, now)?.["count"]);
    return waiting >= NOTICES_PER_RECIPIENT_MAX ? "recipient_full" : "added";
  };
}

/** No list of addresses that strangers have typed. */
const hashOf = (address: string) =>
  bytesToHex(sha256(new TextEncoder().encode(address.toLowerCase())));

function reading(driver: SqlDriver): Pick<SyncLetterQueue, "nextDue" | "count"> {
  const nextDue = driver.prepare(`SELECT min(due_at) AS at FROM letter WHERE ${GOES}`);
  const count = driver.prepare(
    `SELECT count(*) AS waiting, min(posted_at) AS oldest FROM letter WHERE ${GOES}`,
  );
  return {
    nextDue: ({ way }) => ({ at: (nextDue.get(way)?.["at"] ?? null) as number | null }),
    count({ way }) {
      const row = count.get(way);
      return {
        waiting: Number(row?.["waiting"] ?? 0),
        oldestAt: (row?.["oldest"] ?? null) as number | null,
      };
    },
  };
}

/** The row as it was read, just before it was leased. */
const readTaken = (row: SqlRow): TakenLetter => ({
  id: row["id"] as string,
  to: row["recipient"] as string,
  subject: row["subject"] as string,
  text: row["body_text"] as string,
  html: row["body_html"] as string,
  kind: row["kind"] as LetterKind,
  usefulUntil: row["useful_until"] as number | null,
  way: row["way"] as Way,
  postedAt: row["posted_at"] as number,
  failures: row["failures"] as number,
  take: (row["takes"] as number) + 1,
});
