import { checkLowBalance } from "#ledger/check-grant.ts";
import {
  daysAhead,
  type EventContent,
  eventId,
  eventOfLevel,
  isWorse,
  type LedgerEvent,
  type Level,
  levelOf,
  nextEventAt,
  parseEventId,
} from "#ledger/events.ts";
import type { LedgerOperations } from "#ledger/port.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";

type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

/** Writes what an account's owner is to be told, inside the transaction of what it tells of. */
export type NoticePen = ReturnType<typeof createSqliteNoticePen>;

/** `onNotice`: told of each that is written, also where it is rolled back afterwards. */
export function createSqliteNoticePen(driver: SqlDriver, onNotice: () => void = () => {}) {
  const insert = driver.prepare(
    "INSERT INTO notice (account_no, at, kind, data) VALUES (?, ?, ?, ?)",
  );
  const setTold = driver.prepare("UPDATE account SET told_level = ? WHERE no = ?");
  const find = driver.prepare(
    `SELECT state, low_balance, told_level, (
       SELECT coalesce(sum(remaining), 0) FROM credit_grant
       WHERE account_no = a.no AND (expires_at IS NULL OR expires_at > ?)
     ) AS balance FROM account a WHERE no = ?`,
  );

  function write(accountNo: number, at: number, { kind, ...data }: EventContent): void {
    insert.run(accountNo, at, kind, JSON.stringify(data));
    onNotice();
  }

  /** The account had come to a worse level than was told last. */
  function tell(accountNo: number, balance: number, lowBalance: number, now: number): Level {
    const level = levelOf(balance, lowBalance);
    setTold.run(level, accountNo);
    write(accountNo, now, eventOfLevel(balance, lowBalance));
    return level;
  }

  /** Null for a closed account, which is told nothing. */
  function look(accountNo: number, now: number) {
    const row = find.get(now, accountNo);
    if (row === undefined || row["state"] === "closed") return null;
    const [balance, lowBalance] = [row["balance"] as number, row["low_balance"] as number];
    const level = levelOf(balance, lowBalance);
    return { balance, lowBalance, told: row["told_level"] as Level, level };
  }

  return {
    write,
    tell,
    /** After whatever may have lowered the balance. Whether a notice was written. */
    tellWorse(accountNo: number, now: number): boolean {
      const found = look(accountNo, now);
      if (found === null || !isWorse(found.level, found.told)) return false;
      tell(accountNo, found.balance, found.lowBalance, now);
      return true;
    },
    /** After whatever may have lifted it: in silence. */
    noteBetter(accountNo: number, now: number): void {
      const found = look(accountNo, now);
      if (found !== null && isWorse(found.told, found.level)) setTold.run(found.level, accountNo);
    },
    /** What is so is known. */
    noteLevel(accountNo: number, now: number): void {
      const found = look(accountNo, now);
      if (found !== null) setTold.run(found.level, accountNo);
    },
  };
}

/** The operations on notices as SQLite statements. */
export function createSqliteNotices(driver: SqlDriver, pen: NoticePen) {
  const setLowBalance = driver.prepare(
    "UPDATE account SET low_balance = ? WHERE id = ? AND state <> 'closed' RETURNING no",
  );
  const list = driver.prepare(
    `SELECT n.*, (SELECT id FROM account WHERE no = n.account_no) AS account
     FROM notice n ORDER BY n.no LIMIT ?`,
  );
  const settle = driver.prepare(
    "DELETE FROM notice WHERE no = ? AND at = ? AND account_no = (SELECT no FROM account WHERE id = ?)",
  );
  const due = driver.prepare(
    `SELECT no, account_no, id, kind, remaining, expires_at FROM credit_grant
     WHERE look_at <= ? ORDER BY look_at, no LIMIT ?`,
  );
  const setLookAt = driver.prepare("UPDATE credit_grant SET look_at = ? WHERE no = ?");

  /** Whether a notice was written. */
  function lookAtGrant(row: SqlRow, now: number): boolean {
    const [accountNo, expiresAt] = [row["account_no"] as number, row["expires_at"] as number];
    setLookAt.run(nextEventAt(expiresAt, now), row["no"] as number);
    const days = daysAhead(expiresAt, now);
    if (days === null) return pen.tellWorse(accountNo, now);
    if (row["remaining"] === 0) return false;
    const { id, kind, remaining } = row as { id: string; kind: "pack"; remaining: number };
    const grant = { id, kind, remaining, expiresAt };
    pen.write(accountNo, now, { kind: "credits.expiring", days, grant });
    return true;
  }

  return {
    setLowBalance(order: Order<"setLowBalance">): Outcome<"setLowBalance"> {
      checkLowBalance(order);
      const row = setLowBalance.get(order.lowBalance, order.account);
      if (row === undefined) return { found: false };
      pen.noteLevel(row["no"] as number, order.now);
      return { found: true };
    },
    recordExpiries({ now, max }: Order<"recordExpiries">): Outcome<"recordExpiries"> {
      const rows = due.all(now, max + 1);
      const written = rows.slice(0, max).filter((row) => lookAtGrant(row, now));
      return { noticed: written.length, more: rows.length > max };
    },
    listEvents: ({ max }: Order<"listEvents">): Outcome<"listEvents"> => ({
      notices: list.all(max).map(readNotice),
    }),
    deleteEvents({ ids }: Order<"deleteEvents">): Outcome<"deleteEvents"> {
      let settled = 0;
      for (const id of ids) {
        const place = parseEventId(id);
        if (place === null) continue;
        settled += settle.run(place.no, place.at, place.account) > 0 ? 1 : 0;
      }
      return { settled };
    },
  };
}

function readNotice(row: SqlRow): LedgerEvent {
  const { account, at, no, kind } = row as {
    account: string;
    at: number;
    no: number;
    kind: string;
  };
  const content = { kind, ...JSON.parse(row["data"] as string) } as EventContent;
  return { id: eventId(account, at, no), account, at, ...content };
}
