/**
 * Functions that load and save the rows of a batch of calls. They decide nothing: that is for the rules. PostgreSQL keeps their plans
 * on each connection, also behind a pooler, whereas it plans a statement in a message anew, which costs more than its execution.
 *
 * Plans are kept while the tables grow, so the settings leave only those that look rows up by their keys. This text is a migration:
 * a change of the columns needs another one, with functions of new names.
 */
const LOOKS_UP = `LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_mergejoin = off`;

/** As text, by `packed` of stores/postgres/packed-rows.ts. */
export const postgresCalls = `
-- Locks the accounts in the order that postgres-ledger.ts requires, and then loads the keys, each with the first grants of its account. The
-- second statement sees what other transactions committed while the first one waited for a lock. The column account.prices comes with a later migration.
CREATE FUNCTION load_calls(ids text[], secrets text[], at bigint, grants_max integer, OUT accounts text, OUT calls text)
-- Without sorts, the grants are read in the order of their index. The accounts have no such index, so they are sorted nevertheless.
${LOOKS_UP} SET enable_hashjoin = off SET enable_sort = off AS $f$
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

CREATE FUNCTION save_calls(key_nos bigint[], used_at bigint[], budgets_spent text[], grant_nos bigint[], remainders bigint[]) RETURNS void
-- Rows are looked up by the array. A join alone may read the whole table, once for all rows of the array or once for each.
${LOOKS_UP} SET enable_nestloop = off AS $f$
BEGIN
  IF cardinality(key_nos) > 0 THEN
    UPDATE api_key k SET last_used_at = t.used_at, budget_spent = t.budget_spent
    FROM unnest(key_nos, used_at, budgets_spent) t (no, used_at, budget_spent) WHERE k.no = t.no AND k.no = ANY (key_nos);
  END IF;
  IF cardinality(grant_nos) > 0 THEN
    UPDATE credit_grant g SET remaining = t.remaining, spent = (t.remaining = 0)::int
    FROM unnest(grant_nos, remainders) t (no, remaining) WHERE g.no = t.no AND g.no = ANY (grant_nos);
  END IF;
END $f$;
`;
