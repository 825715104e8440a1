import type { LedgerEvent } from "#ledger/events.ts";

/** Returns the body of an event's webhook, in the format that Standard Webhooks advises. It depends only on the event. */
export const webhookBody = (event: LedgerEvent): string =>
  JSON.stringify({
    type: event.kind,
    timestamp: timeOf(event.at),
    data: { account: event.account, ...dataOf(event) },
  });

/** The body of a test event, which its owner sends from the dashboard. */
export const testBody = (account: string, at: number): string =>
  JSON.stringify({
    type: "test",
    timestamp: timeOf(at),
    data: { account, message: "This is a test event. Your endpoint received it." },
  });

function dataOf(event: LedgerEvent): object {
  switch (event.kind) {
    case "credits.low":
      return { balance: event.balance, lowBalance: event.lowBalance };
    case "credits.depleted":
      return { balance: 0 };
    case "credits.granted": {
      const { id, kind, amount, expiresAt } = event.grant;
      return { grant: { id, kind, amount, expiresAt: timeOf(expiresAt) } };
    }
    case "credits.expiring": {
      const { id, kind, remaining, expiresAt } = event.grant;
      return { days: event.days, grant: { id, kind, remaining, expiresAt: timeOf(expiresAt) } };
    }
    case "key.created":
    case "key.revoked": {
      const { id, label, start } = event.key;
      return { key: { id, label, start } };
    }
  }
}

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
