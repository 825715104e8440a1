/** The tabs of the Credits page, as in the `tab` of its URL. The first one is left out there. */
export const TABS = ["buy", "grants", "purchases", "ledger"] as const;
export type CreditsTab = (typeof TABS)[number];

export const readTab = (text: string): CreditsTab => TABS.find((tab) => tab === text) ?? "buy";

const LABELS: Record<CreditsTab, string> = {
  buy: "Buy",
  grants: "Grants",
  purchases: "Purchases",
  ledger: "Ledger",
};

/** Where credits are not sold, the first tab says how to get them. */
export const tabLabel = (tab: CreditsTab, isSold: boolean): string =>
  tab === "buy" && !isSold ? "Get credits" : LABELS[tab];
