import type { LedgerEvent } from "#ledger/events.ts";

/** The body of a webhook: the form that Standard Webhooks advises. The same for a notice whenever it is written. */
export const noticeBody = (notice: LedgerEvent): string =>
  JSON.stringify({
    type: notice.kind,
    timestamp: timeOf(notice.at),
    data: { account: notice.account, ...dataOf(notice) },
  });

function dataOf(notice: LedgerEvent): object {
  switch (notice.kind) {
    case "credits.low":
      return { balance: notice.balance, lowBalance: notice.lowBalance };
    case "credits.depleted":
      return { balance: 0 };
    case "credits.granted": {
      const { id, kind, amount, expiresAt } = notice.grant;
      return { grant: { id, kind, amount, expiresAt: timeOf(expiresAt) } };
    }
    case "credits.expiring": {
      const { id, kind, remaining, expiresAt } = notice.grant;
      return { days: notice.days, grant: { id, kind, remaining, expiresAt: timeOf(expiresAt) } };
    }
    case "key.created":
    case "key.revoked": {
      const { id, label, start } = notice.key;
      return { key: { id, label, start } };
    }
  }
}

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
