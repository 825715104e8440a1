import { checkLowBalance } from "#ledger/check-grant.ts";
import {
  daysAhead,
  type EventContent,
  eventOfLevel,
  isWorse,
  type Level,
  levelOf,
  nextEventAt,
  parseEventId,
} from "#ledger/events.ts";
import type { GrantKind, LedgerOperations } from "#ledger/port.ts";
import {
  balanceNow,
  type LockedAccount,
  lockAccount,
  lockAccounts,
  noteLevels,
} from "./account.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";

type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];
type Written = { accountNo: number; content: EventContent };

export async function writeNotices(
  query: PostgresQuery,
  at: number,
  notices: readonly Written[],
): Promise<void> {
  const contents = notices.map(({ content: { kind, ...data } }) => ({ kind, data }));
  await query(
    `INSERT INTO notice (account_no, at, kind, data) SELECT no, $1, kind, data
     FROM unnest($2::bigint[], $3::text[], $4::jsonb[]) WITH ORDINALITY t (no, kind, data, place) ORDER BY place`,
    [
      at,
      notices.map(({ accountNo }) => accountNo),
      contents.map(({ kind }) => kind),
      contents.map(({ data }) => JSON.stringify(data)),
    ],
  );
}

/** Tells of a balance that has come to a worse level than was told last. */
export async function tellIfWorse(
  query: PostgresQuery,
  { no, state, lowBalance, toldLevel }: LockedAccount,
  now: number,
): Promise<void> {
  if (state === "closed" || toldLevel === "gone") return;
  const balance = await balanceNow(query, no, now);
  const level = levelOf(balance, lowBalance);
  if (!isWorse(level, toldLevel)) return;
  await writeNotices(query, now, [{ accountNo: no, content: eventOfLevel(balance, lowBalance) }]);
  await noteLevels(query, [[no, level]]);
}

export function createPostgresNotices({ once, transaction }: PostgresPool) {
  return {
    async setLowBalance(order: Order<"setLowBalance">): Promise<Outcome<"setLowBalance">> {
      checkLowBalance(order);
      const { account, lowBalance, now } = order;
      return transaction("write", async (query) => {
        const locked = await lockAccount(query, account);
        if (locked === null || locked.state === "closed") return { found: false };
        const level = levelOf(await balanceNow(query, locked.no, now), lowBalance);
        const sql = "UPDATE account SET low_balance = $2, told_level = $3 WHERE no = $1";
        await query(sql, [locked.no, lowBalance, level]);
        return { found: true };
      });
    },
    recordExpiries: (order: Order<"recordExpiries">): Promise<Outcome<"recordExpiries">> =>
      transaction("write", async (query) => {
        const sql = "SELECT pg_try_advisory_xact_lock($1) AS mine";
        const [lock] = await query<{ mine: boolean }>(sql, [NOTICE_LOCK]);
        return lock?.mine === true ? noticeDue(query, order) : { noticed: 0, more: false };
      }),
    async deleteEvents({ ids }: Order<"deleteEvents">): Promise<Outcome<"deleteEvents">> {
      const named = ids
        .flatMap((id) => parseEventId(id) ?? [])
        .filter(({ at, no }) => Number.isSafeInteger(at) && Number.isSafeInteger(no));
      if (named.length === 0) return { settled: 0 };
      const gone = await once("write", SETTLE, [
        named.map(({ account }) => account),
        named.map(({ at }) => at),
        named.map(({ no }) => no),
      ]);
      return { settled: gone.length };
    },
  };
}

/** Who settles or closes holds some of them and waits for none: what another one settles is settled. */
const SETTLE = `DELETE FROM notice WHERE no IN (
    SELECT n.no FROM unnest($1::text[], $2::bigint[], $3::bigint[]) t (account, at, no)
    JOIN notice n ON n.no = t.no AND n.at = t.at JOIN account a ON a.no = n.account_no AND a.id = t.account
    FOR UPDATE OF n SKIP LOCKED)
  RETURNING 1`;

/** One node at a time: the lock goes with the transaction. Any number will do, but always the same. */
const NOTICE_LOCK = 7_200_005;

const DUE = `SELECT no, account_no AS "accountNo", id, kind, remaining, expires_at AS "expiresAt"
  FROM credit_grant WHERE look_at <= $1`;
type Due = {
  no: number;
  accountNo: number;
  id: string;
  kind: GrantKind;
  remaining: number;
  expiresAt: number;
};

/** Their accounts are locked first; what changed before they were is seen by the second look. */
async function noticeDue(
  query: PostgresQuery,
  { now, max }: Order<"recordExpiries">,
): Promise<Outcome<"recordExpiries">> {
  const found = await query<Due>(`${DUE} ORDER BY look_at, no LIMIT $2`, [now, max + 1]);
  if (found.length === 0) return { noticed: 0, more: false };
  const numbers = [...new Set(found.map(({ accountNo }) => accountNo))];
  const accounts = await lockAccounts(query, numbers);
  const sql = `${DUE} AND account_no = ANY ($3) ORDER BY look_at, no LIMIT $2`;
  const due = await query<Due>(sql, [now, max, numbers]);

  const balances = await balancesAtEnds(query, due, now);
  const told = new Map(accounts.map((each) => [each.no, each]));
  const notices: Written[] = [];
  const levels: [accountNo: number, level: Level][] = [];
  for (const grant of due) {
    const content = noticeOfEnd(grant, now);
    if (content !== null) notices.push({ accountNo: grant.accountNo, content });
    const known = told.get(grant.accountNo);
    const balance = balances.get(grant.accountNo);
    if (now < grant.expiresAt || known === undefined || balance === undefined) continue;
    const level = levelOf(balance, known.lowBalance);
    if (!isWorse(level, known.toldLevel)) continue;
    const ofLevel = eventOfLevel(balance, known.lowBalance);
    notices.push({ accountNo: known.no, content: ofLevel });
    told.set(known.no, { ...known, toldLevel: level });
    levels.push([known.no, level]);
  }
  await query(
    `UPDATE credit_grant g SET look_at = t.at FROM unnest($1::bigint[], $2::bigint[]) t (no, at) WHERE g.no = t.no`,
    [due.map(({ no }) => no), due.map(({ expiresAt }) => nextEventAt(expiresAt, now))],
  );
  if (notices.length > 0) await writeNotices(query, now, notices);
  if (levels.length > 0) await noteLevels(query, levels);
  return { noticed: notices.length, more: found.length > max };
}

/** Of the accounts of grants that are over. */
async function balancesAtEnds(query: PostgresQuery, due: readonly Due[], now: number) {
  const over = due.filter(({ expiresAt }) => now >= expiresAt);
  if (over.length === 0) return new Map<number, number>();
  const numbers = [...new Set(over.map(({ accountNo }) => accountNo))];
  const sql = "SELECT no, balance_at(no, $2) AS balance FROM unnest($1::bigint[]) t (no)";
  const rows = await query<{ no: number; balance: number }>(sql, [numbers, now]);
  return new Map(rows.map(({ no, balance }) => [no, balance]));
}

function noticeOfEnd({ id, kind, remaining, expiresAt }: Due, now: number): EventContent | null {
  const days = daysAhead(expiresAt, now);
  if (days === null || remaining === 0) return null;
  return { kind: "credits.expiring", days, grant: { id, kind, remaining, expiresAt } };
}
