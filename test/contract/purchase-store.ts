/** Contract of the purchase store, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Purchase, PurchaseStore } from "#billing/purchase-store.ts";

export type OpenPurchaseStore = (t: TestContext) => Promise<PurchaseStore>;

const START = Date.UTC(2026, 10, 21, 12);
const MIDNIGHT = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

type Rule = (title: string, check: (purchases: PurchaseStore) => Promise<void>) => void;

export function purchaseStoreContract(name: string, open: OpenPurchaseStore): void {
  const rule: Rule = (title, check) => {
    test(title, async (t) => check(await open(t)));
  };
  describe(`the purchase store, ${name}`, () => {
    describeRows(rule);
    describeLists(rule);
    describeRevenue(rule);
  });
}

export const purchaseOf = (id: string, more: Partial<Purchase> = {}): Purchase => ({
  id,
  account: "acc_ada",
  createdAt: START,
  offer: { id: "small", kind: "pack", name: "Small", credits: 1000, months: 12 },
  price: 500,
  currency: "eur",
  session: null,
  payment: null,
  status: "open",
  paidAt: null,
  paid: 0,
  refunded: 0,
  refundedAt: null,
  dispute: "none",
  payUrl: null,
  receiptUrl: null,
  invoiceUrl: null,
  grant: null,
  voided: 0,
  spent: 0,
  trouble: null,
  updatedAt: START,
  ...more,
});

/** The purchase with every mutable member changed. */
const written = (id: string): Purchase =>
  purchaseOf(id, {
    session: `cs_${id}`,
    payment: `pi_${id}`,
    status: "paid",
    paidAt: START + 1,
    paid: 595,
    refunded: 95,
    refundedAt: START + 2,
    dispute: "open",
    payUrl: "https://pay.test/?a=b&c='d'",
    receiptUrl: "https://pay.test/receipt",
    invoiceUrl: "https://pay.test/invoice",
    grant: `stripe:pi_${id}`,
    voided: 900,
    spent: 100,
    trouble: "account_closed",
    updatedAt: START + 3,
  });

function describeRows(rule: Rule) {
  rule("a purchase is stored once, and adding it again changes nothing", async (purchases) => {
    const first = purchaseOf("pur_1");
    assert.deepEqual(await purchases.add(first), { added: true });
    assert.deepEqual(await purchases.add({ ...first, account: "acc_bob", price: 1 }), {
      added: false,
    });
    assert.deepEqual(await purchases.find({ id: "pur_1" }), first);
  });

  rule("a purchase without expiry and with any name is read back unchanged", async (purchases) => {
    const offer = {
      ...({ id: "lifetime", kind: "lifetime", months: null } as const),
      name: "Für immer? 'Ja' \"(∞)\" \\ $1",
      credits: 1_000_000_000_000,
    };
    const lifetime = purchaseOf("pur_1", { offer, price: 99_999_999, currency: "jpy" });
    await purchases.add(lifetime);
    assert.deepEqual(await purchases.find({ id: "pur_1" }), lifetime);
    await purchases.add(written("pur_2"));
    assert.deepEqual(await purchases.find({ id: "pur_2" }), written("pur_2"));
  });

  rule(
    "a purchase is found by its session and by its payment; an unknown one is not found",
    async (purchases) => {
      await purchases.add(purchaseOf("pur_1", { session: "cs_1", payment: "pi_1" }));
      await purchases.add(purchaseOf("pur_2"));
      assert.equal((await purchases.find({ session: "cs_1" }))?.id, "pur_1");
      assert.equal((await purchases.find({ payment: "pi_1" }))?.id, "pur_1");
      for (const unknown of [
        { id: "cs_1" },
        { session: "pi_1" },
        { payment: "pur_1" },
        { id: "" },
      ]) {
        assert.equal(await purchases.find(unknown), null);
      }
    },
  );

  rule("an update writes the purchase, but never who bought what", async (purchases) => {
    await purchases.add(purchaseOf("pur_1"));
    await purchases.add(purchaseOf("pur_2"));
    const other = { ...written("pur_1"), account: "acc_bob", price: 1, createdAt: START + 9 };
    assert.deepEqual(await purchases.update({ purchase: other, seen: START }), { updated: true });
    assert.deepEqual(await purchases.find({ id: "pur_1" }), written("pur_1"));
    assert.deepEqual(await purchases.find({ id: "pur_2" }), purchaseOf("pur_2"));
  });

  rule("of two concurrent updates of the same version one succeeds", async (purchases) => {
    await purchases.add(purchaseOf("pur_1"));
    const write = (paid: number) =>
      purchases.update({
        purchase: purchaseOf("pur_1", { paid, updatedAt: START + paid }),
        seen: START,
      });
    const outcomes = await Promise.all([1, 2, 3, 4].map(write));
    assert.equal(outcomes.filter(({ updated }) => updated).length, 1);
    const kept = await purchases.find({ id: "pur_1" });
    assert.equal(outcomes[(kept?.paid ?? 0) - 1]?.updated, true);
    assert.deepEqual(await purchases.update({ purchase: written("pur_9"), seen: START }), {
      updated: false,
    });
  });
}

function describeLists(rule: Rule) {
  rule("an account's purchases are listed newest first, page by page", async (purchases) => {
    // Two of each moment, ordered by id.
    for (let no = 0; no < 7; no += 1) {
      await purchases.add(purchaseOf(`pur_${no}`, { createdAt: START + Math.floor(no / 2) }));
    }
    await purchases.add(purchaseOf("pur_9", { account: "acc_bob", createdAt: START + 1 }));
    const seen: string[] = [];
    for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
      const page = await purchases.list({ account: "acc_ada", after, max: 3 });
      seen.push(...page.map(({ id }) => id));
      if (page.length < 3) break;
    }
    assert.deepEqual(
      seen,
      [6, 5, 4, 3, 2, 1, 0].map((no) => `pur_${no}`),
    );
  });

  rule(
    "a page after another account's purchase, or after an unknown one, is empty",
    async (purchases) => {
      await purchases.add(purchaseOf("pur_1"));
      await purchases.add(purchaseOf("pur_2", { account: "acc_bob", createdAt: START + 1 }));
      for (const after of ["pur_2", "pur_3", "", "' OR 1 = 1 --"]) {
        assert.deepEqual(await purchases.list({ account: "acc_ada", after, max: 9 }), []);
      }
    },
  );

  rule(
    "purchases of a kind that may still be granted are listed, newest first",
    async (purchases) => {
      const offer = { ...purchaseOf("").offer, id: "lifetime", kind: "lifetime" } as const;
      const rows: [string, Partial<Purchase>][] = [
        ["pur_open", { session: "cs_1" }],
        ["pur_unopened", {}],
        ["pur_pending", { session: "cs_2", status: "pending" }],
        ["pur_paid", { session: "cs_3", status: "paid", paid: 500 }],
        ["pur_granted", { session: "cs_4", status: "paid", paid: 500, grant: "stripe:pi_4" }],
        ["pur_back", { session: "cs_5", status: "paid", paid: 500, refunded: 500 }],
        ["pur_closed", { session: "cs_6", status: "paid", paid: 500, trouble: "account_closed" }],
        ["pur_failed", { session: "cs_7", status: "failed" }],
        ["pur_expired", { session: "cs_8", status: "expired" }],
        ["pur_pack", { session: "cs_9", offer: purchaseOf("").offer }],
        ["pur_bob", { session: "cs_10", account: "acc_bob" }],
      ];
      for (const [no, [id, more]] of rows.entries()) {
        await purchases.add(purchaseOf(id, { offer, createdAt: START + no, ...more }));
      }
      const listed = await purchases.listUnsettled({ account: "acc_ada", kind: "lifetime" });
      assert.deepEqual(
        listed.map(({ id }) => id),
        ["pur_paid", "pur_pending", "pur_open"],
      );
    },
  );

  rule(
    "operators read the purchases of all accounts, oldest first, page by page",
    async (purchases) => {
      const accounts = ["acc_ada", "acc_bob"];
      for (let no = 0; no < 5; no += 1) {
        const account = accounts[no % 2] as string;
        await purchases.add(
          purchaseOf(`pur_${no}`, { account, createdAt: START + Math.floor(no / 2) }),
        );
      }
      const seen: string[] = [];
      let after: Purchase | null = null;
      do {
        const page: Purchase[] = await purchases.listAll({ after, max: 2 });
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1) ?? null;
      } while (after !== null);
      assert.deepEqual(
        seen,
        [0, 1, 2, 3, 4].map((no) => `pur_${no}`),
      );
    },
  );
}

function describeRevenue(rule: Rule) {
  const paid = (id: string, paidAt: number, more: Partial<Purchase> = {}) =>
    purchaseOf(id, { status: "paid", paidAt, paid: 500, ...more });

  rule(
    "revenue is counted by currency and the UTC day on which money arrived",
    async (purchases) => {
      await purchases.add(paid("pur_1", MIDNIGHT));
      await purchases.add(paid("pur_2", MIDNIGHT + DAY - 1, { paid: 700 }));
      await purchases.add(paid("pur_3", MIDNIGHT + DAY));
      await purchases.add(paid("pur_4", MIDNIGHT, { currency: "usd" }));
      await purchases.add(purchaseOf("pur_5"));
      const none = { refunds: 0, refunded: 0 };
      const first = { day: MIDNIGHT, currency: "eur", purchases: 2, paid: 1200, ...none };
      assert.deepEqual(await purchases.revenue({ from: MIDNIGHT, to: MIDNIGHT + 2 * DAY }), [
        first,
        { ...first, currency: "usd", purchases: 1, paid: 500 },
        { ...first, day: MIDNIGHT + DAY, purchases: 1, paid: 500 },
      ]);
      assert.deepEqual(
        (await purchases.revenue({ from: MIDNIGHT, to: MIDNIGHT + DAY })).map(
          ({ paid: sum }) => sum,
        ),
        [1200, 500],
      );
      assert.deepEqual(await purchases.revenue({ from: MIDNIGHT + 1, to: MIDNIGHT + DAY - 1 }), []);
    },
  );

  rule(
    "refunds count on the day on which they began, disputes with the whole amount",
    async (purchases) => {
      const back = { refundedAt: MIDNIGHT + DAY + 5 };
      await purchases.add(paid("pur_1", MIDNIGHT, { ...back, refunded: 200 }));
      await purchases.add(paid("pur_2", MIDNIGHT, { ...back, dispute: "lost" }));
      await purchases.add(paid("pur_3", MIDNIGHT, { ...back, dispute: "open", refunded: 100 }));
      await purchases.add(paid("pur_4", MIDNIGHT, { ...back, dispute: "won" }));
      const rows = await purchases.revenue({ from: MIDNIGHT, to: MIDNIGHT + 2 * DAY });
      assert.deepEqual(rows, [
        { day: MIDNIGHT, currency: "eur", purchases: 4, paid: 2000, refunds: 0, refunded: 0 },
        { day: MIDNIGHT + DAY, currency: "eur", purchases: 0, paid: 0, refunds: 3, refunded: 1200 },
      ]);
    },
  );

  rule("sums beyond 32 bits are exact", async (purchases) => {
    for (let no = 0; no < 50; no += 1) {
      await purchases.add(paid(`pur_${no}`, MIDNIGHT, { paid: 99_999_999 }));
    }
    const [row] = await purchases.revenue({ from: MIDNIGHT, to: MIDNIGHT + DAY });
    assert.equal(row?.paid, 50 * 99_999_999);
  });
}
