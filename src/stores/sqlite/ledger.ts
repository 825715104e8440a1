import type { AccountState, FreeCall, Key, LedgerOperations, SyncLedger } from "#ledger/port.ts";
import { onPlanSql } from "#stores/sql/grant-sql.ts";
import { createSqliteAudit } from "./audit.ts";
import type { SqlDriver, SqlValue } from "./driver.ts";
import { createSqliteEntries } from "./entries.ts";
import { createSqliteGrants } from "./grants.ts";
import { createSqliteNoticePen, createSqliteNotices, type NoticePen } from "./notices.ts";
import { createSqliteUsage } from "./usage.ts";
import { createSqliteWallets } from "./wallet.ts";

type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

/**
 * The ledger's operations as SQLite statements, to be called inside a transaction of the driver.
 * Before the transaction ends, `finish` must be called; when it was rolled back, `forget`.
 */
export type SqliteLedger = SyncLedger & { finish(): void; forget(): void };

export type SqliteLedgerOptions = {
  /** Nobody else writes to the database, so that what was read may be kept between transactions. */
  isAlone?: boolean;
  /** Told of each notice that is written. */
  onNotice?: () => void;
};

export function createSqliteLedger(
  driver: SqlDriver,
  { isAlone = false, onNotice }: SqliteLedgerOptions = {},
): SqliteLedger {
  const pen = createSqliteNoticePen(driver, onNotice);
  const wallets = createSqliteWallets(driver, pen, isAlone);
  const rest = {
    ...createAccounts(driver),
    ...createKeys(driver, pen),
    ...createSqliteGrants(driver, pen),
    ...createSqliteNotices(driver, pen),
    ...createSqliteUsage(driver),
    ...createSqliteEntries(driver),
    ...createSqliteAudit(driver),
    reverse: createReverse(driver, pen),
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
    `SELECT a.state, a.created_at, a.free_call, a.low_balance, ${onPlanSql("a.no")} AS lifetime, (
       SELECT coalesce(sum(remaining), 0) FROM credit_grant
       WHERE account_no = a.no AND (expires_at IS NULL OR expires_at > ?)
     ) AS balance FROM account a WHERE a.id = ?`,
  );
  const voidGrants = driver.prepare(
    `UPDATE credit_grant SET voided = voided + remaining, remaining = 0, voided_at = coalesce(voided_at, ?2)
     WHERE account_no = (SELECT no FROM account WHERE id = ?1)
       AND remaining > 0 AND (expires_at IS NULL OR expires_at > ?2)`,
  );
  // Nothing more is told, and nothing more is looked for.
  const silence = [
    "UPDATE credit_grant SET look_at = NULL WHERE account_no = (SELECT no FROM account WHERE id = ?) AND look_at IS NOT NULL",
    "DELETE FROM notice WHERE account_no = (SELECT no FROM account WHERE id = ?)",
    "UPDATE account SET told_level = 'gone' WHERE id = ?",
  ].map((sql) => driver.prepare(sql));
  function findAccount(order: Order<"findAccount">): Outcome<"findAccount"> {
    const row = find.get(order.now, order.account);
    if (row === undefined) return null;
    return {
      account: order.account,
      state: row["state"] as AccountState,
      createdAt: row["created_at"] as number,
      freeCall: row["free_call"] as FreeCall,
      balance: row["balance"] as number,
      lifetime: row["lifetime"] === 1,
      lowBalance: row["low_balance"] as number,
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
      for (const statement of silence) statement.run(order.account);
      return { found: true, forfeited: account.balance };
    },
  };
}

function createKeys(driver: SqlDriver, pen: NoticePen) {
  const insert = driver.prepare(
    `INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
     SELECT no, ?, ?, ?, ?, ? FROM account WHERE id = ? AND state <> 'closed' ON CONFLICT DO NOTHING`,
  );
  const find = driver.prepare(
    `SELECT a.no, a.state, k.label, k.start, k.revoked_at
     FROM api_key k JOIN account a ON a.no = k.account_no WHERE k.id = ? AND a.id = ?`,
  );
  const revoke = driver.prepare("UPDATE api_key SET revoked_at = ? WHERE id = ?");
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
      const found = find.get(id, account);
      if (created) {
        const key = { id, label, start };
        pen.write(found?.["no"] as number, now, { kind: "key.created", key });
      }
      // The same key sent again, because its answer was lost, is there already.
      return { outcome: found === undefined ? "no_account" : "created" };
    },
    revokeKey({ id, account, now }: Order<"revokeKey">): Outcome<"revokeKey"> {
      const found = find.get(id, account);
      if (found === undefined) return { found: false };
      if (found["revoked_at"] !== null) return { found: true };
      revoke.run(now, id);
      if (found["state"] === "closed") return { found: true };
      const key = { id, label: found["label"] as string, start: found["start"] as string };
      pen.write(found["no"] as number, now, { kind: "key.revoked", key });
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

function createReverse(driver: SqlDriver, pen: NoticePen) {
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
  // What was withdrawn of it and was spent then.
  const takeBack = driver.prepare(
    `UPDATE credit_grant SET voided = voided + min(?1, withdrawn - voided),
       remaining = remaining - min(?1, withdrawn - voided), voided_at = coalesce(voided_at, ?3)
     WHERE no = ?2 AND withdrawn > voided`,
  );
  // A closed account has forfeited what it could spend, and what comes back too.
  const forfeit = driver.prepare(
    `UPDATE credit_grant SET voided = voided + remaining, remaining = 0, voided_at = coalesce(voided_at, ?2)
     WHERE no = ?1 AND remaining > 0 AND (expires_at IS NULL OR expires_at > ?2)
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
      const [credits, grantNo] = [row["credits"] as number, row["grant_no"] as number];
      giveBack.run(credits, grantNo);
      takeBack.run(credits, grantNo, order.now);
      forfeit.run(grantNo, order.now);
      pen.noteBetter(accountNo, order.now);
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
