import { type Ledger, type LedgerOperation, NotCarriedOut, type Outcome } from "#ledger/port.ts";
import type { RuleName, RuleOrders } from "#ledger/rules/rules.ts";
import {
  isReadName,
  ledgerOver,
  type SumUsage,
  UNSUMMED_FROM,
  withSummedUsage,
} from "../ledger/store-ledger.ts";
import { createPostgresCalls, createPostgresKeyStatus } from "./calls.ts";
import { createPostgresReads } from "./database.ts";
import type { NodeClock } from "./database-clock.ts";
import { decideTogether } from "./decide-together.ts";
import { codeOf, isLocked, UNIQUE_VIOLATION } from "./faults.ts";
import { createExpireHolds, createPostgresMaintain } from "./maintain.ts";
import { createPersist } from "./persist.ts";
import type { PostgresPool } from "./pool.ts";
import { createPostgresSumUsage } from "./usage-sums.ts";

export type PostgresLedger = { ledger: Ledger; waiting(): number; close(): Promise<void> };

/** Creates the ledger of a fleet: any number of nodes share one PostgreSQL database. */
export function createPostgresLedger(
  pool: PostgresPool,
  onBatch?: Parameters<typeof createPostgresCalls>[2],
  clock: NodeClock = "database",
): PostgresLedger {
  const sumUsage = createPostgresSumUsage(pool);
  const unsummed = createUnsummed(sumUsage);
  const debits = createPostgresCalls(pool, "debit", onBatch, clock, unsummed.count);
  const holds = createPostgresCalls(pool, "hold", onBatch, clock);
  const settlements = createPostgresCalls(pool, "settle", onBatch, clock, unsummed.count);
  const keyStatuses = createPostgresKeyStatus(pool, clock);
  const operations: Ledger = {
    ...createRuled(pool),
    ...createPostgresReads(pool),
    maintain: createPostgresMaintain(pool, clock),
    keyStatus: keyStatuses.submit,
    debit: debits.submit,
    hold: holds.submit,
    settle: settlements.submit,
    expireHolds: createExpireHolds(pool),
    probe: createProbe(pool),
  };
  const persist = createPersist(pool, { maySendAgain: true });
  const ledger = ledgerOver((name, order) => {
    const operation = operations[name] as (order: unknown) => Promise<unknown>;
    // Their queues handle retries and timeouts.
    if (QUEUED.has(name)) return operation(order);
    const kind = { isReading: isReadName(name), isLong: LONG.has(name) };
    return persist(() => operation(order), kind);
  });
  const close = async () => {
    const queues = [debits, holds, settlements, keyStatuses, unsummed];
    await Promise.all(queues.map((queue) => queue.close()));
  };
  const waiting = () => debits.waiting() + holds.waiting() + settlements.waiting();
  return { ledger: withSummedUsage(ledger, sumUsage), waiting, close };
}

const QUEUED: ReadonlySet<LedgerOperation> = new Set(["debit", "hold", "settle", "keyStatus"]);

/** These operations read or delete many rows. */
const LONG: ReadonlySet<LedgerOperation> = new Set(["audit", "maintain"]);

/** Counts the orders of this node that may debit, by account, and sums those of an account that makes many. */
function createUnsummed(sumUsage: SumUsage) {
  const counts = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function sum(account: string): Promise<void> {
    while (!isClosed && (await sumUsage({ account })).more);
  }

  return {
    count(account: string): void {
      const count = (counts.get(account) ?? 0) + 1;
      if (count < UNSUMMED_FROM) counts.set(account, count);
      else {
        counts.delete(account);
        // What fails here is done by the upkeep, or before the usage is read.
        last = last.then(() => sum(account)).catch(() => {});
      }
      if (counts.size > COUNTED_ACCOUNTS_MAX) counts.clear();
    },
    async close(): Promise<void> {
      isClosed = true;
      await last;
    },
  };
}

const COUNTED_ACCOUNTS_MAX = 100_000;

/** The operations that a rule decides and that are not batched. */
function createRuled({ roundTrips }: PostgresPool) {
  const ruled =
    <Name extends RuleName>(name: Name) =>
    (order: RuleOrders[Name][0]): Promise<RuleOrders[Name][1]> => {
      const decide = async () => {
        const decided = roundTrips("write", (send) => decideTogether(send, name, [order]));
        const [outcome] = (await decided) as [RuleOrders[Name][1] | Error];
        if (outcome instanceof Error) throw outcome;
        return outcome;
      };
      // A concurrent order may create a row with the same id. The second attempt then finds it.
      return decide().catch((error) => {
        if (codeOf(error) === UNIQUE_VIOLATION) return decide();
        throw error;
      });
    };
  return {
    openAccount: ruled("openAccount"),
    changeAccount: ruled("changeAccount"),
    createKey: ruled("createKey"),
    revokeKey: ruled("revokeKey"),
    changeKey: ruled("changeKey"),
    rotateKey: ruled("rotateKey"),
    grant: ruled("grant"),
    clawback: ruled("clawback"),
    reverse: ruled("reverse"),
    release: ruled("release"),
    renew: ruled("renew"),
  };
}

/**
 * A probe does what a batch of debits does: two round trips with the same time limits, and a commit that waits for the disk and the
 * standby. It leaves nothing behind. It locks no row of an account, so that a transaction that holds one does not make all nodes
 * unready. A locked table does, because it blocks calls too.
 */
const PROBE_LOCKS = [
  "LOCK TABLE ONLY account IN ROW SHARE MODE",
  "LOCK TABLE ONLY api_key, ONLY credit_grant, ONLY idempotency IN ROW EXCLUSIVE MODE",
];
/**
 * Debits need new pages now and then, which a full disk has not, even where the row of a probe still fits into an old one. A table that
 * gets a page with each probe would grow, or its catalog entry if it is truncated. So the probe has the server write a temporary file of
 * about 100 kB in the database's own tablespace, which it deletes at the end of the statement.
 */
const PROBE_SPACE = [
  "SET LOCAL work_mem = 64",
  "SET LOCAL temp_tablespaces = ''",
  "SELECT count(*) FROM generate_series(1, 8000)",
];
/**
 * The time is in the default partition, which is nearly empty, so that the server vacuums it after a few of these rows. Among a day's
 * debits they would stay for long.
 */
const PROBE_DEBIT = [
  "SAVEPOINT probe",
  "INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, is_free) VALUES (0, 0, 'probe', 0, '', 0, 0) ON CONFLICT DO NOTHING",
  "ROLLBACK TO SAVEPOINT probe",
];

function createProbe({ roundTrips }: PostgresPool) {
  return async (): Promise<Outcome<"probe">> => {
    await roundTrips("batch", async (send) => {
      await send({ statements: PROBE_LOCKS });
      await send({ statements: [...PROBE_SPACE, ...PROBE_DEBIT], isLast: true });
    }).catch((error) => {
      // Not again: a table that is locked for this long blocks calls.
      throw isLocked(error) ? new NotCarriedOut("A table is locked", { cause: error }) : error;
    });
    return { ready: true };
  };
}
