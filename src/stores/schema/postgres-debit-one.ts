/** One debit, and what both ways of debiting need. */
const KEPT_MS = 86_400_000;
const LAST_USED_STEP_MS = 60_000;

/** Of a balance below this its owner is to be told: it is at a worse level than was told last (credits/notices.ts). */
export const toldBelow = (row = "") =>
  `(CASE ${row}told_level WHEN 'enough' THEN greatest(${row}low_balance, 1) WHEN 'low' THEN 1 ELSE 0 END)`;

/** Of an outcome as JSON: `o` its name, `c` what was charged, `b` the balance, `r` what a replay needs. */
export const postgresDebitOne = `
CREATE OR REPLACE FUNCTION debit_one(ord jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
DECLARE
  at_now bigint := (ord->>4)::bigint;
  acc record;
  key_row record;
  earlier record;
  same record;
  open_grant bigint;
  verdict text;
  is_new boolean := false;
  replay jsonb;
  left_over bigint;
BEGIN
  SELECT * INTO acc FROM account WHERE id = ord->>0 FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN '{"o":"invalid_key"}'; END IF;
  SELECT no, last_used_at INTO key_row FROM api_key
    WHERE sha256 = ord->>1 AND account_no = acc.no AND revoked_at IS NULL;
  IF NOT FOUND OR acc.state = 'closed' THEN verdict := 'invalid_key';
  ELSIF acc.state = 'suspended' THEN verdict := 'account_suspended';
  ELSIF ord->>5 IS NOT NULL THEN
    SELECT * INTO earlier FROM idempotency WHERE account_no = acc.no AND tool = ord->>3 AND key = ord->>5;
    IF FOUND AND at_now < earlier.at + ${KEPT_MS} THEN
      IF earlier.body_sha256 <> ord->>6 THEN verdict := 'idempotency_key_reused';
      ELSE
        verdict := 'replayed';
        replay := jsonb_build_object('answerSha256', earlier.answer_sha256,
          'receivedAt', earlier.received_at, 'random', earlier.random);
      END IF;
    END IF;
  END IF;
  IF verdict IS NULL AND acc.free_call <> 'open' THEN
    SELECT no INTO open_grant FROM credit_grant
      WHERE account_no = acc.no AND NOT spent AND (expires_at IS NULL OR expires_at > at_now)
      ORDER BY expires_at NULLS LAST, granted_at, no LIMIT 1;
    IF open_grant IS NULL THEN verdict := 'insufficient_credits'; END IF;
  END IF;
  IF verdict IS NULL THEN
    INSERT INTO debit VALUES (acc.no, at_now, ord->>2, key_row.no, ord->>3,
      CASE WHEN open_grant IS NULL THEN 0 ELSE 1 END, open_grant) ON CONFLICT DO NOTHING;
    is_new := FOUND;
  END IF;
  IF NOT is_new THEN
    -- Planned with its values: so this day alone is looked at and locked, however many there are.
    EXECUTE 'SELECT credits, reversed_at FROM debit WHERE account_no = $1 AND at = $2 AND call_id = $3'
      INTO same USING acc.no, at_now, ord->>2;
    IF same.reversed_at IS NOT NULL THEN RETURN '{"o":"reversed"}'; END IF;
    IF same.credits IS NOT NULL THEN
      RETURN jsonb_build_object('o', 'debited', 'c', same.credits, 'b', balance_at(acc.no, at_now));
    END IF;
    RETURN jsonb_build_object('o', verdict, 'b', balance_at(acc.no, at_now), 'r', replay);
  END IF;
  IF open_grant IS NULL THEN UPDATE account SET free_call = 'used' WHERE no = acc.no;
  ELSE UPDATE credit_grant SET remaining = remaining - 1 WHERE no = open_grant; END IF;
  IF key_row.last_used_at IS NULL OR at_now - key_row.last_used_at >= ${LAST_USED_STEP_MS} THEN
    UPDATE api_key SET last_used_at = at_now WHERE no = key_row.no;
  END IF;
  IF ord->>5 IS NOT NULL THEN PERFORM keep_answer(acc.no, ord); END IF;
  left_over := balance_at(acc.no, at_now);
  IF acc.free_call <> 'open' AND left_over < ${toldBelow("acc.")} THEN
    PERFORM tell_of_balances(ARRAY[acc.no], ARRAY[at_now], ARRAY[left_over]);
  END IF;
  RETURN jsonb_build_object('o', 'debited', 'c', CASE acc.free_call WHEN 'open' THEN 0 ELSE 1 END, 'b', left_over);
END $f$;

CREATE OR REPLACE FUNCTION debit_each(orders jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
DECLARE
  outcomes jsonb := '[]';
  ord jsonb;
BEGIN
  PERFORM 1 FROM account WHERE id IN (SELECT o->>0 FROM jsonb_array_elements(orders) o)
    ORDER BY no FOR NO KEY UPDATE;
  FOR ord IN SELECT * FROM jsonb_array_elements(orders) LOOP
    outcomes := outcomes || jsonb_build_array(debit_one(ord));
  END LOOP;
  RETURN outcomes;
END $f$;

CREATE OR REPLACE FUNCTION balance_at(of_account bigint, at_now bigint) RETURNS bigint LANGUAGE sql STABLE AS $f$
  SELECT coalesce(sum(remaining), 0)::bigint FROM credit_grant
  WHERE account_no = of_account AND NOT spent AND (expires_at IS NULL OR expires_at > at_now)
$f$;

-- Of each account once at the most for each level, in their order.
CREATE OR REPLACE FUNCTION tell_of_balances(accounts bigint[], times bigint[], balances bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $f$
BEGIN
  INSERT INTO notice (account_no, at, kind, data)
  SELECT a.no, t.at, CASE t.balance WHEN 0 THEN 'credits.depleted' ELSE 'credits.low' END,
    CASE t.balance WHEN 0 THEN '{}' ELSE jsonb_build_object('balance', t.balance, 'lowBalance', a.low_balance) END
  FROM unnest(accounts, times, balances) WITH ORDINALITY t(no, at, balance, place) JOIN account a ON a.no = t.no
  ORDER BY t.place;
  UPDATE account a SET told_level = CASE t.least WHEN 0 THEN 'gone' ELSE 'low' END
  FROM (SELECT no, min(balance) AS least FROM unnest(accounts, balances) u(no, balance) GROUP BY no) t WHERE a.no = t.no;
END $f$;

-- An expired record that was not swept yet gives way to the new one.
CREATE OR REPLACE FUNCTION keep_answer(of_account bigint, ord jsonb) RETURNS void LANGUAGE sql AS $f$
  INSERT INTO idempotency VALUES (of_account, ord->>3, ord->>5, (ord->>4)::bigint, ord->>2, ord->>6,
    ord->>7, (ord->>8)::bigint, ord->>9)
  ON CONFLICT (account_no, tool, key) DO UPDATE SET at = excluded.at, call_id = excluded.call_id,
    body_sha256 = excluded.body_sha256, answer_sha256 = excluded.answer_sha256,
    received_at = excluded.received_at, random = excluded.random
$f$;
`;
