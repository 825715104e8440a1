/** A payment provider in this process: the test sets the state of payments. */
import {
  InvalidWebhook,
  type PaymentProvider,
  type PaymentState,
} from "#billing/payment-provider.ts";

export type Till = ReturnType<typeof createTill>;

export function createTill(now: () => number) {
  const pages = new Map<string, PaymentState & { begunAt: number }>();
  const shown = ({ begunAt: _, ...state }: PaymentState & { begunAt: number }): PaymentState =>
    state;
  const provider: PaymentProvider = {
    name: "stripe",
    async open({ purchase, account, offer }) {
      const session = `cs_${purchase}`;
      const url = `https://till.test/${session}`;
      const { currency, ...bought } = offer;
      if (!pages.has(session)) {
        pages.set(session, {
          ...{ session, purchase, account, payment: null, status: "open", paidAt: null, paid: 0 },
          ...{ refunded: 0, currency, dispute: "none", payUrl: url, receiptUrl: null },
          ...{ invoiceUrl: null, bought, begunAt: now() },
        });
      }
      return { session, url };
    },
    async fetchPayment(ref) {
      const page = [...pages.values()].find((each) =>
        "session" in ref ? each.session === ref.session : each.payment === ref.payment,
      );
      return page === undefined ? null : shown(page);
    },
    async readWebhook(body, signature) {
      if (signature !== "signed") throw new InvalidWebhook("It is not signed");
      return JSON.parse(new TextDecoder().decode(body));
    },
    async list({ since }) {
      const begun = [...pages.values()].filter((page) => page.begunAt >= since);
      return { payments: begun.map(shown), next: null };
    },
  };
  return { provider, pages, state: (session: string) => pages.get(session) };
}

/** What can happen to a payment now, by name. */
export function eventsOf(page: PaymentState, now: number, random: () => number) {
  const set = (changes: Partial<PaymentState>) => () => void Object.assign(page, changes);
  const payment = `pi_${page.purchase}`;
  const price = page.bought?.price ?? 0;
  /** Taxes are part of the amount paid. */
  const paid = {
    status: "paid",
    payment,
    paidAt: now,
    paid: price + Math.floor(price / 5),
  } as const;
  const closed = { payUrl: null, receiptUrl: "https://till.test/receipt" };
  const left = page.paid - page.refunded;
  const part = 1 + Math.floor(random() * left);
  switch (page.status) {
    case "open":
      return {
        pays: set({ ...paid, ...closed }),
        "pays too": set({ ...paid, ...closed }),
        "pays later": set({ status: "pending", payment, payUrl: null }),
        leaves: set({ status: "expired", payUrl: null }),
      };
    case "pending":
      return {
        arrives: set({ ...paid, ...closed }),
        fails: set({ status: "failed" }),
      };
    case "paid":
      if (page.dispute === "open") {
        return { wins: set({ dispute: "won" }), loses: set({ dispute: "lost" }) };
      }
      return {
        disputes: set({ dispute: page.dispute === "lost" ? "lost" : "open" }),
        ...(left > 0
          ? {
              "refunds a part": set({ refunded: page.refunded + part }),
              refunds: set({ refunded: page.paid }),
            }
          : {}),
        ...(page.refunded > 0
          ? { "refund fails": set({ refunded: Math.floor(page.refunded * random()) }) }
          : {}),
      };
    default:
      return {};
  }
}
