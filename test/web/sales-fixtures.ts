import type {
  CreditsView,
  DeliveryView,
  EndpointView,
  NotificationsView,
  OfferView,
  PricesView,
  PurchaseView,
} from "#api/dashboard/shapes.ts";
import { credits, NOW } from "./fixtures.ts";

/** Sample responses of the service about prices, purchases, notifications and webhooks. */
const DAY = 24 * 3_600_000;

const pack = (id: string, name: string, amount: number, price: number): OfferView => ({
  id,
  kind: "pack",
  name,
  credits: amount,
  price,
  currency: "eur",
  months: 12,
  priceText: `€${(price / 100).toFixed(2)}`,
});
export const prices: PricesView = {
  packs: [
    pack("small", "Small", 1_000, 500),
    pack("medium", "Medium", 10_000, 3_900),
    pack("large", "Large", 100_000, 29_900),
  ],
  lifetime: {
    ...pack("lifetime", "Lifetime", 50_000, 19_900),
    kind: "lifetime",
    months: null,
  },
  payable: true,
  taxesAdded: true,
  contact: "sales@example.com",
  recommended: "medium",
};
/** Prices without online payment. */
export const byHand: PricesView = { ...prices, payable: false, taxesAdded: false };
export const noPrices: PricesView = {
  packs: [],
  lifetime: null,
  payable: false,
  taxesAdded: false,
  contact: null,
  recommended: null,
};

export const PURCHASE = "pur_4Kd8QwZx2Lm7";
const purchase = (id: string, change: Partial<PurchaseView>): PurchaseView => ({
  id,
  at: NOW - 5 * 60_000,
  name: "Medium",
  kind: "pack",
  credits: 10_000,
  amountText: "€46.41",
  refundedText: null,
  state: "paid",
  paidAt: NOW - 4 * 60_000,
  voided: 0,
  spent: 0,
  receiptUrl: "https://pay.example.com/receipts/1",
  invoiceUrl: "https://pay.example.com/invoices/1",
  payUrl: null,
  ...change,
});
const unpaid = { paidAt: null, receiptUrl: null, invoiceUrl: null, amountText: "€39.00" };
const payUrl = "https://pay.example.com/c/pay/cs_1";

/** The current purchase in each state in which the user may return from the payment page. */
export const purchaseIn: Record<PurchaseView["state"], PurchaseView> = {
  open: purchase(PURCHASE, { state: "open", ...unpaid, payUrl }),
  pending: purchase(PURCHASE, { state: "pending", ...unpaid }),
  settling: purchase(PURCHASE, { state: "settling" }),
  paid: purchase(PURCHASE, {}),
  failed: purchase(PURCHASE, { state: "failed", ...unpaid }),
  expired: purchase(PURCHASE, { state: "expired", ...unpaid }),
  refunded: purchase(PURCHASE, {
    state: "refunded",
    refundedText: "€46.41",
    voided: 9_200,
    spent: 800,
  }),
  partly_refunded: purchase(PURCHASE, {
    state: "partly_refunded",
    refundedText: "€4.64",
    voided: 1_000,
  }),
  disputed: purchase(PURCHASE, { state: "disputed", voided: 10_000 }),
  charged_back: purchase(PURCHASE, { state: "charged_back", voided: 10_000 }),
  trouble: purchase(PURCHASE, { state: "trouble" }),
};
export const purchases = {
  purchases: [
    ...Object.values(purchaseIn).map((each, index) => ({
      ...each,
      id: `${PURCHASE}${index}`,
      at: NOW - index * 3 * DAY,
    })),
    purchase("pur_lifetime", {
      at: NOW - 40 * DAY,
      name: "Lifetime",
      kind: "lifetime",
      credits: 50_000,
      amountText: "€236.81",
      invoiceUrl: null,
    }),
  ],
  next: "cursor-2",
};

/** The same account on the lifetime plan. */
export const lifetimeCredits: CreditsView = {
  balance: 62_844,
  held: 0,
  lifetime: true,
  nextExpiry: null,
  permanent: 62_844,
  next: null,
  grants: [
    ...credits.grants.map((grant) =>
      grant.remaining > 0 && grant.expiresAt !== null
        ? { ...grant, expiresAt: null, waivedExpiresAt: grant.expiresAt }
        : grant,
    ),
    {
      id: "stripe:pi_9",
      kind: "lifetime",
      amount: 50_000,
      remaining: 50_000,
      grantedAt: NOW - DAY,
      expiresAt: null,
      waivedExpiresAt: null,
    },
  ],
};

export const events: NotificationsView = { lowBalance: 20, emails: { low: true, expiring: true } };

export const endpoints: EndpointView[] = [
  {
    id: "whk_7Hq2LmZx9TbCq8Wd",
    url: "https://example.com/webhooks/toolbooth",
    kinds: ["credits.low", "credits.depleted", "credits.granted", "credits.expiring"],
    paused: false,
    createdAt: NOW - 20 * DAY,
    previousSecretUntil: NOW + DAY / 2,
    ...{ pausedAt: null, pausedBy: null, lastDeliveredAt: NOW - 2 * DAY, lastFailure: null },
  },
  {
    id: "whk_1Ab2Cd3Ef4Gh5Ij6",
    url: "https://a-receiver-with-a-long-name.staging.internal.example.com/a/path/that/goes/on/and/on/and/on",
    kinds: ["key.created", "key.revoked"],
    paused: true,
    createdAt: NOW - 3 * DAY,
    previousSecretUntil: null,
    ...{ pausedAt: NOW - DAY, pausedBy: "gone", lastDeliveredAt: null },
    lastFailure: {
      at: NOW - DAY,
      lastStatus: 410,
      lastError: "The endpoint responded with 410 (gone), so it was paused.",
    },
  },
];

const body = JSON.stringify({
  type: "credits.low",
  timestamp: new Date(NOW - 2 * DAY).toISOString(),
  data: { account: "acc_7Hq2LmZx9TbC", balance: 19, lowBalance: 20 },
});
const delivery = (id: string, change: Partial<DeliveryView>): DeliveryView => ({
  id,
  event: "evt_8sVpQ3kZr1TgXw7LdB2n",
  kind: "credits.low",
  body,
  at: NOW - 2 * DAY,
  status: "delivered",
  tries: 1,
  dueAt: null,
  lastTriedAt: NOW - 2 * DAY + 900,
  lastStatus: 204,
  lastError: null,
  ...change,
});
export const deliveries = {
  deliveries: [
    delivery("del_5", { status: "waiting", tries: 0, lastTriedAt: null, lastStatus: null }),
    delivery("del_4", {
      status: "waiting",
      tries: 3,
      dueAt: NOW + 1_800_000,
      lastStatus: 503,
      kind: "credits.depleted",
      lastError: "The endpoint responded with 503.",
    }),
    delivery("del_3", {}),
    delivery("del_2", {
      status: "failed",
      tries: 9,
      kind: "credits.expiring",
      lastStatus: null,
      lastError: "No connection: the name example.com has no address.",
    }),
  ],
  next: "cursor-2",
};
