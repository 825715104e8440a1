import { type Grant, OrderRejected } from "#ledger/port.ts";
import { GRANTS_PAGE_MAX } from "#limits.ts";
import type { GrantMade, WholeLedger } from "#operator/context.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowOf } from "../stored-row.ts";
import {
  accountNoSql,
  balanceSql,
  EXPIRY_SQL,
  expiringSql,
  frontSql,
  HELD_SQL,
  NEVER,
} from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { lastRows, limitSql, type SqlDatabase, sql, textSql } from "./sql-database.ts";

/**
 * The balance and a page of the grants. Spendable grants are a range of one index. Spent and expired ones have no index of their
 * own, because it would cost every call that uses up a grant. They are filtered from the list by age, a part of it per page, so a
 * page may have few of them, or none.
 */

/** Where a page begins: after a spendable grant by its position in burn order, or after any grant by age. */
type Position = PositionInSpendable | PositionInOver;
type PositionInSpendable = { list: "spendable"; expiry: number; grantedAt: number; no: number };
type PositionInOver = { list: "over"; grantedAt: number; id: string };

const FIRST: PositionInSpendable = { list: "spendable", expiry: 0, grantedAt: 0, no: 0 };
const FIRST_OVER: PositionInOver = { list: "over", grantedAt: Number.MAX_SAFE_INTEGER, id: "" };

const SPENDABLE_CURSOR = /^s\.(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/;
const OVER_CURSOR = /^o\.(\d{1,16})\.(.*)$/s;

function positionOf(after: string | null): Position {
  if (after === null) return FIRST;
  const [, ...numbers] = SPENDABLE_CURSOR.exec(after) ?? [];
  const [expiry, grantedAt, no] = numbers.map(Number);
  if (expiry !== undefined && grantedAt !== undefined && no !== undefined)
    return { list: "spendable", expiry, grantedAt, no };
  const [, at, id] = OVER_CURSOR.exec(after) ?? [];
  if (at !== undefined && id !== undefined) return { list: "over", grantedAt: Number(at), id };
  throw new OrderRejected(INVALID_CURSOR);
}

const INVALID_CURSOR =
  "The cursor of the list of grants is invalid: pass the `next` of the previous page";

const GRANT = rowOf<Grant>(
  "id, kind, amount, remaining, granted_at, expires_at, waived_expires_at",
);
const COLUMNS = textSql(`no, ${GRANT.columns}, spent`);

export const listCredits: LedgerRead<"credits"> = {
  queries({ account, now, after = null, max = GRANTS_PAGE_MAX }) {
    const at = positionOf(after);
    const limit = Math.min(max, GRANTS_PAGE_MAX);
    const accountNo = accountNoSql(account);
    const isFirst = after === null;
    const nextExpiry = frontSql("expires_at", now);
    const sums = sql`SELECT a.lifetime_grants, ${balanceSql(now)} AS balance, ${HELD_SQL} AS held, ${nextExpiry} AS expires_at,
        CASE WHEN ${nextExpiry} IS NOT NULL THEN ${expiringSql(frontSql(EXPIRY_SQL, now), now)} END AS expiring,
        ${isFirst && limit > 0 ? expiringSql(sql`${NEVER}`, now) : sql`0`} AS permanent,
        EXISTS (SELECT 1 FROM credit_grant WHERE account_no = a.no) AS has_grants
      FROM account a WHERE id = ${account}`;
    if (limit === 0) return [sums];
    const over = at.list === "over" ? at : FIRST_OVER;
    const below = sql`(${over.grantedAt}, ${over.id})`;
    const overPart = sql`SELECT ${COLUMNS} FROM credit_grant
      WHERE account_no = ${accountNo} AND (granted_at, id) < ${below}
      ORDER BY granted_at DESC, id DESC ${limitSql(GRANTS_PAGE_MAX)}`;
    if (at.list === "over") return [sums, overPart];
    const spendable = sql`SELECT ${COLUMNS} FROM credit_grant
      WHERE account_no = ${accountNo} AND spent = 0 AND ${textSql(EXPIRY_SQL)} > ${now}
        AND (${textSql(EXPIRY_SQL)}, granted_at, no) > (${at.expiry}, ${at.grantedAt}, ${at.no})
      ORDER BY ${textSql(EXPIRY_SQL)}, granted_at, no ${limitSql(limit + 1)}`;
    return [sums, overPart, spendable];
  },
  outcome([owners = [], overPart, spendable], { now, after = null, max = GRANTS_PAGE_MAX }) {
    const [owner] = owners;
    const expiresAt = owner?.["expires_at"] ?? null;
    const limit = Math.min(max, GRANTS_PAGE_MAX);
    const page = pageOf(overPart ?? [], spendable ?? [], now, limit);
    return {
      balance: Number(owner?.["balance"] ?? 0),
      held: Number(owner?.["held"] ?? 0),
      lifetime: Number(owner?.["lifetime_grants"] ?? 0) > 0,
      nextExpiry:
        expiresAt === null ? null : { credits: Number(owner?.["expiring"]), at: Number(expiresAt) },
      permanent: after === null && limit > 0 ? Number(owner?.["permanent"] ?? 0) : null,
      hasGrants: Boolean(owner?.["has_grants"]),
      ...(limit === 0 ? { grants: [], next: null } : page),
    };
  },
};

const isOver = (row: SqlRow, now: number): boolean => {
  const expiresAt = row["expires_at"] ?? null;
  return row["spent"] === 1 || (expiresAt !== null && (expiresAt as number) <= now);
};

/** Fills a page with spendable grants, and then with spent and expired ones. */
function pageOf(
  overPart: readonly SqlRow[],
  spendable: readonly SqlRow[],
  now: number,
  max: number,
): { grants: Grant[]; next: string | null } {
  if (spendable.length > max) {
    const rows = spendable.slice(0, max);
    const last = rows.at(-1);
    const position = [last?.["expires_at"] ?? NEVER, last?.["granted_at"], last?.["no"]];
    return { grants: rows.map(GRANT.read), next: `s.${position.join(".")}` };
  }
  const rows = [...spendable];
  for (const [index, row] of overPart.entries()) {
    if (!isOver(row, now)) continue;
    if (rows.length === max) {
      const before = overPart[index - 1];
      return { grants: rows.map(GRANT.read), next: overCursor(before) };
    }
    rows.push(row);
  }
  const next = overPart.length < GRANTS_PAGE_MAX ? null : overCursor(overPart.at(-1));
  return { grants: rows.map(GRANT.read), next };
}

/** The page begins after this row of the list by age; undefined: at its start. */
const overCursor = (row: SqlRow | undefined): string =>
  row === undefined ? `o.${Number.MAX_SAFE_INTEGER}.` : `o.${row["granted_at"]}.${row["id"]}`;

const GRANT_MADE = rowOf<GrantMade>("account, id, kind, amount, granted_at, expires_at");

/** Lists all grants of a ledger that stores all accounts in one database, in pages. */
export function createGrantList(db: SqlDatabase): WholeLedger["grants"] {
  return async ({ after, max }) => {
    const rows = await lastRows(
      db,
      sql`SELECT g.no, a.id AS account, g.id, g.kind, g.amount, g.granted_at, g.expires_at
          FROM credit_grant g JOIN account a ON a.no = g.account_no
          WHERE g.no > ${after ?? 0} ORDER BY g.no LIMIT ${max}`,
    );
    const next = rows.length < max ? null : Number(rows.at(-1)?.["no"]);
    return { grants: rows.map(GRANT_MADE.read), next };
  };
}
