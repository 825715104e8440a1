import { isWorse, type Level, levelOf } from "#ledger/events.ts";
import {
  type DebitOrder,
  type DebitOutcome,
  type FreeCall,
  type KeyStatus,
  type KeyStatusOrder,
  LAST_USED_STEP_MS,
  OrderRefused,
} from "#ledger/port.ts";
import { CALL_PRICE, IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";
import type { NoticePen } from "./notices.ts";

/**
 * The hot path: standing and debit. Within one transaction the state of a key and of its account's open grants
 * is read once and kept (`Wallet`), and each touched grant is written once, by `flush`. Between transactions it is kept
 * only where nobody else writes (`isAlone`), and only from one debit or standing to the next; elsewhere what another
 * process wrote counts at the next transaction.
 */
type OpenGrant = { no: number; remaining: number; expiresAt: number | null; taken: number };
type Wallet = {
  no: number;
  suspended: boolean;
  freeCall: FreeCall;
  lowBalance: number;
  told: Level;
  grants: OpenGrant[];
};
type KeyState = { no: number; lastUsedAt: number | null; wallet: Wallet } | null;

export type SqliteWallets = ReturnType<typeof createSqliteWallets>;

export function createSqliteWallets(driver: SqlDriver, pen: NoticePen, isAlone = false) {
  const statements = prepareStatements(driver);
  const keys = new Map<string, KeyState>();
  const wallets = new Map<number, Wallet>();

  function findKey(order: { account: string; keySha256: string }): KeyState {
    const name = order.keySha256 + order.account;
    const found = keys.get(name);
    if (found !== undefined) return found;
    const row = statements.findKey.get(order.keySha256, order.account);
    const state = row === undefined ? null : readKey(row);
    // A key that is not there may come later, and strangers could fill a memory with such.
    if (state !== null || !isAlone) keys.set(name, state);
    return state;
  }

  function readKey(row: SqlRow): KeyState {
    if (row["revoked_at"] !== null || row["state"] === "closed") return null;
    const accountNo = row["account_no"] as number;
    let wallet = wallets.get(accountNo);
    if (wallet === undefined) {
      wallet = {
        no: accountNo,
        suspended: row["state"] === "suspended",
        freeCall: row["free_call"] as FreeCall,
        lowBalance: row["low_balance"] as number,
        told: row["told_level"] as Level,
        grants: statements.openGrants.all(accountNo).map((grant) => ({
          no: grant["no"] as number,
          remaining: grant["remaining"] as number,
          expiresAt: grant["expires_at"] as number | null,
          taken: 0,
        })),
      };
      wallets.set(accountNo, wallet);
    }
    return { no: row["no"] as number, lastUsedAt: row["last_used_at"] as number | null, wallet };
  }

  function keyStatus(order: KeyStatusOrder): KeyStatus {
    const key = findKey(order);
    if (key === null) return { outcome: "invalid_key" };
    const balance = balanceOf(key.wallet, order.now);
    if (key.wallet.suspended) return { outcome: "account_suspended", balance };
    return { outcome: "good", balance, freeCall: key.wallet.freeCall === "open" };
  }

  function debit(order: DebitOrder): DebitOutcome {
    const key = findKey(order);
    if (key === null) return sameDebit(order) ?? { outcome: "invalid_key" };
    const { wallet } = key;
    if (wallet.suspended) {
      const balance = balanceOf(wallet, order.now);
      return sameDebit(order) ?? { outcome: "account_suspended", balance };
    }
    const earlier = order.idempotency === null ? undefined : findEarlier(order, wallet);
    if (earlier !== undefined) return sameDebit(order) ?? earlier;

    const free = wallet.freeCall === "open";
    const grant = free ? null : wallet.grants.find((open) => isSpendable(open, order.now));
    if (grant === undefined) {
      return sameDebit(order) ?? { outcome: "insufficient_credits", balance: 0 };
    }
    const credits = free ? 0 : CALL_PRICE;
    const grantNo = grant === null ? null : grant.no;
    const made = statements.insertDebit.run(
      wallet.no,
      order.now,
      order.callId,
      key.no,
      order.tool,
      credits,
      grantNo,
    );
    if (made === 0) return sameDebit(order) as DebitOutcome;

    if (grant === null) {
      wallet.freeCall = "used";
      statements.setFreeCall.run("used", wallet.no);
    } else {
      grant.remaining -= credits;
      grant.taken += credits;
    }
    noteUse(key, order.now);
    keepAnswer(order, wallet);
    const balance = balanceOf(wallet, order.now);
    if (grant !== null) noteCrossing(wallet, balance, order.now);
    return { outcome: "debited", charged: credits, balance };
  }

  /** Most debits cross nothing, and cost nothing here. */
  function noteCrossing(wallet: Wallet, balance: number, now: number): void {
    if (!isWorse(levelOf(balance, wallet.lowBalance), wallet.told)) return;
    wallet.told = pen.tell(wallet.no, balance, wallet.lowBalance, now);
  }

  /** What an earlier call with the same idempotency key means for this one; undefined where there is none. */
  function findEarlier(order: DebitOrder, wallet: Wallet): DebitOutcome | undefined {
    const { key, bodySha256 } = order.idempotency as NonNullable<DebitOrder["idempotency"]>;
    const row = statements.findEarlier.get(wallet.no, order.tool, key);
    if (row === undefined || order.now >= (row["at"] as number) + IDEMPOTENCY_KEPT_MS)
      return undefined;
    const balance = balanceOf(wallet, order.now);
    if (row["body_sha256"] !== bodySha256) return { outcome: "idempotency_key_reused", balance };
    return {
      outcome: "replayed",
      balance,
      replay: {
        answerSha256: row["answer_sha256"] as string,
        receivedAt: row["received_at"] as number,
        random: row["random"] as string | null,
      },
    };
  }

  /**
   * The outcome of this very order where it was carried out before: it was sent again because its answer was lost.
   * Looked for only where the order would be refused, whatever has become of the key since.
   */
  function sameDebit(order: DebitOrder): DebitOutcome | undefined {
    const row = statements.findDebit.get(order.account, order.now, order.callId);
    if (row === undefined) return undefined;
    if (row["reversed_at"] !== null) {
      throw new OrderRefused(`The call ${order.callId} was reversed and cannot be debited again`);
    }
    flush();
    const balance = statements.balance.get(row["account_no"] as number, order.now)?.[
      "balance"
    ] as number;
    return { outcome: "debited", charged: row["credits"] as number, balance };
  }

  function noteUse(key: NonNullable<KeyState>, now: number): void {
    if (key.lastUsedAt !== null && now - key.lastUsedAt < LAST_USED_STEP_MS) return;
    key.lastUsedAt = now;
    statements.noteUse.run(now, key.no);
  }

  function keepAnswer(order: DebitOrder, wallet: Wallet): void {
    const kept = order.idempotency;
    if (kept === null) return;
    statements.keepAnswer.run(
      wallet.no,
      order.tool,
      kept.key,
      order.now,
      order.callId,
      kept.bodySha256,
      kept.answerSha256,
      kept.receivedAt,
      kept.random,
    );
  }

  /** Writes what was taken and forgets what was read, before any other operation. */
  function flush(): void {
    write();
    forget();
  }

  function write(): void {
    for (const wallet of wallets.values()) {
      for (const grant of wallet.grants) {
        if (grant.taken === 0) continue;
        statements.takeFromGrant.run(grant.taken, grant.no);
        grant.taken = 0;
      }
    }
  }

  /** At the end of a transaction. */
  function finish(): void {
    if (isAlone) write();
    else flush();
  }

  /** Forgets what was read without writing: the transaction was rolled back. */
  function forget(): void {
    keys.clear();
    wallets.clear();
  }

  return { keyStatus, debit, flush, finish, forget };
}

const isSpendable = (grant: OpenGrant, now: number) =>
  grant.remaining > 0 && (grant.expiresAt === null || now < grant.expiresAt);

function balanceOf(wallet: Wallet, now: number): number {
  let balance = 0;
  for (const grant of wallet.grants) if (isSpendable(grant, now)) balance += grant.remaining;
  return balance;
}

function prepareStatements(driver: SqlDriver) {
  return {
    findKey: driver.prepare(
      `SELECT k.no, k.last_used_at, k.revoked_at, a.no AS account_no, a.state, a.free_call,
         a.low_balance, a.told_level
       FROM api_key k JOIN account a ON a.no = k.account_no WHERE k.sha256 = ? AND a.id = ?`,
    ),
    openGrants: driver.prepare(
      `SELECT no, remaining, expires_at FROM credit_grant WHERE account_no = ? AND remaining > 0
       ORDER BY expires_at IS NULL, expires_at, granted_at, no`,
    ),
    insertDebit: driver.prepare(
      `INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, grant_no)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    findDebit: driver.prepare(
      `SELECT account_no, credits, reversed_at FROM debit
       WHERE account_no = (SELECT no FROM account WHERE id = ?) AND at = ? AND call_id = ?`,
    ),
    balance: driver.prepare(
      `SELECT coalesce(sum(remaining), 0) AS balance FROM credit_grant
       WHERE account_no = ? AND (expires_at IS NULL OR expires_at > ?)`,
    ),
    takeFromGrant: driver.prepare("UPDATE credit_grant SET remaining = remaining - ? WHERE no = ?"),
    setFreeCall: driver.prepare("UPDATE account SET free_call = ? WHERE no = ?"),
    noteUse: driver.prepare("UPDATE api_key SET last_used_at = ? WHERE no = ?"),
    findEarlier: driver.prepare(
      `SELECT at, body_sha256, answer_sha256, received_at, random FROM idempotency
       WHERE account_no = ? AND tool = ? AND key = ?`,
    ),
    // An expired record that was not swept yet gives way to the new one.
    keepAnswer: driver.prepare(
      `INSERT OR REPLACE INTO idempotency
         (account_no, tool, key, at, call_id, body_sha256, answer_sha256, received_at, random)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}
