/**
 * The prices that the operator has set for an account: `account.prices`, a JSON object of credits by tool, null without any. They are in
 * the account's row, because each call reads it.
 */
export const sqlitePrices = "ALTER TABLE account ADD COLUMN prices TEXT;";

/** `load_calls` with the new column. Nodes of the previous version use the old function. */
export const postgresPrices = `
ALTER TABLE account ADD COLUMN prices text;

CREATE FUNCTION load_calls_priced(ids text[], secrets text[], at bigint, grants_max integer, OUT accounts text, OUT calls text)
-- Without sorts, the grants are read in the order of their index. The accounts have no such index, so they are sorted nevertheless.
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET enable_sort = off AS $f$
BEGIN
  SELECT string_agg(x::text, E'\\n') INTO accounts FROM (
    SELECT no, id, created_at, state, free_call, lifetime_grants, low_balance, notified_level, front_grant, rest, prices, summed_until
    FROM account WHERE id = ANY (ids)
    -- Not the bare column: the planner could then read all accounts in the order of its index.
    ORDER BY no + 0 FOR NO KEY UPDATE) x;
  SELECT string_agg(x::text, E'\\n') INTO calls FROM (
    SELECT k.account_no, k.no, k.id, k.sha256, k.last_used_at, k.revoked_at, k.previous_sha256, k.previous_until, k.limits, k.budget_spent, g.*
    FROM api_key k LEFT JOIN LATERAL (
      SELECT no, id, kind, remaining, granted_at, expires_at FROM credit_grant
      WHERE account_no = k.account_no AND spent = 0 AND coalesce(expires_at, 9007199254740991) > at
      ORDER BY coalesce(expires_at, 9007199254740991), granted_at, no LIMIT grants_max) g ON true
    WHERE k.sha256 = ANY (secrets) OR k.previous_sha256 = ANY (secrets)) x;
END $f$;
`;
