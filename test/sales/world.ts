/** A run's world: a ledger that the model checks, the dashboard's stores in SQLite, a payment provider, and a clock that jumps. */
import assert from "node:assert/strict";
import type { Billing } from "#billing/billing.ts";
import { createBilling } from "#billing/billing.ts";
import type { BillingDeps } from "#billing/billing-deps.ts";
import type { Offer, PriceList } from "#billing/price-list.ts";
import { emailSealer } from "#email/email-queue.ts";
import { dispatchEvents } from "#events/dispatch-events.ts";
import { createNotificationEmails } from "#events/notification-emails.ts";
import { accountId } from "../contract/ledger/fixture.ts";
import { type Break, Broken, breaking } from "../support/breaking.ts";
import { openMemorySqlite } from "../support/memory-sqlite.ts";
import { openDashboardStoreOver } from "../support/sqlite-stores.ts";
import { judgedLedger, judgedStore, type OpenedLedger, type Seen } from "./judged.ts";
import { createModel } from "./model.ts";
import { createTill } from "./till.ts";

/** Two years from here include a leap day. */
export const START = Date.UTC(2027, 0, 31, 10);
export const END = Date.UTC(2029, 0, 31, 10);

const pack = (id: string, credits: number, price: number, months: number | null): Offer => ({
  ...{ id, kind: "pack", name: id, credits, price, currency: "eur", months },
});
const PRICES: PriceList = {
  packs: [pack("small", 30, 500, 1), pack("odd", 7, 333, 3), pack("large", 90, 3000, 12)],
  lifetime: { ...pack("lifetime", 60, 19_900, null), kind: "lifetime" },
  ...{ taxes: "none", contact: null, recommended: null },
};

export type World = Awaited<ReturnType<typeof openWorld>>;
export type User = {
  id: string;
  email: string;
  endpoints: number;
  emails: { low: boolean; expiring: boolean };
};

export async function openWorld(opened: OpenedLedger, random: () => number) {
  const clock = { at: START };
  const driver = openMemorySqlite();
  const store = openDashboardStoreOver(driver);
  const model = createModel();
  const seen: Seen = { handled: new Set(), emails: [], webhooks: [] };
  const users: User[] = [];
  const ledger = judgedLedger(opened, model, seen);
  const till = createTill(() => clock.at);
  const wishes = (account: string) => {
    const found = users.find(({ id }) => id === account);
    assert.ok(found);
    return found;
  };
  const eventStore = judgedStore(store.events, { seen, wishes, model });
  let ids = 0;
  const newId = (prefix: string) => {
    ids += 1;
    return `${prefix}_${ids}`;
  };
  /** The callers that settle purchases; those with an error break in the middle. */
  const billing = (fault: Break | null): Billing => {
    const deps: BillingDeps = {
      ledger: breaking(ledger, fault),
      purchases: breaking(store.purchases, fault),
      provider: { ...breaking(till.provider, fault), list: till.provider.list },
      ...{ prices: PRICES, now: () => clock.at, newId },
    };
    return createBilling(deps);
  };
  const loggedErrors: unknown[] = [];
  const carrier = (fault: Break | null) => () =>
    dispatchEvents({
      source: breaking(ledger.ledgerEvents, fault),
      eventStore: breaking(eventStore, fault),
      ledger: breaking(ledger, fault),
      directory: store.directory,
      emails: createNotificationEmails({
        sender: { publicUrl: "https://toolbooth.test", name: "Toolbooth" },
        secrets: ["secret"],
        sales: { payable: true, contact: null },
      }),
      sealer: emailSealer(["secret"]),
      transportKind: "smtp",
      failed: new Set<string>(),
      now: () => clock.at,
      random: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)),
      logError: (message, { cause }) => {
        if (!(cause instanceof Broken)) loggedErrors.push(cause ?? message);
      },
    });
  return {
    ...{ clock, model, seen, users, ledger, till, store, billing, carrier, newId, loggedErrors },
    prices: PRICES,
    audit: (now: number) => opened.ledger.audit({ now }),
    async close() {
      driver.close();
      await opened.close();
    },
  };
}

/** With one webhook endpoint, or none. */
export async function signUp(world: World, name: string, endpoints: number): Promise<User> {
  const { clock, ledger, store, users } = world;
  const [id, now] = [accountId(name), clock.at];
  const user = {
    ...{ id, email: `${name}@example.org`, endpoints },
    emails: { low: true, expiring: true },
  };
  users.push(user);
  await ledger.openAccount({ account: id, freeCall: "open", now });
  await store.directory.register({ email: user.email, account: id, createdAt: now });
  const kinds = ["credits.low", "credits.depleted", "credits.granted"] as const;
  const others = ["credits.expiring", "key.created", "key.revoked"] as const;
  for (let no = 0; no < endpoints; no += 1) {
    const endpoint = { id: `whk_${name}${no}`, account: id, url: "https://shop.test/" };
    await store.events.addEndpoint({
      endpoint: {
        ...{ ...endpoint, secret: "whsec_c2VjcmV0", kinds: [...kinds, ...others] },
        ...{
          createdAt: now,
          pausedAt: null,
          pausedBy: null,
          previousSecret: null,
          previousUntil: null,
        },
      },
    });
  }
  return user;
}

/** What must agree after every step. */
export async function compare({ clock, model, ledger, audit, users, loggedErrors }: World) {
  assert.deepEqual(loggedErrors, []);
  const order = (account: string) => ({ account, now: clock.at });
  for (const { id } of users) {
    await ledger.credits(order(id));
    await ledger.findAccount(order(id));
  }
  const { ok, faults, totals } = await audit(clock.at);
  assert.deepEqual(
    { ok, faults, totals },
    { ok: true, faults: [], totals: model.totals(clock.at) },
  );
  const { granted, debited, reversed, remaining, expired, voided } = totals;
  assert.equal(granted, debited - reversed + remaining + expired + voided);
}
