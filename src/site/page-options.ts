import type { PricesView } from "#api/dashboard/shapes.ts";
import type { ApiOptions } from "#api/openapi/document.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { DocsSources } from "./docs/navigation.ts";
import type { LegalSources } from "./legal-sources.ts";
import type { Logo } from "./logo.ts";
import type { SiteFiles } from "./site-files.ts";

/** What every part of the site says of the service: what the OpenAPI description does, and its settings. */
export type ServiceOptions = ApiOptions & {
  /** Calls per second for each account; 0: no limit. */
  rateLimit: number;
  /** How the operator wants the pages to look. */
  look?: LookShown | undefined;
  /** The first successful call of an account is free if its price is at most this many credits. */
  freeCallCredits: number;
};

/** Null: as ours. The logo is at `/icon.svg`. */
export type LookShown = {
  logo: Logo | null;
  /** `#rrggbb` in lower case. */
  accent: string | null;
  headline: string | null;
  lead: string | null;
};

/** What the pages say of the service. Whatever is left out is not there (yet), and no link leads there. */
export type PageOptions = ServiceOptions & {
  /** The pages of `docs/`; left out, there is no documentation. */
  docs?: DocsSources | undefined;
  /** What was built for these pages; all of them work without it. */
  assets?: PageAssets | undefined;
  dashboard: DashboardOffer;
  /** The operator's own pages. */
  legal?: LegalSources | undefined;
  /** Every setting of this version, for operators. */
  settings?: readonly SettingShown[] | undefined;
};

/** What was built for the pages that the server renders. */
export type PageAssets = {
  /** The path of their script below the path of the service, such as `assets/front-1a2b3c.js`. */
  script: string | null;
  files: SiteFiles | null;
  /** The text of the script in their head (`web/front/early.ts`). */
  early: string;
};

/** What the dashboard offers. */
export type DashboardOffer = {
  signUp: "open" | "closed";
  providers: readonly ("github" | "google")[];
  starter: { credits: number; days: number };
  prices: PricesView;
};

/** `isOfServer`: Cloudflare Workers ignore the setting. `isOfCalls`: the API Worker reads it. */
export type SettingShown = {
  name: string;
  fallback: string;
  meaning: string;
  isOfServer?: boolean;
  isOfCalls?: boolean;
};

type Offered = Pick<PageOptions, "tools">;

/** The tools that have a page: `/tools/<name>`. */
export const toolsWithPage = ({ tools }: Offered): readonly Tool[] =>
  tools.filter(({ browser }) => browser === true);

/** Those that run on their page, for free. The page of an own tool calls the API, because its code is sent to nobody. */
export const browserTools = (options: Offered): readonly Tool[] =>
  toolsWithPage(options).filter(({ isOwn }) => isOwn !== true);

/** Whether there are pages, and a tool runs on each of them. */
export const allPagesAreFree = (options: Offered): boolean => {
  const pages = toolsWithPage(options);
  return pages.length > 0 && pages.length === browserTools(options).length;
};

/** Whether anybody can create an account. */
export const signUpIsOpen = ({ dashboard }: PageOptions): boolean => dashboard.signUp === "open";

/** What is for sale; null where nothing is. */
export const soldBy = ({ dashboard: { prices } }: PageOptions): PricesView | null =>
  prices.packs.length > 0 || prices.lifetime !== null ? prices : null;

/** Whether navigation links to the pricing page: where something is sold, or given for signing up. */
export const linksToPricing = (options: PageOptions): boolean =>
  soldBy(options) !== null || (signUpIsOpen(options) && options.dashboard.starter.credits > 0);
