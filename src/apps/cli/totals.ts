import { auditPurchases } from "#billing/audit-purchases.ts";
import type { LedgerTotals } from "#ledger/port.ts";
import { addTotals, zeroTotals } from "#ledger/totals.ts";
import { DAY_MS } from "#limits.ts";
import type { GrantMade } from "#operator/context.ts";
import type { OutcomeOf } from "#operator/operations.ts";
import type { Session } from "./define-command.ts";
import { everyAccount, type IndexedAccount } from "./lists.ts";
import { eachAtOnce } from "./parallel.ts";
import { createProgress } from "./progress.ts";
import { unlessMoved } from "./remote/faults.ts";

/** What every account's ledger says together; `books` is null where the database could not read them. */
export type Totals = { accounts: number; totals: LedgerTotals | null; faults: string[] };

type UsageRows = OutcomeOf<"usage">;

/** One question where one ledger holds every account, else a question an account, put together here. */
export type WholeLedger = {
  /** Of the ledger, and of what was sold against it. */
  audit(): Promise<Totals>;
  usage(from: number, to: number): AsyncIterable<UsageRows>;
  grants(): AsyncIterable<readonly GrantMade[]>;
};

export async function openWholeLedger(session: Session): Promise<WholeLedger> {
  const { client, now } = session;
  const { oneLedger } = await client.describe({});
  const asked = oneLedger ? ofOneLedger(session) : ofEachLedger(session);
  return {
    ...asked,
    async audit() {
      const totals = await asked.audit();
      if (totals.totals === null) return totals;
      const ledger = { ledger: client, grants: asked.grants };
      const purchases = { listAll: client.listAllPurchases };
      const faults = await auditPurchases(purchases, ledger, now);
      return { ...totals, faults: [...totals.faults, ...faults] };
    },
  };
}

const DAYS_AT_ONCE_MS = 31 * DAY_MS;
const GRANTS_AT_ONCE = 1_000;

function ofOneLedger({ client, now }: Session): WholeLedger {
  return {
    async audit() {
      const audit = await client.audit({ account: null, now });
      return audit ?? { accounts: 0, totals: zeroTotals(), faults: [] };
    },
    /** A month at a time, so that a report on years needs no more memory. */
    async *usage(start, end) {
      for (let from = start; from < end; from += DAYS_AT_ONCE_MS)
        yield client.usage({ account: null, from, to: Math.min(end, from + DAYS_AT_ONCE_MS) });
    },
    async *grants() {
      for (let after: number | null = null, isOver = false; !isOver; isOver = after === null) {
        const page: OutcomeOf<"listGrants"> = await client.listGrants({
          after,
          max: GRANTS_AT_ONCE,
        });
        yield page.grants;
        after = page.next;
      }
    },
  };
}

function ofEachLedger({ client, now, note }: Session): WholeLedger {
  async function audit(): Promise<Totals> {
    const ledgerTotals = zeroTotals();
    const faults: string[] = [];
    let accounts = 0;
    const progress = createProgress({ note }, "audited");
    const audits = eachAtOnce(everyAccount(client), ({ account }) =>
      unlessMoved(client.audit({ account, now })),
    );
    for await (const asked of audits) {
      progress.step();
      if ("moved" in asked) {
        faults.push(asked.moved);
        continue;
      }
      const own = asked.result;
      // Listed, but never opened: its making broke off.
      if (own === null) continue;
      accounts += own.accounts;
      if (own.totals !== null) addTotals(ledgerTotals, own.totals);
      faults.push(...own.faults);
    }
    return { accounts, totals: ledgerTotals, faults };
  }

  /** A month in a question, and only what lies in the account's life: a day more on both sides, for clocks differ. */
  async function usageOf({ account, createdAt }: IndexedAccount, start: number, end: number) {
    const rows: UsageRows = [];
    const last = Math.min(end, now + DAY_MS);
    for (let from = Math.max(start, createdAt - DAY_MS); from < last; from += DAYS_AT_ONCE_MS) {
      const to = Math.min(last, from + DAYS_AT_ONCE_MS);
      rows.push(...(await client.usage({ account, from, to })));
    }
    return rows;
  }

  async function* usage(start: number, end: number) {
    const progress = createProgress({ note }, "summed up");
    const asked = eachAtOnce(everyAccount(client), (one) => unlessMoved(usageOf(one, start, end)));
    for await (const each of asked) {
      progress.step();
      if ("moved" in each) note(`${each.moved} It is left out.`);
      else yield each.result;
    }
  }

  async function* grants() {
    const asked = eachAtOnce(everyAccount(client), async ({ account }) => ({
      account,
      credits: await unlessMoved(client.credits({ account, now })),
    }));
    for await (const { account, credits } of asked) {
      // That it is left out was told with what was used.
      if ("moved" in credits) continue;
      yield credits.result.grants.map((grant) => ({ account, ...grant }));
    }
  }

  return { audit, usage, grants };
}
