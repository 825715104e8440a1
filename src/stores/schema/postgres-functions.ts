import { postgresDebitOne, toldBelow } from "./postgres-debit-one.ts";

/**
 * Debits, many in one statement. `orders` is a JSON array; of an order, by place:
 * 0 account, 1 SHA-256 of the key, 2 call id, 3 tool, 4 now, and where it has an idempotency key: 5 that, 6 SHA-256 of the
 * body, 7 of the answer, 8 receivedAt, 9 random.
 *
 * \`debit_one\` is the rule: it decides one order and writes at once. \`debit_batch\` gives the same outcomes for many: it
 * locks the accounts, reads keys and grants once, decides the plain ones as a set and the others one after the other in
 * memory, and writes each table once. Its plans are the same whatever the tables hold: lookups by index. It gives up
 * (unique_violation, or TB001) where an order may have been carried out before; \`debit_each\` looks for each.
 */
const KEPT_MS = 86_400_000;
const LAST_USED_STEP_MS = 60_000;
/** The end of a grant that has none. */
const NEVER = "9223372036854775807";

export const postgresFunctions = `
${postgresDebitOne}
CREATE OR REPLACE FUNCTION debit_batch(orders jsonb) RETURNS jsonb LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $f$
DECLARE
  -- Of the accounts, by their place among those that were locked. a_sum: all that its open grants hold.
  a_no bigint[];
  a_id text[];
  a_suspended boolean[];
  a_free boolean[];
  a_freed bigint[] := '{}';
  -- The places of an account's first and last open grant, and its balance, which holds while from <= now < until.
  a_first int[];
  a_last int[];
  a_balance bigint[];
  a_sum bigint[];
  a_from bigint[];
  a_until bigint[];
  -- Of a balance below this its owner is told.
  a_below bigint[];
  -- Of the open grants, each account's in the order in which they are spent.
  g_account int[];
  g_no bigint[];
  g_left bigint[];
  g_ends bigint[];
  -- Of the orders.
  o_account int[];
  o_now bigint[];
  o_call text[];
  o_tool text[];
  o_key bigint[];
  o_keyed boolean[];
  o_stale boolean[];
  o_verdict text[];
  o_balance bigint[];
  o_grant bigint[];
  o_replay jsonb[];
  -- What is told of balances.
  t_account bigint[] := '{}';
  t_at bigint[] := '{}';
  t_balance bigint[] := '{}';
  first_now bigint;
  last_now bigint;
  earlier record;
  -- The places of those that are not debited.
  refused int[] := '{}';
  was_made boolean;
  w int;
  g int;
  at_now bigint;
  verdict text;
BEGIN
  SELECT array_agg(no), array_agg(id), array_agg(state = 'suspended'), array_agg(free_call = 'open'),
    array_agg(${toldBelow()})
  INTO a_no, a_id, a_suspended, a_free, a_below
  FROM (
    SELECT no, id, state, free_call, told_level, low_balance FROM account
    WHERE id = ANY (ARRAY(SELECT DISTINCT o->>0 FROM jsonb_array_elements(orders) o)) AND state <> 'closed'
    ORDER BY no FOR NO KEY UPDATE
  ) locked;
  SELECT coalesce(a_no, '{}'), coalesce(a_id, '{}') INTO a_no, a_id;

  SELECT array_agg(l.place ORDER BY t.ord), array_agg((o->>4)::bigint ORDER BY t.ord),
    array_agg(o->>2 ORDER BY t.ord), array_agg(o->>3 ORDER BY t.ord), array_agg(k.no ORDER BY t.ord),
    array_agg(o->>5 IS NOT NULL ORDER BY t.ord),
    array_agg(k.no IS NOT NULL AND (k.last_used_at IS NULL OR (o->>4)::bigint - k.last_used_at >= ${LAST_USED_STEP_MS}) ORDER BY t.ord),
    min((o->>4)::bigint), max((o->>4)::bigint)
  INTO o_account, o_now, o_call, o_tool, o_key, o_keyed, o_stale, first_now, last_now
  FROM jsonb_array_elements(orders) WITH ORDINALITY t(o, ord)
  LEFT JOIN unnest(a_id) WITH ORDINALITY l(id, place) ON l.id = o->>0
  -- LIMIT: looked up order by order, however few keys there are.
  LEFT JOIN LATERAL (
    SELECT no, last_used_at FROM api_key
    WHERE sha256 = o->>1 AND account_no = a_no[l.place] AND revoked_at IS NULL LIMIT 1
  ) k ON true;

  SELECT array_agg(l.place ORDER BY l.place, c.expires_at NULLS LAST, c.granted_at, c.no),
    array_agg(c.no ORDER BY l.place, c.expires_at NULLS LAST, c.granted_at, c.no),
    array_agg(c.remaining ORDER BY l.place, c.expires_at NULLS LAST, c.granted_at, c.no),
    array_agg(coalesce(c.expires_at, ${NEVER}) ORDER BY l.place, c.expires_at NULLS LAST, c.granted_at, c.no)
  INTO g_account, g_no, g_left, g_ends
  FROM unnest(a_no) WITH ORDINALITY l(no, place) JOIN credit_grant c ON c.account_no = l.no AND NOT c.spent
  WHERE c.expires_at IS NULL OR c.expires_at > first_now;

  a_first := array_fill(1, ARRAY[cardinality(a_no)]);
  a_last := array_fill(0, ARRAY[cardinality(a_no)]);
  a_balance := array_fill(0::bigint, ARRAY[cardinality(a_no)]);
  a_sum := a_balance;
  a_from := array_fill(1::bigint, ARRAY[cardinality(a_no)]);
  a_until := array_fill(0::bigint, ARRAY[cardinality(a_no)]);
  FOR g IN 1 .. coalesce(cardinality(g_no), 0) LOOP
    w := g_account[g];
    IF a_last[w] = 0 THEN a_first[w] := g; END IF;
    a_last[w] := g;
    a_sum[w] := a_sum[w] + g_left[g];
  END LOOP;

  -- Most accounts pay all their orders from their first grant, which none of them outlives, and nothing is to be told of
  -- their balance: those are decided at once.
  SELECT array_agg(CASE WHEN d.plain THEN 'debited' END ORDER BY d.ord),
    array_agg(CASE WHEN d.plain THEN a_sum[d.w] - d.nth END ORDER BY d.ord),
    array_agg(CASE WHEN d.plain THEN g_no[a_first[d.w]] END ORDER BY d.ord)
  INTO o_verdict, o_balance, o_grant
  FROM (
    SELECT o.ord, o.w, row_number() OVER (PARTITION BY o.w ORDER BY o.ord) AS nth,
      coalesce(NOT a_suspended[o.w] AND NOT a_free[o.w] AND g_ends[a_first[o.w]] > last_now
        AND count(*) OVER of_account <= g_left[a_first[o.w]] AND a_last[o.w] > 0
        AND a_sum[o.w] - count(*) OVER of_account >= a_below[o.w]
        AND NOT bool_or(o.keyed OR o.key IS NULL) OVER of_account, false) AS plain
    FROM unnest(o_account, o_key, o_keyed) WITH ORDINALITY o(w, key, keyed, ord)
    WINDOW of_account AS (PARTITION BY o.w)
  ) d;
  o_replay := array_fill(NULL::jsonb, ARRAY[cardinality(o_call)]);

  -- The others one after the other.
  FOR i IN 1 .. CASE WHEN array_position(o_verdict, NULL) IS NULL THEN 0 ELSE cardinality(o_call) END LOOP
    CONTINUE WHEN o_verdict[i] IS NOT NULL;
    w := o_account[i];
    at_now := o_now[i];
    verdict := 'debited';
    IF o_key[i] IS NULL THEN verdict := 'invalid_key'; ELSE
      IF at_now < a_from[w] OR at_now >= a_until[w] THEN
        a_balance[w] := 0;
        a_from[w] := 0;
        a_until[w] := ${NEVER};
        FOR g IN a_first[w] .. a_last[w] LOOP
          IF g_ends[g] > at_now THEN
            a_balance[w] := a_balance[w] + g_left[g];
            a_until[w] := least(a_until[w], g_ends[g]);
          ELSE a_from[w] := greatest(a_from[w], g_ends[g]); END IF;
        END LOOP;
      END IF;
      IF a_suspended[w] THEN verdict := 'account_suspended';
      ELSIF o_keyed[i] THEN
        SELECT * INTO earlier FROM idempotency
          WHERE account_no = a_no[w] AND tool = o_tool[i] AND key = orders->(i - 1)->>5;
        IF FOUND AND at_now < earlier.at + ${KEPT_MS} THEN
          IF earlier.body_sha256 <> orders->(i - 1)->>6 THEN verdict := 'idempotency_key_reused';
          ELSE
            verdict := 'replayed';
            o_replay[i] := jsonb_build_object('answerSha256', earlier.answer_sha256,
              'receivedAt', earlier.received_at, 'random', earlier.random);
          END IF;
        END IF;
      END IF;
      IF verdict = 'debited' AND NOT a_free[w] AND a_balance[w] = 0 THEN
        verdict := 'insufficient_credits';
      END IF;
      IF verdict = 'debited' THEN
        IF a_free[w] THEN
          a_free[w] := false;
          a_freed := a_freed || a_no[w];
        ELSE
          WHILE g_left[a_first[w]] = 0 LOOP a_first[w] := a_first[w] + 1; END LOOP;
          g := a_first[w];
          WHILE g_left[g] = 0 OR g_ends[g] <= at_now LOOP g := g + 1; END LOOP;
          g_left[g] := g_left[g] - 1;
          a_balance[w] := a_balance[w] - 1;
          o_grant[i] := g_no[g];
          IF a_balance[w] < a_below[w] THEN
            t_account := t_account || a_no[w];
            t_at := t_at || at_now;
            t_balance := t_balance || a_balance[w];
            a_below[w] := CASE a_balance[w] WHEN 0 THEN 0 ELSE 1 END;
          END IF;
        END IF;
        IF o_keyed[i] THEN PERFORM keep_answer(a_no[w], orders->(i - 1)); END IF;
      END IF;
      o_balance[i] := a_balance[w];
    END IF;
    o_verdict[i] := verdict;
    IF verdict <> 'debited' THEN refused := refused || i; END IF;
  END LOOP;

  IF cardinality(refused) > 0 THEN
    -- Planned with its values: so the days between these times alone are looked at and locked, however many there are.
    EXECUTE 'SELECT true FROM unnest($1) i
        CROSS JOIN LATERAL (SELECT no FROM account WHERE id = $2->(i - 1)->>0 LIMIT 1) a
        CROSS JOIN LATERAL (
          SELECT 1 FROM debit WHERE account_no = a.no AND at = $3[i] AND call_id = $4[i] AND at BETWEEN $5 AND $6 LIMIT 1
        ) d LIMIT 1'
      INTO was_made USING refused, orders, o_now, o_call, first_now, last_now;
    IF was_made THEN RAISE EXCEPTION 'carried out before' USING ERRCODE = 'TB001'; END IF;
  END IF;

  INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, grant_no)
  SELECT a_no[o.w], o.at, o.call, o.key, o.tool, CASE WHEN o.grant_no IS NULL THEN 0 ELSE 1 END, o.grant_no
  FROM unnest(o_account, o_now, o_call, o_key, o_tool, o_grant, o_verdict) o(w, at, call, key, tool, grant_no, verdict)
  WHERE o.verdict = 'debited';
  UPDATE credit_grant c SET remaining = c.remaining - t.taken
  FROM (SELECT no, count(*) AS taken FROM unnest(o_grant) no WHERE no IS NOT NULL GROUP BY no) t WHERE c.no = t.no;
  IF cardinality(a_freed) > 0 THEN UPDATE account SET free_call = 'used' WHERE no = ANY (a_freed); END IF;
  IF cardinality(t_account) > 0 THEN PERFORM tell_of_balances(t_account, t_at, t_balance); END IF;
  IF true = ANY (o_stale) AND last_now - first_now >= ${LAST_USED_STEP_MS} THEN
    -- So far apart, the last use that an order leaves behind decides about the next one's.
    FOR i IN 1 .. cardinality(o_call) LOOP
      CONTINUE WHEN o_verdict[i] <> 'debited';
      UPDATE api_key SET last_used_at = o_now[i]
      WHERE no = o_key[i] AND (last_used_at IS NULL OR o_now[i] - last_used_at >= ${LAST_USED_STEP_MS});
    END LOOP;
  ELSIF true = ANY (o_stale) THEN
    UPDATE api_key k SET last_used_at = u.at FROM (
      SELECT DISTINCT ON (o.key) o.key, o.at
      FROM unnest(o_key, o_now, o_verdict, o_stale) WITH ORDINALITY o(key, at, verdict, stale, ord)
      WHERE o.verdict = 'debited' AND o.stale ORDER BY o.key, o.ord
    ) u WHERE k.no = u.key;
  END IF;
  RETURN (
    SELECT jsonb_agg(jsonb_build_object('o', o.verdict, 'b', o.balance,
      'c', CASE WHEN o.grant_no IS NULL THEN 0 ELSE 1 END, 'r', o.replay) ORDER BY o.ord)
    FROM unnest(o_verdict, o_balance, o_grant, o_replay) WITH ORDINALITY o(verdict, balance, grant_no, replay, ord)
  );
END $f$;
`;
