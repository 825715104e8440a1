import { ledgerOver } from "#ledger/ledger-over.ts";
import type { AccountState, Ledger, LedgerOperation, LedgerOperations } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { balanceNow, lockAccount, noteIfBetter } from "./account.ts";
import { createPostgresDebits } from "./debits.ts";
import { createPostgresGrants } from "./grants.ts";
import { createPostgresNotices, writeNotices } from "./notices.ts";
import { createPersist } from "./persist.ts";
import type { PostgresPool } from "./pool.ts";
import { createPostgresReads } from "./reads.ts";
import { createPostgresStandings } from "./standings.ts";
import { createPostgresMaintain, type UpkeepClock } from "./usage.ts";

type Order<Name extends LedgerOperation> = LedgerOperations[Name][0];
type Outcome<Name extends LedgerOperation> = LedgerOperations[Name][1];
type Operations = {
  [Name in LedgerOperation]: (order: Order<Name>) => Promise<Outcome<Name>>;
};

export type PostgresLedger = { ledger: Ledger; waiting(): number; close(): Promise<void> };

/** The ledger of a fleet: any number of nodes share one PostgreSQL. */
export function createPostgresLedger(
  pool: PostgresPool,
  onBatch?: Parameters<typeof createPostgresDebits>[1],
  clock: UpkeepClock = "database",
): PostgresLedger {
  const debits = createPostgresDebits(pool, onBatch);
  const standings = createPostgresStandings(pool);
  const operations: Operations = {
    ...createAccounts(pool),
    ...createKeys(pool),
    ...createPostgresGrants(pool),
    ...createPostgresNotices(pool),
    ...createPostgresReads(pool),
    maintain: createPostgresMaintain(pool, clock),
    keyStatus: standings.submit,
    debit: debits.submit,
    reverse: createReverse(pool),
    probe: createProbe(pool),
  };
  const persist = createPersist();
  const ledger = ledgerOver((name, order) => {
    const operation = operations[name] as (order: unknown) => Promise<unknown>;
    // Their queues see to it that each is answered.
    if (name === "debit" || name === "keyStatus") return operation(order);
    return persist(() => operation(order), {
      // Whoever asks whether it is ready asks again by himself, and soon.
      whereLost: name === "probe" ? "give up" : "again",
      isReading: READING.has(name),
      withinMs: name === "probe" ? PROBE_MS : LONG.has(name) ? null : LEDGER_TIMEOUT_MS,
    });
  });
  const close = async () => void (await Promise.all([debits.close(), standings.close()]));
  return { ledger, waiting: debits.waiting, close };
}

const PROBE_MS = 1_000;
const READING: ReadonlySet<LedgerOperation> = new Set([
  ...(["findAccount", "listKeys", "credits", "usage"] as const),
  ...(["recentCalls", "entries", "listEvents", "audit"] as const),
]);
/** They read or sweep much. */
const LONG: ReadonlySet<LedgerOperation> = new Set(["usage", "audit", "maintain"]);

function createAccounts({ once, transaction }: PostgresPool) {
  const setState = async (state: AccountState, account: string) => {
    const sql = "UPDATE account SET state = $1 WHERE id = $2 AND state <> 'closed' RETURNING 1";
    return { found: (await once("write", sql, [state, account])).length > 0 };
  };
  return {
    async openAccount({ account, freeCall, now }: Order<"openAccount">) {
      // One that is there is locked, so that the answer waits until its opening is safe on the standby too.
      const sql = `INSERT INTO account (id, created_at, free_call) VALUES ($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET free_call = account.free_call WHERE false RETURNING 1`;
      return { opened: (await once("write", sql, [account, now, freeCall])).length > 0 };
    },
    suspendAccount: ({ account }: Order<"suspendAccount">) => setState("suspended", account),
    resumeAccount: ({ account }: Order<"resumeAccount">) => setState("open", account),
    closeAccount: ({ account, now }: Order<"closeAccount">) =>
      transaction("write", async (query) => {
        const locked = await lockAccount(query, account);
        if (locked === null) return { found: false, forfeited: 0 };
        const forfeited = await balanceNow(query, locked.no, now);
        await query(
          `UPDATE credit_grant SET voided = voided + remaining, remaining = 0, voided_at = coalesce(voided_at, $2)
           WHERE account_no = $1 AND NOT spent AND (expires_at IS NULL OR expires_at > $2)`,
          [locked.no, now],
        );
        await query(LOOK_NO_MORE, [locked.no]);
        await query("DELETE FROM notice WHERE account_no = $1", [locked.no]);
        const sql = "UPDATE account SET state = 'closed', told_level = 'gone' WHERE no = $1";
        await query(sql, [locked.no]);
        return { found: true, forfeited };
      }),
  };
}

const LOOK_NO_MORE =
  "UPDATE credit_grant SET look_at = NULL WHERE account_no = $1 AND look_at IS NOT NULL";

function createKeys({ once, transaction }: PostgresPool) {
  return {
    createKey: ({ account, id, sha256, start, label, now }: Order<"createKey">) =>
      transaction<Outcome<"createKey">>("write", async (query) => {
        const locked = await lockAccount(query, account);
        if (locked === null) return { outcome: "no_account" };
        // The same key sent again, because its answer was lost, is there already.
        const sql = "SELECT 1 FROM api_key WHERE id = $1 AND account_no = $2";
        if ((await query(sql, [id, locked.no])).length > 0) return { outcome: "created" };
        if (locked.state === "closed") return { outcome: "no_account" };
        const made = await query(
          `INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING 1`,
          [locked.no, id, sha256, start, label, now],
        );
        if (made.length === 0) return { outcome: "no_account" };
        const content = { kind: "key.created", key: { id, label, start } } as const;
        await writeNotices(query, now, [{ accountNo: locked.no, content }]);
        return { outcome: "created" };
      }),
    async revokeKey({ account, id, now }: Order<"revokeKey">) {
      // Behind the lock of the account: a debit that was decided before it is before it.
      return transaction("write", async (query) => {
        const locked = await lockAccount(query, account);
        if (locked === null) return { found: false };
        const [key] = await query<Named>(NAMED, [id, locked.no]);
        if (key === undefined) return { found: false };
        const { isRevoked, ...named } = key;
        if (isRevoked) return { found: true };
        await query("UPDATE api_key SET revoked_at = $1 WHERE id = $2", [now, id]);
        const content = { kind: "key.revoked", key: named } as const;
        if (locked.state !== "closed")
          await writeNotices(query, now, [{ accountNo: locked.no, content }]);
        return { found: true };
      });
    },
    async relabelKey({ account, id, label }: Order<"relabelKey">) {
      const sql = `UPDATE api_key SET label = $1 WHERE id = $2
        AND account_no = (SELECT no FROM account WHERE id = $3 AND state <> 'closed') RETURNING 1`;
      return { found: (await once("write", sql, [label, id, account])).length > 0 };
    },
  };
}

type Named = { id: string; label: string; start: string; isRevoked: boolean };
const NAMED = `SELECT id, label, start, revoked_at IS NOT NULL AS "isRevoked" FROM api_key
  WHERE id = $1 AND account_no = $2`;

function createReverse({ transaction }: PostgresPool) {
  type Debit = { credits: number; grant_no: number | null; key_no: number; tool: string };
  return ({ account, callId, at, now }: Order<"reverse">) =>
    transaction("write", async (query) => {
      const locked = await lockAccount(query, account);
      if (locked === null) return { reversed: false };
      const [debit] = await query<Debit>(
        `UPDATE debit SET reversed_at = $1
         WHERE account_no = $2 AND at = $3 AND call_id = $4 AND reversed_at IS NULL
         RETURNING credits, grant_no, key_no, tool`,
        [now, locked.no, at, callId],
      );
      if (debit === undefined) {
        await query(NEVER_DEBITED, [locked.no, at, callId, now]);
        return { reversed: false };
      }
      const { credits, grant_no: grantNo, key_no: keyNo, tool } = debit;
      await query(
        `INSERT INTO reversal (account_no, debit_at, call_id, reversed_at, credits, grant_no, key_no, tool)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [locked.no, at, callId, now, credits, grantNo, keyNo, tool],
      );
      if (grantNo === null) {
        await query("UPDATE account SET free_call = 'open' WHERE no = $1", [locked.no]);
      } else {
        await query(GIVE_BACK, [credits, grantNo, now]);
        // A closed account has forfeited what it could spend, and what comes back too.
        if (locked.state === "closed") await query(FORFEIT, [grantNo, now]);
        else await noteIfBetter(query, locked, now);
      }
      // What was given back must not be replayed for nothing.
      await query("DELETE FROM idempotency WHERE account_no = $1 AND call_id = $2", [
        locked.no,
        callId,
      ]);
      return { reversed: true };
    });
}

/** What was withdrawn of the grant while it was spent is voided as it comes back. */
const GIVE_BACK = `UPDATE credit_grant SET remaining = remaining + $1 - least($1, greatest(withdrawn - voided, 0)),
    voided = voided + least($1, greatest(withdrawn - voided, 0)),
    voided_at = CASE WHEN withdrawn > voided THEN coalesce(voided_at, $3) ELSE voided_at END
  WHERE no = $2`;

/** In the place of a debit that may still be on its way: it finds that it was reversed. No key has the number 0. */
const NEVER_DEBITED = `
  INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, grant_no, reversed_at)
  VALUES ($1, $2, $3, 0, '', 0, NULL, $4) ON CONFLICT DO NOTHING`;

const FORFEIT = `UPDATE credit_grant SET voided = voided + remaining, remaining = 0, voided_at = coalesce(voided_at, $2)
  WHERE no = $1 AND (expires_at IS NULL OR expires_at > $2)`;

/**
 * The way of a debit, and a commit that waits for the disk and the standby, but nothing is left of it. No row is shared, so
 * that whoever holds one does not make all nodes unready; a table that is held keeps calls off too.
 */
const PROBE = [
  "SET LOCAL lock_timeout = 500",
  "LOCK TABLE ONLY account IN ROW SHARE MODE",
  "LOCK TABLE ONLY api_key, ONLY credit_grant, ONLY idempotency IN ROW EXCLUSIVE MODE",
  "SAVEPOINT probe",
  "INSERT INTO debit (account_no, at, call_id, key_no, tool, credits) VALUES (0, $1, 'probe', 0, '', 0) ON CONFLICT DO NOTHING",
  "ROLLBACK TO SAVEPOINT probe",
].join(";\n");

function createProbe({ once }: PostgresPool) {
  return async ({ now }: Order<"probe">): Promise<Outcome<"probe">> => {
    await once("write", PROBE, [now]);
    return { ready: true };
  };
}
