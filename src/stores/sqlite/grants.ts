import { checkGrant, checkWithdrawal } from "#ledger/check-grant.ts";
import { nextEventAt } from "#ledger/events.ts";
import type { Grant, GrantKind, LedgerOperations } from "#ledger/port.ts";
import { lookAtSql, onPlanSql } from "#stores/sql/grant-sql.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";
import type { NoticePen } from "./notices.ts";

type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

/** Of the account `a`. */
const ON_PLAN = onPlanSql("a.no");

/** Grants as SQLite statements: how they are made, withdrawn, and freed of their ends by the lifetime plan. */
export function createSqliteGrants(driver: SqlDriver, pen: NoticePen) {
  const findAccount = driver.prepare(
    `SELECT a.no, ${ON_PLAN} AS lifetime FROM account a WHERE a.id = ?`,
  );
  const findOpen = driver.prepare(
    `SELECT a.no, ${ON_PLAN} AS lifetime FROM account a WHERE a.id = ? AND a.state <> 'closed'`,
  );
  const findGrant = driver.prepare("SELECT * FROM credit_grant WHERE account_no = ? AND id = ?");
  const insert = driver.prepare(
    `INSERT INTO credit_grant
       (account_no, id, kind, amount, remaining, granted_at, expires_at, waived_expires_at, look_at)
     VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8)`,
  );
  // Of spent grants too: a credit may come back to them.
  const waiveEnds = driver.prepare(
    `UPDATE credit_grant SET waived_expires_at = expires_at, expires_at = NULL, look_at = NULL
     WHERE account_no = ? AND expires_at > ?`,
  );
  const list = driver.prepare(
    `SELECT * FROM credit_grant WHERE account_no = ?
     ORDER BY (remaining = 0 OR (expires_at IS NOT NULL AND expires_at <= ?)),
       expires_at IS NULL, expires_at, granted_at, no`,
  );
  return {
    withdraw: createWithdraw(driver, pen),
    grant(order: Order<"grant">): Outcome<"grant"> {
      checkGrant(order);
      const { id, kind, amount, now, account } = order;
      const owner = findOpen.get(account);
      if (owner === undefined) return { outcome: "no_account" };
      const accountNo = owner["no"] as number;
      const earlier = findGrant.get(accountNo, id);
      if (earlier !== undefined) return { outcome: "already_granted", grant: readGrant(earlier) };
      const [expiresAt, waivedExpiresAt] =
        owner["lifetime"] === 1 ? [null, order.expiresAt] : [order.expiresAt, null];
      const ends = [expiresAt, waivedExpiresAt, nextEventAt(expiresAt, now)];
      insert.run(accountNo, id, kind, amount, now, ...ends);
      if (kind === "lifetime") waiveEnds.run(accountNo, now);
      const grant = { id, kind, amount, expiresAt };
      pen.write(accountNo, now, { kind: "credits.granted", grant });
      pen.noteBetter(accountNo, now);
      const kept = { remaining: amount, grantedAt: now, waivedExpiresAt };
      return { outcome: "granted", grant: { ...grant, ...kept } };
    },
    credits({ account, now }: Order<"credits">): Outcome<"credits"> {
      const owner = findAccount.get(account);
      if (owner === undefined) return { balance: 0, lifetime: false, grants: [] };
      const grants = list.all(owner["no"] as number, now).map(readGrant);
      let balance = 0;
      for (const { remaining, expiresAt } of grants) {
        if (expiresAt === null || now < expiresAt) balance += remaining;
      }
      return { balance, lifetime: owner["lifetime"] === 1, grants };
    },
  };
}

function createWithdraw(driver: SqlDriver, pen: NoticePen) {
  const find = driver.prepare(
    `SELECT g.* FROM credit_grant g JOIN account a ON a.no = g.account_no
     WHERE a.id = ? AND g.id = ?`,
  );
  const take = driver.prepare(
    `UPDATE credit_grant SET withdrawn = ?2, voided = voided + ?3, remaining = remaining - ?3,
       voided_at = iif(?3 > 0, coalesce(voided_at, ?4), voided_at)
     WHERE no = ?1`,
  );
  const restoreEnds = driver.prepare(
    `UPDATE credit_grant AS g SET expires_at = waived_expires_at, waived_expires_at = NULL,
       look_at = iif(a.state = 'closed', NULL, ${lookAtSql("waived_expires_at", "?2")})
     FROM account a WHERE a.no = ?1 AND g.account_no = a.no AND waived_expires_at IS NOT NULL
       AND NOT ${ON_PLAN}`,
  );
  return (order: Order<"withdraw">): Outcome<"withdraw"> => {
    checkWithdrawal(order);
    const row = find.get(order.account, order.grant);
    if (row === undefined) return { outcome: "no_grant" };
    const { amount, remaining, expiresAt } = readGrant(row);
    const accountNo = row["account_no"] as number;
    const [voided, before] = [row["voided"] as number, row["withdrawn"] as number];
    const withdrawn = Math.max(before, Math.min(order.credits, amount));
    const unspent = expiresAt === null || order.now < expiresAt ? remaining : 0;
    const lost = Math.max(0, Math.min(unspent, withdrawn - voided));
    if (withdrawn > before || lost > 0) take.run(row["no"] as number, withdrawn, lost, order.now);
    const isWhole = before < amount && withdrawn === amount;
    if (isWhole && row["kind"] === "lifetime") restoreEnds.run(accountNo, order.now);
    pen.tellWorse(accountNo, order.now);
    return { outcome: "withdrawn", voided: voided + lost, spent: amount - remaining - voided };
  };
}

const readGrant = (row: SqlRow): Grant => ({
  id: row["id"] as string,
  kind: row["kind"] as GrantKind,
  amount: row["amount"] as number,
  remaining: row["remaining"] as number,
  grantedAt: row["granted_at"] as number,
  expiresAt: row["expires_at"] as number | null,
  waivedExpiresAt: row["waived_expires_at"] as number | null,
});
