/** The fixture of the billing tests: a ledger and purchases in memory, and the fake Stripe behind the real SDK. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createBilling } from "#billing/billing.ts";
import type { BillingDeps } from "#billing/billing-deps.ts";
import { readPriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import { createStripeProvider, type StripeOptions } from "#billing/stripe.ts";
import type { Ledger } from "#ledger/port.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { accountId, createFixture as ledgerFixture } from "../contract/ledger/fixture.ts";
import { type FakeStripe, fakeOptions, startFakeStripe } from "../stripe/fake-stripe.ts";
import type { Message } from "../stripe/messages.ts";
import { openMemoryStore } from "../support/memory-ledger.ts";
import { openMemorySqlite } from "../support/memory-sqlite.ts";

/** A whole second, because Stripe counts in seconds. */
export const START = Date.UTC(2026, 0, 31, 10);
export const ADA = accountId("Ada");

const PRICES = {
  currency: "eur",
  packs: [
    { id: "small", name: "Small", credits: 100, price: "5.00", months: 1 },
    { id: "large", name: "Large", credits: 1000, price: "30.00" },
  ],
  lifetime: { name: "Lifetime", credits: 500, price: "199.00" },
};

export function pricesOf(more: object = {}) {
  const { prices, problems } = readPriceList(JSON.stringify({ ...PRICES, ...more }));
  assert.deepEqual(problems, []);
  assert.ok(prices);
  return prices;
}

export type BillingFixture = Awaited<ReturnType<typeof openFixture>>;

/** Shared by all fixtures: some share a fake, which knows a purchase by its id. */
let ids = 0;

type Wrap = {
  /** Billing that breaks, beside the fixture's own. */
  deps?: (deps: BillingDeps) => BillingDeps;
  prices?: object;
  stripe?: Partial<StripeOptions>;
  fake?: FakeStripe;
};

export async function openFixture(
  t: TestContext,
  { deps: wrap, prices: more, stripe, fake: given }: Wrap = {},
) {
  const clock = { at: START };
  const now = () => clock.at;
  const fake = given ?? (await startFakeStripe({ now }));
  if (given === undefined) t.after(() => fake.close());
  const driver = openMemorySqlite();
  t.after(() => driver.close());
  const purchases: PurchaseStore = createPurchaseStore(createSqliteDatabase(driver));
  const store = openMemoryStore();
  const ledger: Ledger = store.ledger;
  const provider = createStripeProvider(fakeOptions({ api: fake.api, now, ...stripe }));
  const newId = (prefix: string) => {
    ids += 1;
    return `${prefix}_test${ids}`;
  };
  const deps: BillingDeps = { provider, purchases, ledger, prices: pricesOf(more), now, newId };
  const billing = createBilling(wrap?.(deps) ?? deps);
  const fixture = ledgerFixture(store);
  await fixture.account("Ada");

  const begin = (offer = "small", account = ADA) =>
    billing.begin({
      ...{ account, offer, email: "ada@example.org" },
      urlsOf: (purchase) => ({
        successUrl: `https://toolbooth.test/credits?purchase=${purchase}`,
        cancelUrl: `https://toolbooth.test/credits?cancelled=${purchase}`,
      }),
    });
  /** Begins a purchase; returns its id and the session of its page. */
  const buy = async (offer?: string, account?: string) => {
    const begun = await begin(offer, account);
    assert.equal(begun.outcome, "begun");
    assert.ok("purchase" in begun && begun.purchase.session !== null);
    return { id: begun.purchase.id, session: begun.purchase.session };
  };
  const receive = (message: Message) => billing.receive(message.body, fake.signatureOf(message));
  /** Delivers the webhooks that Stripe has sent since. */
  const receiveAll = async (messages = fake.take()): Promise<string[]> => {
    const outcomes: string[] = [];
    for (const message of messages) outcomes.push((await receive(message)).outcome);
    return outcomes;
  };
  const purchase = async (id: string) => {
    const found = await purchases.find({ id });
    assert.ok(found);
    return found;
  };
  const spend = async (count: number, account = ADA) => {
    for (let no = 0; no < count; no += 1) {
      assert.equal((await fixture.debit(account, { now: clock.at })).outcome, "debited");
    }
  };
  /** The account's grants as `amount/remaining`, keyed by their ids without the payment's id. */
  const grants = async (account = ADA) => {
    const { grants: all } = await ledger.credits({ account, now: clock.at });
    return Object.fromEntries(
      all.map(({ id, amount, remaining }) => [
        id.replace(/^stripe:pi_[0-9a-f]+/, "grant"),
        `${amount}/${remaining}`,
      ]),
    );
  };
  const audit = async () => {
    const { ok, faults } = await ledger.audit({ now: clock.at });
    assert.deepEqual({ ok, faults }, { ok: true, faults: [] });
  };
  t.after(audit);
  return {
    ...{ fake, clock, deps, billing, purchases, ledger, begin, buy, receive, receiveAll, purchase },
    ...{ spend, grants, audit, balance: () => fixture.balance(ADA, clock.at), accounts: fixture },
  };
}
