import { checkGrant } from "#credits/check-grant.ts";
import type {
  AccountState,
  FreeCall,
  Grant,
  GrantKind,
  Key,
  LedgerOperations,
  SyncLedger,
} from "#credits/ledger.ts";
import { createSqliteAudit } from "./sqlite-audit.ts";
import type { SqlDriver, SqlRow, SqlValue } from "./sqlite-driver.ts";
import { createSqliteEntries } from "./sqlite-entries.ts";
import { createSqliteUsage } from "./sqlite-usage.ts";
import { createSqliteWallets } from "./sqlite-wallet.ts";

type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

/**
 * The ledger's operations as SQLite statements, to be called inside a transaction of the driver.
 * Before the transaction ends, `finish` must be called; when it was rolled back, `forget`.
 */
export type SqliteLedger = SyncLedger & { finish(): void; forget(): void };

/** `isAlone`: nobody else writes to the database, so that what was read may be kept between transactions. */
export function createSqliteLedger(driver: SqlDriver, isAlone = false): SqliteLedger {
  const wallets = createSqliteWallets(driver, isAlone);
  const accounts = createAccounts(driver);
  const grants = createGrants(driver);
  const rest = {
    ...accounts,
    ...createKeys(driver),
    ...grants,
    ...createSqliteUsage(driver),
    ...createSqliteEntries(driver),
    ...createSqliteAudit(driver),
    reverse: createReverse(driver),
    probe: createProbe(driver),
  };
  const ledger: Record<string, unknown> = { ...wallets };
  // Whatever is not a debit reads what debits have written so far, and may change what they have read.
  for (const [name, operation] of Object.entries(rest)) {
    ledger[name] = (order: never) => {
      wallets.flush();
      return operation(order);
    };
  }
  return ledger as SqliteLedger;
}

function createAccounts(driver: SqlDriver) {
  const insert = driver.prepare(
    "INSERT INTO account (id, created_at, free_call) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const setState = driver.prepare(
    "UPDATE account SET state = ? WHERE id = ? AND state <> 'closed'",
  );
  const find = driver.prepare(
    `SELECT a.state, a.created_at, a.free_call, (
       SELECT coalesce(sum(remaining), 0) FROM credit_grant
       WHERE account_no = a.no AND (expires_at IS NULL OR expires_at > ?)
     ) AS balance FROM account a WHERE a.id = ?`,
  );
  const voidGrants = driver.prepare(
    `UPDATE credit_grant SET voided = voided + remaining, remaining = 0, voided_at = coalesce(voided_at, ?2)
     WHERE account_no = (SELECT no FROM account WHERE id = ?1)
       AND remaining > 0 AND (expires_at IS NULL OR expires_at > ?2)`,
  );
  function findAccount(order: Order<"findAccount">): Outcome<"findAccount"> {
    const row = find.get(order.now, order.account);
    if (row === undefined) return null;
    return {
      account: order.account,
      state: row["state"] as AccountState,
      createdAt: row["created_at"] as number,
      freeCall: row["free_call"] as FreeCall,
      balance: row["balance"] as number,
    };
  }
  return {
    findAccount,
    openAccount: (order: Order<"openAccount">): Outcome<"openAccount"> => ({
      opened: insert.run(order.account, order.now, order.freeCall) > 0,
    }),
    suspendAccount: (order: Order<"suspendAccount">) => ({
      found: setState.run("suspended", order.account) > 0,
    }),
    resumeAccount: (order: Order<"resumeAccount">) => ({
      found: setState.run("open", order.account) > 0,
    }),
    closeAccount(order: Order<"closeAccount">): Outcome<"closeAccount"> {
      const account = findAccount(order);
      if (account === null) return { found: false, forfeited: 0 };
      voidGrants.run(order.account, order.now);
      setState.run("closed", order.account);
      return { found: true, forfeited: account.balance };
    },
  };
}

function createKeys(driver: SqlDriver) {
  const insert = driver.prepare(
    `INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
     SELECT no, ?, ?, ?, ?, ? FROM account WHERE id = ? AND state <> 'closed' ON CONFLICT DO NOTHING`,
  );
  const find = driver.prepare(
    "SELECT 1 AS found FROM api_key k JOIN account a ON a.no = k.account_no WHERE k.id = ? AND a.id = ?",
  );
  const revoke = driver.prepare(
    "UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
  );
  const relabel = driver.prepare(
    `UPDATE api_key SET label = ? WHERE id = ?
       AND account_no = (SELECT no FROM account WHERE id = ? AND state <> 'closed')`,
  );
  const list = driver.prepare(
    `SELECT k.* FROM api_key k JOIN account a ON a.no = k.account_no WHERE a.id = ?
     ORDER BY k.created_at, k.no`,
  );
  return {
    createKey(order: Order<"createKey">): Outcome<"createKey"> {
      const { id, sha256, start, label, now, account } = order;
      const created = insert.run(id, sha256, start, label, now, account) > 0;
      // The same key sent again, because its answer was lost, is there already.
      return { outcome: created || find.get(id, account) ? "created" : "no_account" };
    },
    revokeKey(order: Order<"revokeKey">): Outcome<"revokeKey"> {
      if (find.get(order.id, order.account) === undefined) return { found: false };
      revoke.run(order.now, order.id);
      return { found: true };
    },
    relabelKey: (order: Order<"relabelKey">): Outcome<"relabelKey"> => ({
      found: relabel.run(order.label, order.id, order.account) > 0,
    }),
    listKeys: (order: Order<"listKeys">): Key[] =>
      list.all(order.account).map((row) => ({
        id: row["id"] as string,
        account: order.account,
        sha256: row["sha256"] as string,
        start: row["start"] as string,
        label: row["label"] as string,
        createdAt: row["created_at"] as number,
        lastUsedAt: row["last_used_at"] as number | null,
        revokedAt: row["revoked_at"] as number | null,
      })),
  };
}

function createGrants(driver: SqlDriver) {
  const find = driver.prepare(
    `SELECT g.* FROM credit_grant g JOIN account a ON a.no = g.account_no
     WHERE a.id = ? AND g.id = ? AND a.state <> 'closed'`,
  );
  const insert = driver.prepare(
    `INSERT INTO credit_grant (account_no, id, kind, amount, remaining, granted_at, expires_at)
     SELECT no, ?, ?, ?, ?, ?, ? FROM account WHERE id = ? AND state <> 'closed'`,
  );
  const list = driver.prepare(
    `SELECT g.* FROM credit_grant g JOIN account a ON a.no = g.account_no WHERE a.id = ?
     ORDER BY (g.remaining = 0 OR (g.expires_at IS NOT NULL AND g.expires_at <= ?)),
       g.expires_at IS NULL, g.expires_at, g.granted_at, g.no`,
  );
  return {
    grant(order: Order<"grant">): Outcome<"grant"> {
      checkGrant(order);
      const earlier = find.get(order.account, order.id);
      if (earlier !== undefined) return { outcome: "already_granted", grant: readGrant(earlier) };
      const { id, kind, amount, now, expiresAt, account } = order;
      if (insert.run(id, kind, amount, amount, now, expiresAt, account) === 0) {
        return { outcome: "no_account" };
      }
      const grant = { id, kind, amount, remaining: amount, grantedAt: now, expiresAt };
      return { outcome: "granted", grant };
    },
    credits(order: Order<"credits">): Outcome<"credits"> {
      const grants = list.all(order.account, order.now).map(readGrant);
      let balance = 0;
      for (const { remaining, expiresAt } of grants) {
        if (expiresAt === null || order.now < expiresAt) balance += remaining;
      }
      return { balance, grants };
    },
  };
}

const readGrant = (row: SqlRow): Grant => ({
  id: row["id"] as string,
  kind: row["kind"] as GrantKind,
  amount: row["amount"] as number,
  remaining: row["remaining"] as number,
  grantedAt: row["granted_at"] as number,
  expiresAt: row["expires_at"] as number | null,
});

function createReverse(driver: SqlDriver) {
  const mark = driver.prepare(
    `UPDATE debit SET reversed_at = ? WHERE account_no = (SELECT no FROM account WHERE id = ?)
       AND at = ? AND call_id = ? AND reversed_at IS NULL
     RETURNING account_no, credits, grant_no, key_no, tool`,
  );
  // In the place of a debit that may still be on its way: it finds that it was reversed. No key has the number 0.
  const markNeverDebited = driver.prepare(
    `INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, reversed_at)
     SELECT no, ?, ?, 0, '', 0, ? FROM account WHERE id = ? ON CONFLICT DO NOTHING`,
  );
  const note = driver.prepare(
    `INSERT INTO reversal (account_no, debit_at, call_id, reversed_at, credits, grant_no, key_no, tool)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const giveBack = driver.prepare("UPDATE credit_grant SET remaining = remaining + ? WHERE no = ?");
  // A closed account has forfeited what it could spend, and what comes back too.
  const forfeit = driver.prepare(
    `UPDATE credit_grant SET voided = voided + remaining, remaining = 0, voided_at = coalesce(voided_at, ?2)
     WHERE no = ?1 AND (expires_at IS NULL OR expires_at > ?2)
       AND (SELECT state FROM account a WHERE a.no = account_no) = 'closed'`,
  );
  const freeAgain = driver.prepare("UPDATE account SET free_call = 'open' WHERE no = ?");
  const forgetAnswer = driver.prepare(
    "DELETE FROM idempotency WHERE account_no = ? AND call_id = ?",
  );
  return (order: Order<"reverse">): Outcome<"reverse"> => {
    const row = mark.get(order.now, order.account, order.at, order.callId);
    if (row === undefined) {
      markNeverDebited.run(order.at, order.callId, order.now, order.account);
      return { reversed: false };
    }
    const accountNo = row["account_no"] as number;
    const call = ["credits", "grant_no", "key_no", "tool"].map((column) => row[column] as SqlValue);
    note.run(accountNo, order.at, order.callId, order.now, ...call);
    if (row["grant_no"] === null) freeAgain.run(accountNo);
    else {
      giveBack.run(row["credits"] as number, row["grant_no"] as number);
      forfeit.run(row["grant_no"] as number, order.now);
    }
    // What was given back must not be replayed for nothing.
    forgetAnswer.run(accountNo, order.callId);
    return { reversed: true };
  };
}

function createProbe(driver: SqlDriver) {
  const write = driver.prepare(
    "INSERT INTO setting (name, value) VALUES ('probed_at', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  return (order: Order<"probe">): Outcome<"probe"> => {
    write.run(String(order.now));
    return { ready: true };
  };
}
