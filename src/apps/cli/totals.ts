import { auditPurchases } from "#billing/audit-purchases.ts";
import type { LedgerTotals } from "#ledger/port.ts";
import { everyGrant, usagePages } from "#ledger/read-pages.ts";
import { addTotals, zeroTotals } from "#ledger/reconcile.ts";
import { DAY_MS } from "#limits.ts";
import type { GrantMade } from "#operator/context.ts";
import type { OutcomeOf } from "#operator/operations.ts";
import type { Session } from "./command.ts";
import { createProgress, everyAccount, type IndexedAccount, mapConcurrently } from "./lists.ts";
import { unlessMoving } from "./remote/faults.ts";

/** Totals over all accounts; `totals` is null if the database could not read them. */
export type LedgerAudit = { accounts: number; totals: LedgerTotals | null; faults: string[] };

/** Usage by account, day and tool. `day` is its start. */
type UsageRows = OutcomeOf<"usageOfAccounts">["rows"];

/** Reads all accounts: with one request if they share a ledger, otherwise with a request per account. */
export type WholeLedger = {
  /** Audits the ledger, and the purchases against it. */
  audit(): Promise<LedgerAudit>;
  usage(from: number, to: number): AsyncIterable<UsageRows>;
  grants(): AsyncIterable<readonly GrantMade[]>;
};

export async function openWholeLedger(session: Session): Promise<WholeLedger> {
  const { client, now } = session;
  const { oneLedger } = await client.describe({});
  const ledger = oneLedger ? sharedLedger(session) : separateLedgers(session);
  return {
    ...ledger,
    async audit() {
      const audit = await ledger.audit();
      if (audit.totals === null) return audit;
      const purchases = { listAll: client.listAllPurchases };
      const reads = { ledger: client, grants: ledger.grants };
      const faults = await auditPurchases(purchases, reads, now);
      return { ...audit, faults: [...audit.faults, ...faults] };
    },
  };
}

const GRANTS_PER_PAGE = 1_000;

function sharedLedger({ client, now }: Session): WholeLedger {
  return {
    async audit() {
      const audit = await client.audit({ account: null, now });
      return audit ?? { accounts: 0, totals: zeroTotals(), faults: [] };
    },
    async *usage(from, to) {
      for (let after: IndexedAccount | null = null; ; ) {
        const page: OutcomeOf<"usageOfAccounts"> = await client.usageOfAccounts({
          after,
          from,
          to,
        });
        yield page.rows;
        if (page.next === null) return;
        after = page.next;
      }
    },
    async *grants() {
      for (let after: number | null = null, isOver = false; !isOver; isOver = after === null) {
        const page: OutcomeOf<"listGrants"> = await client.listGrants({
          after,
          max: GRANTS_PER_PAGE,
        });
        yield page.grants;
        after = page.next;
      }
    },
  };
}

function separateLedgers({ client, now, log }: Session): WholeLedger {
  async function audit(): Promise<LedgerAudit> {
    const totals = zeroTotals();
    const faults: string[] = [];
    let accounts = 0;
    const progress = createProgress({ log }, "audited");
    const audits = mapConcurrently(everyAccount(client), ({ account }) =>
      unlessMoving(client.audit({ account, now })),
    );
    for await (const audited of audits) {
      progress.step();
      if ("moving" in audited) {
        faults.push(audited.moving);
        continue;
      }
      const own = audited.result;
      // The account is listed, but its creation was interrupted.
      if (own === null) continue;
      accounts += own.accounts;
      if (own.totals !== null) addTotals(totals, own.totals);
      faults.push(...own.faults);
    }
    return { accounts, totals, faults };
  }

  /** Reads only while the account existed. One more day on both sides allows for clock differences. */
  async function usageOf({ account, createdAt }: IndexedAccount, start: number, end: number) {
    const order = {
      account,
      from: Math.max(start, createdAt - DAY_MS),
      to: Math.min(end, now + DAY_MS),
    };
    const rows: UsageRows = [];
    for await (const hours of usagePages(client, order))
      rows.push(...hours.map(({ hour, ...sums }) => ({ ...sums, day: hour - (hour % DAY_MS) })));
    return rows;
  }

  async function* usage(start: number, end: number) {
    const progress = createProgress({ log }, "read");
    const usages = mapConcurrently(everyAccount(client), (account) =>
      unlessMoving(usageOf(account, start, end)),
    );
    for await (const each of usages) {
      progress.step();
      if ("moving" in each) log(`${each.moving} The report does not include it.`);
      else yield each.result;
    }
  }

  async function* grants() {
    const lists = mapConcurrently(everyAccount(client), async ({ account }) => ({
      account,
      grants: await unlessMoving(everyGrant(client, { account, now })),
    }));
    for await (const { account, grants: own } of lists) {
      // `usage` has logged that the account is missing.
      if ("moving" in own) continue;
      yield own.result.map((grant) => ({ account, ...grant }));
    }
  }

  return { audit, usage, grants };
}
