import {
  closeSync,
  constants,
  fchownSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { quotedCommand } from "#command-line.ts";
import { callRef } from "#ids.ts";
import { hourOf } from "#ledger/port.ts";
import type { SqlDriver } from "./driver.ts";
import { type NodeSqlite, openNodeSqlite } from "./node.ts";
import { hasDroppedCommits } from "./node-log-damage.ts";
import { rowChecksum } from "./row-checksum.ts";

/**
 * The mark of the last commit: a small file beside the database that says what was committed last. SQLite recovers the log after a
 * crash up to the first damaged byte and drops the commits after it without a word. The mark names one of them, so the next start
 * notices.
 *
 * It is written after each commit and before its responses leave, and never synced: it survives a killed process, and after a
 * power cut it is at most too old. It therefore only ever names what was committed before, by whichever connection, and marks of
 * several connections may overwrite each other in any order.
 *
 * A debit is named by its row. Other changes are named by a sequence number in `setting`, which they increment; debits do not,
 * because that would add a page to every commit.
 */
export const COMMIT_MARK_SUFFIX = "-commit";

export type MarkedDebit = { accountNo: number; at: number; callId: string };
export type CommitMark = { sequence: number; debit: MarkedDebit | null };

/** Long enough for any call id. A shorter mark ends with a line feed, after which the rest of an older one does not count. */
const MARK_BYTES = 512;

export function openCommitMark(driver: SqlDriver, file: string) {
  const next = driver.prepare(
    `INSERT INTO setting (name, value) VALUES ('commit_sequence', '1')
     ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING value`,
  );
  const bytes = Buffer.alloc(MARK_BYTES);
  const fd = openMark(file);
  let sequence = sequenceOf(driver);
  let prepared: CommitMark | null = null;
  return {
    /** Call inside the transaction. `debit`: one that it wrote. `hasOther`: it may have changed more than debits. */
    prepare(debit: MarkedDebit | null, hasOther: boolean): void {
      // Remembered only after the commit, because a transaction that is rolled back takes its number back.
      const number = hasOther ? Number(next.get()?.["value"]) : sequence;
      prepared = hasOther || debit !== null ? { sequence: number, debit } : null;
    },
    /** Call after the commit, with what was prepared for it. */
    write(): void {
      if (prepared === null || fd === null) return;
      const length = bytes.write(textOf(prepared), "latin1");
      sequence = prepared.sequence;
      prepared = null;
      try {
        writeSync(fd, bytes, 0, length, 0);
      } catch {
        // The commit stands. The next start compares with an older mark.
      }
    },
    close(): void {
      if (fd !== null) closeSync(fd);
    },
  };
}

export type CommitMarkWriter = ReturnType<typeof openCommitMark>;

/** Writes a mark for a database that was put in place of another one. Any database satisfies it. */
export function resetCommitMark(file: string): void {
  const fd = openMark(file);
  if (fd === null) return;
  writeSync(fd, textOf({ sequence: 0, debit: null }), 0, "latin1");
  closeSync(fd);
}

/** Returns null if the file cannot be written: the service then works without a mark, as with one that is lost. */
function openMark(file: string): number | null {
  try {
    const fd = openSync(file + COMMIT_MARK_SUFFIX, constants.O_RDWR | constants.O_CREAT, 0o600);
    const { uid, gid } = statSync(file);
    // Created by root, it must be writable for the user of the server.
    if (process.getuid?.() === 0 && uid !== 0) fchownSync(fd, uid, gid);
    return fd;
  } catch {
    return null;
  }
}

function textOf({ sequence, debit }: CommitMark): string {
  const { accountNo, at, callId } = debit ?? { accountNo: 0, at: 0, callId: "-" };
  return `${sequence} ${accountNo} ${at} ${callId} ${rowChecksum([sequence, accountNo, at, callId])}\n`;
}

/** Returns the mark beside a database; null if there is none, or if it is torn. */
export function readCommitMark(file: string): CommitMark | null {
  try {
    const [line = ""] = readFileSync(file + COMMIT_MARK_SUFFIX, "latin1").split("\n");
    const [first, second, third, callId = "", sum] = line.split(" ");
    const [sequence, accountNo, at] = [Number(first), Number(second), Number(third)];
    if (String(rowChecksum([sequence, accountNo, at, callId])) !== sum) return null;
    return { sequence, debit: callId === "-" ? null : { accountNo, at, callId } };
  } catch {
    return null;
  }
}

const sequenceOf = (driver: SqlDriver): number => Number(settingOf(driver, "commit_sequence") ?? 0);

const settingOf = (driver: SqlDriver, name: string): string | null =>
  (driver.prepare("SELECT value FROM setting WHERE name = ?").get(name)?.["value"] ?? null) as
    | string
    | null;

/** What is known of commits that were acknowledged and are not in the database. Stored in `setting` until an operator accepts it. */
export type LostCommits = {
  noticedAt: number;
  /** The last acknowledged debit; null if the last commit was another change. */
  lastCall: { account: string | null; callId: string; at: number } | null;
  /** The time of the latest debit that is there; null if that is not known. */
  latestAt: number | null;
  /** Whether the last commit is there, and the log shows that earlier ones were dropped. */
  isLogDamaged?: boolean;
};

/**
 * Opens a database and compares it with its mark and its log, before anything else writes to the ledger. Lost commits are recorded
 * in the database. `isMarkMissing`: the database had marks and its mark is gone, so that nothing can be compared.
 */
export function openCompared(
  file: string,
  now: number,
): { driver: NodeSqlite; isMarkMissing: boolean } {
  // Before SQLite opens the file: closing another descriptor of it would end the locks of this process.
  const isLogDamaged = hasDroppedCommits(file);
  const driver = openNodeSqlite(file);
  try {
    return { driver, isMarkMissing: detectLostCommits(driver, file, now, isLogDamaged) };
  } catch (error) {
    driver.close();
    throw error;
  }
}

function detectLostCommits(
  driver: SqlDriver,
  file: string,
  now: number,
  isLogDamaged: boolean,
): boolean {
  const mark = readCommitMark(file);
  if (mark === null || isThere(driver, mark)) {
    if (isLogDamaged)
      record(driver, file, {
        noticedAt: now,
        lastCall: null,
        latestAt: latestDebit(driver, mark?.debit ?? null),
        isLogDamaged,
      });
    return mark === null && sequenceOf(driver) > 0;
  }
  const again = readCommitMark(file);
  // Another process has committed in the meantime, and rolled the debit up.
  if (again !== null && textOf(again) !== textOf(mark) && isThere(driver, again)) return false;
  const { debit } = mark;
  const lost: LostCommits = {
    noticedAt: now,
    lastCall: debit && {
      account: (driver.prepare("SELECT id FROM account WHERE no = ?").get(debit.accountNo)?.[
        "id"
      ] ?? null) as string | null,
      callId: debit.callId,
      at: debit.at,
    },
    latestAt: latestDebit(driver, debit),
  };
  record(driver, file, lost);
  return false;
}

function record(driver: SqlDriver, file: string, lost: LostCommits): void {
  driver
    .prepare(
      "INSERT INTO setting (name, value) VALUES ('lost_commits', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
    )
    .run(JSON.stringify(lost));
  resetCommitMark(file);
}

function isThere(driver: SqlDriver, { sequence, debit }: CommitMark): boolean {
  const found = sequenceOf(driver);
  if (found < sequence) return false;
  if (debit === null) return true;
  const { accountNo, at, callId } = debit;
  const row = driver
    .prepare("SELECT 1 FROM debit WHERE account_no = ? AND at = ? AND call_id = ?")
    .get(accountNo, at, callId);
  if (row !== undefined) return true;
  // The process was killed after it rolled this debit up and before it wrote the mark.
  const rolledUp = driver.prepare(
    `SELECT 1 FROM usage_hour WHERE account_no = ?1 AND hour = ?2
     UNION ALL SELECT 1 FROM reversal WHERE account_no = ?1 AND debit_at = ?3 AND call_id = ?4`,
  );
  return found > sequence && rolledUp.get(accountNo, hourOf(at), at, callId) !== undefined;
}

function latestDebit(driver: SqlDriver, debit: MarkedDebit | null): number | null {
  const row = driver
    .prepare(
      `SELECT max(at) AS at FROM (SELECT max(at) AS at FROM debit_journal
       UNION ALL SELECT max(at) FROM debit_by_account WHERE account_no = ?
       UNION ALL SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'journal_drained_until')`,
    )
    .get(debit?.accountNo ?? 0);
  return (row?.["at"] ?? null) as number | null;
}

export function findLostCommits(driver: SqlDriver): LostCommits | null {
  const text = settingOf(driver, "lost_commits");
  return text === null ? null : (JSON.parse(text) as LostCommits);
}

/** Forgets lost commits, because an operator knows of them. Returns whether there were any. */
export const acceptLostCommits = (driver: SqlDriver): boolean =>
  driver.prepare("DELETE FROM setting WHERE name = 'lost_commits'").run() > 0;

/** Says what was lost, in one sentence for the log and for `audit`. */
export function describeLostCommits(lost: LostCommits): string {
  const { lastCall, latestAt, noticedAt, isLogDamaged } = lost;
  const time = (at: number) => new Date(at).toISOString();
  const last =
    lastCall === null
      ? "the last change of accounts, keys or grants"
      : `the call ${idOf(lastCall)} at ${time(lastCall.at)}`;
  const there =
    latestAt === null ? "" : ` The latest call in the database is of ${time(latestAt)}.`;
  const missing = isLogDamaged
    ? "pages of the database are older than the damaged write-ahead log"
    : `the last one was ${last}, and it is not in the database`;
  return `${MISSING}: ${missing} (noticed ${time(noticedAt)}).${there} The write-ahead log was damaged, or an older copy of the database was put in its place. Compare with the access log and settle what is missing, then run ${quotedCommand("audit --accept-loss")}.`;
}

const MISSING = "Commits are missing that were acknowledged";

/** Whether a fault that `audit` found is that commits are missing: what is there is whole then. */
export const isLostCommitFault = (fault: string): boolean => fault.startsWith(MISSING);

/** As the access log has it, unless the account is missing too. */
const idOf = ({ account, callId, at }: NonNullable<LostCommits["lastCall"]>): string =>
  account === null ? callId : callRef({ account, callId, at });

/** Returns the sentence about lost commits as the list of faults that `audit` prints. */
export function lostCommitFaults(driver: SqlDriver): string[] {
  const lost = findLostCommits(driver);
  return lost === null ? [] : [describeLostCommits(lost)];
}
