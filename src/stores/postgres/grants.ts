import { checkGrant, checkWithdrawal } from "#ledger/check-grant.ts";
import { nextEventAt } from "#ledger/events.ts";
import type { Grant, GrantKind, LedgerOperations } from "#ledger/port.ts";
import { lookAtSql, onPlanSql } from "#stores/sql/grant-sql.ts";
import { lockAccount, noteIfBetter } from "./account.ts";
import { tellIfWorse, writeNotices } from "./notices.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";

type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

const GRANT = `id, kind, amount, remaining, granted_at AS "grantedAt", expires_at AS "expiresAt",
  waived_expires_at AS "waivedExpiresAt"`;

/** Grants, what is taken back of them, and what there is of them. */
export function createPostgresGrants({ once, transaction }: PostgresPool) {
  return {
    async grant(order: Order<"grant">): Promise<Outcome<"grant">> {
      checkGrant(order);
      return transaction("write", (query) => grantOnce(query, order));
    },
    async withdraw(order: Order<"withdraw">): Promise<Outcome<"withdraw">> {
      checkWithdrawal(order);
      return transaction("write", (query) => withdraw(query, order));
    },
  };
}

async function grantOnce(query: PostgresQuery, order: Order<"grant">): Promise<Outcome<"grant">> {
  const { account, id, kind, amount, now, expiresAt } = order;
  const locked = await lockAccount(query, account);
  if (locked === null || locked.state === "closed") return { outcome: "no_account" };
  const sql = `SELECT ${GRANT} FROM credit_grant WHERE account_no = $1 AND id = $2`;
  const [earlier] = await query<Grant>(sql, [locked.no, id]);
  if (earlier !== undefined) return { outcome: "already_granted", grant: earlier };
  const values = [locked.no, id, kind, amount, now, expiresAt, nextEventAt(expiresAt, now)];
  const [grant] = (await query<Grant>(MAKE, values)) as [Grant];
  if (kind === "lifetime") await query(WAIVE, [locked.no, now]);
  const told = { id, kind, amount, expiresAt: grant.expiresAt };
  const content = { kind: "credits.granted", grant: told } as const;
  await writeNotices(query, now, [{ accountNo: locked.no, content }]);
  await noteIfBetter(query, locked, now);
  return { outcome: "granted", grant };
}

const MAKE = `INSERT INTO credit_grant
    (account_no, id, kind, amount, remaining, granted_at, expires_at, waived_expires_at, look_at)
  SELECT $1::bigint, $2, $3, $4::bigint, $4, $5::bigint, CASE WHEN NOT plan THEN $6::bigint END,
    CASE WHEN plan THEN $6 END, CASE WHEN NOT plan THEN $7::bigint END
  FROM (SELECT ${onPlanSql("$1")} AS plan) p RETURNING ${GRANT}`;

/** Spent ones too: a credit may come back to them. */
const WAIVE = `UPDATE credit_grant SET waived_expires_at = expires_at, expires_at = NULL, look_at = NULL
  WHERE account_no = $1 AND expires_at > $2`;

type Withdrawn = { no: number; kind: GrantKind; amount: number; withdrawn: number };

async function withdraw(
  query: PostgresQuery,
  { account, grant: id, credits, now }: Order<"withdraw">,
): Promise<Outcome<"withdraw">> {
  const locked = await lockAccount(query, account);
  const find =
    "SELECT no, kind, amount, withdrawn FROM credit_grant WHERE account_no = $1 AND id = $2";
  const [grant] = await query<Withdrawn>(find, [locked?.no ?? null, id]);
  if (locked === null || grant === undefined) return { outcome: "no_grant" };
  const withdrawn = Math.max(grant.withdrawn, Math.min(credits, grant.amount));
  if (withdrawn > grant.withdrawn) {
    const sql = "UPDATE credit_grant SET withdrawn = $2 WHERE no = $1";
    await query(sql, [grant.no, withdrawn]);
  }
  await query(VOID, [grant.no, now]);
  const endsPlan =
    grant.kind === "lifetime" && withdrawn > grant.withdrawn && withdrawn === grant.amount;
  if (endsPlan) await query(GIVE_ENDS_BACK, [locked.no, now, locked.state === "closed"]);
  const [sums] = await query<{ voided: number; spent: number }>(SUMS, [grant.no]);
  await tellIfWorse(query, locked, now);
  return { outcome: "withdrawn", voided: sums?.voided ?? 0, spent: sums?.spent ?? 0 };
}

/** What was withdrawn and is unspent. What has expired stays so. */
const VOID = `UPDATE credit_grant SET remaining = remaining - least(remaining, withdrawn - voided),
    voided = voided + least(remaining, withdrawn - voided), voided_at = coalesce(voided_at, $2)
  WHERE no = $1 AND NOT spent AND withdrawn > voided AND (expires_at IS NULL OR expires_at > $2)`;

const GIVE_ENDS_BACK = `UPDATE credit_grant SET expires_at = waived_expires_at, waived_expires_at = NULL,
    look_at = CASE WHEN NOT $3::boolean THEN ${lookAtSql("waived_expires_at", "$2::bigint")} END
  WHERE account_no = $1 AND waived_expires_at IS NOT NULL AND NOT ${onPlanSql("$1")}`;

const SUMS = "SELECT voided, amount - remaining - voided AS spent FROM credit_grant WHERE no = $1";
