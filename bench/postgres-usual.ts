import pg from "pg";
import type { DebitOrder } from "#ledger/port.ts";

/**
 * The usual way to meter calls: each call sends one prepared statement, which takes a credit and writes a row. It has no
 * idempotency keys, account states, free call or multiple grants. It uses Toolbooth's tables, so both ways work on tables of
 * the same size.
 */
const TAKE = `
  WITH k AS (SELECT no, account_no FROM api_key WHERE sha256 = $1 AND revoked_at IS NULL),
  taken AS (
    UPDATE credit_grant g SET remaining = g.remaining - 1 FROM k
    WHERE g.account_no = k.account_no AND g.spent = 0 AND g.remaining > 0
    RETURNING g.no, g.remaining, k.account_no, k.no AS key_no
  ), written AS (
    INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, is_free, grant_no)
    SELECT account_no, $2::bigint, $3, key_no, $4, 1, 0, no FROM taken
  )
  SELECT remaining FROM taken`;

const CONNECTIONS = 16;

export function openUsualWay(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  return {
    async debit({ keySha256, now, callId, tool }: DebitOrder): Promise<void> {
      const values = [keySha256, now, callId, tool];
      const { rows } = await pool.query({ name: "take", text: TAKE, values });
      if (rows.length !== 1) throw new Error("A call was not debited");
    },
    close: () => pool.end(),
  };
}
