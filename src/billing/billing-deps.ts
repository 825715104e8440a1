import type { Ledger } from "#ledger/port.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import type { PriceList } from "./price-list.ts";
import type { PurchaseStore } from "./purchase-store.ts";

/** Dependencies of everything that sells credits. */
export type BillingDeps = {
  provider: PaymentProvider;
  purchases: PurchaseStore;
  ledger: Pick<Ledger, "findAccount" | "grant" | "clawback">;
  prices: PriceList;
  /** Milliseconds since 1970 UTC. */
  now: () => number;
  /** Returns a unique id with the given prefix, such as `pur_…`. */
  newId: (prefix: string) => string;
};
