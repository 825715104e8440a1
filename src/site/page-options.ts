import type { PricesView } from "#api/dashboard/shapes.ts";
import type { ApiOptions } from "#api/openapi/document.ts";

/** What the pages need to know of the service. Whatever is left out is not offered, and no link leads there. */
export type PageOptions = ApiOptions & {
  /** What was built for these pages; all of them work without it. */
  assets?: PageAssets | undefined;
  /** What people can do here besides calling; null where this door serves the API alone. */
  people?: DashboardOffer | null | undefined;
  /** Every setting of this version, for those who run it. */
  settings?: readonly SettingShown[] | undefined;
};

/** `script`: where the pages' script lies, as `assets/front-1a2b3c.js`, below the path of the service. */
export type PageAssets = { script: string | null };

export type DashboardOffer = {
  signUp: "open" | "closed";
  providers: readonly ("github" | "google")[];
  starter: { credits: number; days: number };
  /** What is sold; left out or null where nothing is. */
  prices?: PricesView | null | undefined;
};

export type SettingShown = { name: string; fallback: string; meaning: string };

/** Someone can sign up here and now. */
export const signUpIsOpen = ({ people }: PageOptions): boolean => people?.signUp === "open";
