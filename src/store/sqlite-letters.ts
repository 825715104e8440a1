import { LETTERS_PER_RECIPIENT_MAX, LETTERS_WAITING_MAX } from "#mail/bounds.ts";
import type { LetterQueue, SyncLetterQueue, TakenLetter } from "#mail/letter-queue.ts";
import type { LetterKind } from "#mail/mail.ts";
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

function writing(driver: SqlDriver): Writing {
  const findById = driver.prepare("SELECT 1 AS found FROM letter WHERE id = ?");
  const countAll = driver.prepare("SELECT count(*) AS count FROM letter");
  const countUseful = driver.prepare(
    `SELECT count(*) AS count FROM letter
     WHERE recipient = ? AND (useful_until IS NULL OR useful_until > ?)`,
  );
  const insert = driver.prepare(
    `INSERT INTO letter
       (id, recipient, subject, body_text, body_html, kind, posted_at, useful_until, due_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const anyDue = driver.prepare("SELECT 1 AS found FROM letter WHERE due_at <= ? LIMIT 1");
  const due = driver.prepare("SELECT * FROM letter WHERE due_at <= ? ORDER BY due_at, no LIMIT ?");
  const lease = driver.prepare("UPDATE letter SET due_at = ?, takes = takes + 1 WHERE no = ?");
  const remove = driver.prepare("DELETE FROM letter WHERE id = ?");
  const removeHeld = driver.prepare("DELETE FROM letter WHERE id = ? AND takes = ?");
  const putBack = driver.prepare(
    "UPDATE letter SET due_at = ?, failures = ? WHERE id = ? AND takes = ?",
  );
  const full = (recipient: string, now: number) => {
    if (Number(countAll.get()?.["count"]) >= LETTERS_WAITING_MAX) return "queue_full";
    const waiting = Number(countUseful.get(recipient, now)?.["count"]);
    return waiting >= LETTERS_PER_RECIPIENT_MAX ? "recipient_full" : null;
  };
  return {
    add: ({ letter, now }) =>
      driver.transaction("write", () => {
        if (findById.get(letter.id) !== undefined) return { outcome: "added" };
        const outcome = full(letter.to, now);
        if (outcome !== null) return { outcome };
        const { id, to, subject, text, html, kind, usefulUntil } = letter;
        insert.run(id, to, subject, text, html, kind, now, usefulUntil, now);
        return { outcome: "added" };
      }),
    take({ now, leaseUntil, max }) {
      // Most looks find nothing; those need no write lock.
      if (anyDue.get(now) === undefined) return { letters: [] };
      return driver.transaction("write", () => {
        const rows = due.all(now, max);
        for (const row of rows) lease.run(leaseUntil, row["no"] as number);
        return { letters: rows.map(readTaken) };
      });
    },
    done: ({ id }) => ({ found: remove.run(id) > 0 }),
    later: ({ id, take, at, failures }) => ({ found: putBack.run(at, failures, id, take) > 0 }),
    giveUp: ({ id, take }) => ({ found: removeHeld.run(id, take) > 0 }),
  };
}

function reading(driver: SqlDriver): Pick<SyncLetterQueue, "nextDue" | "count"> {
  const nextDue = driver.prepare("SELECT min(due_at) AS at FROM letter");
  const count = driver.prepare("SELECT count(*) AS waiting, min(posted_at) AS oldest FROM letter");
  return {
    nextDue: () => ({ at: (nextDue.get()?.["at"] ?? null) as number | null }),
    count() {
      const row = count.get();
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
  postedAt: row["posted_at"] as number,
  failures: row["failures"] as number,
  take: (row["takes"] as number) + 1,
});
